/** Certificates for tests: a private authority, and a server's certificate from it. Node can check certificates but not create them. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** One value in DER (X.690): its tag, the length of its content, and the content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const bytes = length < 128 ? [] : [...(length < 256 ? [] : [length >> 8]), length & 255];
  const head = bytes.length === 0 ? [length] : [0x80 | bytes.length, ...bytes];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const octets = (...parts: readonly Buffer[]): Buffer => der(0x04, ...parts);
const truth = der(0x01, Buffer.from([0xff]));
/** Object identifiers, already encoded. */
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const commonName = oid('550403');
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const basicConstraints = oid('551d13');
const subjectAltName = oid('551d11');

const nameOf = (text: string): Buffer =>
  sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(text)))));

/** The form of times in X.509 until 2049. */
function timeOf(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return der(0x17, Buffer.from(digits.slice(2)));
}

const dayMs = 86_400_000;

type Certificate = {
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly issuer: string;
  readonly issuerKey: KeyObject;
  readonly extension: Buffer;
};

/** @returns a certificate that is valid from yesterday for a week, as PEM */
function certify({ subject, publicKey, issuer, issuerKey, extension }: Certificate): string {
  const now = Date.now();
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    // Positive, as its first bit is not set.
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaWithSha256,
    nameOf(issuer),
    sequence(timeOf(new Date(now - dayMs)), timeOf(new Date(now + 7 * dayMs))),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  );
  const signature = sign('sha256', toBeSigned, issuerKey);
  const whole = sequence(
    toBeSigned,
    ecdsaWithSha256,
    der(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** Lets connections of this process trust an authority. */
export function trustAuthority(ca: string): void {
  setDefaultCACertificates([...getCACertificates(), ca]);
}

/** Files in PEM form. */
export type CertificateFiles = {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
};

/**
 * Creates an authority and its certificate for 127.0.0.1 and for names, in a folder.
 *
 * @param name a host name in the certificate, in addition to the address
 */
export async function makeCertificates(
  folder: string,
  name: string,
  ...otherNames: readonly string[]
): Promise<CertificateFiles> {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = `authority ${randomBytes(4).toString('hex')}`;
  const ca = certify({
    subject: issuer,
    publicKey: authority.publicKey,
    issuer,
    issuerKey: authority.privateKey,
    extension: sequence(basicConstraints, truth, octets(sequence(truth))),
  });
  const names = sequence(
    der(0x87, Buffer.from([127, 0, 0, 1])),
    ...[name, ...otherNames].map((each) => der(0x82, Buffer.from(each, 'ascii'))),
  );
  const cert = certify({
    subject: name,
    publicKey: server.publicKey,
    issuer,
    issuerKey: authority.privateKey,
    extension: sequence(subjectAltName, octets(names)),
  });
  const files = {
    caFile: join(folder, 'ca.pem'),
    certFile: join(folder, 'server.pem'),
    keyFile: join(folder, 'server.key'),
  };
  await writeFile(files.caFile, ca);
  await writeFile(files.certFile, cert);
  const key = server.privateKey.export({ type: 'pkcs8', format: 'pem' });
  await writeFile(files.keyFile, key, { mode: 0o600 });
  return files;
}
