/**
 * The lines that mail programs of phones, and a few others, put below what somebody writes unless the person chose another one. They have no mark of
 * a signature (RFC 3676, 4.3) before them.
 */
import assert from 'node:assert';

const appleDevices = ['iPhone', 'iPad', 'iPod', 'iPod touch', 'Apple Watch', 'Mac'];
const otherDevices = [
  'Galaxy',
  'Samsung Galaxy smartphone',
  'Samsung Galaxy Smartphone',
  'Samsung device',
  'Samsung Mobile',
  'Samsung smartphone',
  'Samsung Smartphone',
  'Android',
  'Android device',
  'Android phone',
  'Huawei',
  'Huawei phone',
  'Huawei Mobile',
  'Xiaomi',
  'Sony Xperia',
  'Pixel',
  'BlackBerry',
  'BlackBerry 10 smartphone',
  'Windows Phone',
  'Nokia phone',
];
const devices = [...appleDevices, ...otherDevices];
const phoneSystems = ['iOS', 'Android'];
const yahooPhones = ['Android', 'iPhone', 'iPad'];
const windows = ['Windows', 'Windows 10', 'Windows 11'];

/** What stands for `%` in each line. */
const lines: readonly (readonly [line: string, names: readonly string[]])[] = [
  // Names of a device.
  ['Sent from my %', devices],
  ['Sent from %', ['Samsung Mobile', 'iPhone', 'Gmail Mobile']],
  ['Von meinem % gesendet', devices],
  ['Von meiner % gesendet', ['Apple Watch']],
  ['Von meinem/meiner % gesendet', ['Galaxy']],
  ['Gesendet von meinem %', devices],
  ['Envoyé de mon %', devices],
  ['Envoyé depuis mon %', devices],
  ['Envoyé depuis mon appareil %', ['Galaxy', 'Samsung', 'Android']],
  ['Envoyé depuis mon smartphone %', ['Samsung', 'Samsung Galaxy']],
  ['Enviado desde mi %', devices],
  ['Enviado desde mi smartphone %', ['Samsung', 'Samsung Galaxy']],
  ['Inviato da %', appleDevices],
  ['Inviato dal mio %', devices],
  ['Enviado do meu %', devices],
  ['Enviado do %', appleDevices],
  ['Verstuurd vanaf mijn %', devices],
  ['Verzonden vanaf mijn %', devices],
  ['Skickat från min %', devices],
  ['Sendt fra min %', devices],
  ['Lähetetty %', ['iPhonesta', 'iPadista']],
  ['Wysłane z %', ["iPhone'a", "iPada'", "iPad'a", 'iPada']],
  ['Odesláno z %', ['iPhonu', 'iPadu']],
  ['Отправлено с %', appleDevices],
  ['Надіслано з %', appleDevices],
  ['%からの送信', appleDevices],
  ['%から送信', appleDevices],
  ['发自我的%', devices],
  ['發自我的 %', devices],
  ['從我的 % 傳送', devices],
  ['나의 %에서 보냄', appleDevices],
  ["% 'umdan gönderildi", ['iPhone']],
  ["%'umdan gönderildi", ['iPhone']],
  ["%'imden gönderildi", ['iPad']],
  // Outlook.
  ['Get Outlook for %', phoneSystems],
  ['Sent from Outlook for %', phoneSystems],
  ['Outlook für % beziehen', phoneSystems],
  ['Outlook für % herunterladen', phoneSystems],
  ['Laden Sie Outlook für % herunter', phoneSystems],
  ['Gesendet von Outlook für %', phoneSystems],
  ['Télécharger Outlook pour %', phoneSystems],
  ['Obtenir Outlook pour %', phoneSystems],
  ["Envoyé à partir d'Outlook pour %", phoneSystems],
  ['Obtener Outlook para %', phoneSystems],
  ['Enviado desde Outlook para %', phoneSystems],
  ['Ottieni Outlook per %', phoneSystems],
  ['Scarica Outlook per %', phoneSystems],
  ['Obter o Outlook para %', phoneSystems],
  ['Obtenha o Outlook para %', phoneSystems],
  ['Outlook voor % downloaden', phoneSystems],
  ['Download Outlook voor %', phoneSystems],
  // The program of Windows.
  ['Sent from Mail for %', windows],
  ['Gesendet von Mail für %', windows],
  ['Envoyé à partir de Courrier pour %', windows],
  ['Provenance : Courrier pour %', windows],
  ['Enviado desde Correo para %', windows],
  ['Inviato da Posta per %', windows],
  ['Verzonden vanuit Mail voor %', windows],
  // Others.
  ['Sent from Yahoo Mail on %', yahooPhones],
  ['Sent from Yahoo Mail for %', yahooPhones],
  ['Sent from Yahoo Mail. Get the app', ['']],
  ['Gesendet von Yahoo Mail auf %', yahooPhones],
  ['Von Yahoo Mail auf % gesendet', yahooPhones],
  ['Envoyé à partir de Yahoo Mail pour %', yahooPhones],
  ['Enviado desde Yahoo Mail para %', yahooPhones],
  ['Sent from Proton Mail%', ['', ' mobile', ' for iOS', ' for Android', ' iOS', ' Android']],
  ['Sent from ProtonMail%', ['', ' mobile', ' for iOS', ' for Android']],
  ['Sent with Proton Mail%', ['', ' secure email']],
  ['Sent with ProtonMail%', ['', ' secure email']],
  ['Sent from my % with K-9 Mail. Please excuse my brevity', ['Android device', 'Android phone']],
  ['Diese Nachricht wurde von meinem % mit K-9 Mail gesendet', ['Android-Gerät']],
  ['Envoyé de mon % avec Courriel K-9 Mail. Veuillez excuser ma brièveté', ['appareil Android']],
  ['Gesendet mit der % Mail App', ['WEB.DE', 'GMX', 'Telekom']],
];

/** An address behind the line, as programs write a link in plain text. */
const link = /\s*[<[(]?https?:\/\/[^\s<>[\]()]+[>\])]?$/;
const lineMaxLength = 200;

function normalize(line: string): string {
  return line
    .trim()
    .replace(link, '')
    .replaceAll('’', "'")
    .replaceAll(/\s+/g, ' ')
    .replace(/[.。!]$/, '')
    .trimEnd()
    .toLowerCase();
}

const signatures: ReadonlySet<string> = new Set(
  lines.flatMap(([line, names]) => names.map((name) => normalize(line.replace('%', name)))),
);
assert(!signatures.has(''), 'a blank line would be a signature');

/** @returns whether a line is one that a program writes by itself */
export function isDefaultSignature(line: string): boolean {
  return line.length <= lineMaxLength && signatures.has(normalize(line));
}
