import { answerMark } from '@parley/outgoing/mail/answer-mark';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { findAnswer } from './answer-text.ts';

const letter = `${answerMark}

“Ann Lee”: “The kiln is hot”

Read and answer:
https://chat.example/#narrow/x

-- 
You get this because you were away.`;

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/** How programs put an answer above what it answers. */
const programs: Readonly<Record<string, (answer: string) => string>> = {
  Gmail: (answer) =>
    `${answer}\n\nOn Thu, Nov 26, 2026 at 10:51 PM Parley <parley@chat.example>\nwrote:\n\n${quoted(letter)}\n`,
  'Apple Mail': (answer) =>
    `${answer}\r\n\r\n> On 26 Nov 2026, at 22:51, Parley <parley@chat.example> wrote:\r\n> \r\n${quoted(letter)}`,
  Thunderbird: (answer) =>
    `${answer}\n\nAm 26.11.26 um 22:51 schrieb Parley:\n${quoted(letter)}\n\n-- \nBob Ray\nPotter`,
  Outlook: (answer) =>
    `${answer}\n\n________________________________\nFrom: Parley <parley@chat.example>\nSent: Thursday, November 26, 2026 10:51 PM\nTo: Bob Ray <bob@home.example>\nSubject: “Ann Lee” wrote to you\n\n${letter}\n`,
  'Outlook, old': (answer) =>
    `${answer}\n\n-----Original Message-----\nFrom: Parley\nSent: Thursday\nTo: Bob Ray\nSubject: x\n\n${letter}\n`,
  'with a signature above': (answer) =>
    `${answer}\n\n--\nBob Ray\n+1 555 0100\n\nOn 26 Nov 2026 Parley wrote:\n${quoted(letter)}`,
  'Apple Mail on a phone': (answer) =>
    `${answer}\n\nSent from my iPhone\n\n> On 26 Nov 2026, at 22:51, Parley <parley@chat.example> wrote:\n> \n${quoted(letter)}`,
  'Outlook on a phone': (answer) =>
    `${answer}\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n________________________________\nFrom: Parley <parley@chat.example>\nSent: Thursday\nTo: Bob Ray\nSubject: x\n\n${letter}`,
  'a phone, without a quotation': (answer) => `${answer}\n\nVon meinem iPhone gesendet`,
  'without a quotation': (answer) => `${answer}\n\n-- \nBob Ray`,
  Japanese: (answer) =>
    `${answer}\n\n2026年11月26日(木) 22:51 Parley <parley@chat.example>：\n${quoted(letter)}`,
  'Gmail, Arabic': (answer) =>
    `${answer}\n\n\u{202b}في الخميس، ٢٦ نوفمبر ٢٠٢٦ تمت كتابة ما يلي بواسطة \u{202a}Parley\u{202c}\u{200f} <\u{202a}parley@chat.example\u{202c}\u{200f}>:\u{202c}\n\n${quoted(letter)}`,
  'Gmail, with a digit in the address': (answer) =>
    `${answer}\n\nOn Thu, Nov 26, 2026 at 10:51 PM Parley at the Potters <\nparley@chat2.example> wrote:\n\n${quoted(letter)}`,
  'Proton Mail': (answer) =>
    `${answer}\n\n-------- Original Message --------\nOn Thursday, 11/26/26 at 22:51 Parley <parley@chat.example> wrote:\n\n${quoted(letter)}`,
  'Samsung, in one line': (answer) =>
    `${answer}\n\n-------- Original message --------From: Parley <parley@chat.example> Date: 26/11/2026  22:51 To: bob@home.example Subject: x \n${letter}`,
  'Samsung, without a subject': (answer) =>
    `${answer}\n\n-------- Original message --------\nFrom: Parley <parley@chat.example>\nDate: 26/11/2026 22:51\nTo: bob@home.example\nSubject:\n\n${letter}`,
  'Outlook, Chinese': (answer) =>
    `${answer}\n\n发件人： Parley <parley@chat.example>\n发送时间： 2026年11月26日 22:51\n收件人： Bob Ray\n主题： x\n\n${letter}`,
  'Outlook, with folded fields': (answer) =>
    `${answer}\n\n________________________________\nFrom: Parley at the Potters of the Old Harbour\n<parley@chat.example>\nSent: Thursday, November 26, 2026 10:51 PM\nTo: Bob Ray <bob@home.example>; Cat\nMoe <cat@home.example>;\nDan Fir\nCc: Eve <eve@home.example>,\n\tGil <gil@home.example>\nSubject: New messages in a stream with a long name and\na topic with another one\n\n${letter}`,
  'Outlook, with bold names': (answer) =>
    `${answer}\n\n*From:* Parley <parley@chat.example>\n*Sent:* Thursday\n*To:* Bob Ray\n*Subject:* x\n\n${letter}`,
};

test.each(Object.entries(programs))(
  '%s: what is above the quotation is the answer',
  (_name, write) => {
    for (const answer of [
      'Yes',
      'Yes.\n\nIt is *hot*:\n\n* one\n* two',
      'At 10 it was 1000 °C',
      '> you said\n\nno',
    ])
      expect(findAnswer(write(answer))).toBe(answer);
  },
);

test.each(Object.entries(programs))('%s: no other words come with it', (_name, write) => {
  const word = fc
    .stringMatching(/^[A-Za-z0-9.,!?*_`#()-]{1,12}$/)
    .filter((text) => !text.startsWith('--'));
  const paragraph = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(fc.array(paragraph, { minLength: 1, maxLength: 5 }), (paragraphs) => {
      const answer = `${paragraphs.join('\n\n')}.`;
      expect(findAnswer(write(answer))).toBe(answer);
    }),
  );
});

test('an answer below the quotation is found where its lines are marked', () => {
  expect(findAnswer(`On 26 Nov 2026 Parley wrote:\n${quoted(letter)}\n\nYes\n\n-- \nBob`)).toBe(
    'Yes',
  );
});

test.each([
  ['nothing', ''],
  ['a quotation alone', `On 26 Nov 2026 Parley wrote:\n${quoted(letter)}`],
  ['our own words without marks', `From: Parley\nSent: x\nTo: y\nSubject: z\n\n${letter}`],
  ['a signature alone', `-- \nBob\n\nOn 26 Nov 2026 Parley wrote:\n${quoted(letter)}`],
])('%s is no answer', (_what, text) => {
  expect(findAnswer(text)).toBe('');
});

const wrote = 'On 26 Nov 2026 Parley wrote:';
const fields = ['From: Parley', 'Sent: Thursday', 'To: Bob Ray'];

test.each<[string, string]>([
  ['on four lines', 'On Thu, Nov 26,\nParley\n<parley@chat.example>\nwrote:'],
  ['with a space at its end', `${wrote} `],
  ['above a rule', `${wrote}\n\n_____`],
  ['that is quoted too, with an indent', ` > ${wrote}\n > `],
  ['of three fields', fields.join('\n')],
  ['of bold fields', '*From:* Parley\n*Sent:* Thursday\n*To:* Bob Ray'],
  ['of fields with bold names', '*From*: Parley\n*Sent*: Thursday\n*To*: Bob Ray'],
  ['of fields in French', 'De : Parley\nEnvoyé : jeudi\nÀ : Bob Ray'],
  ['of bold fields in French', '*De* : Parley\n*Envoyé* : jeudi\n*À* : Bob Ray'],
  ['of fields in Portuguese', 'De: Parley\nEnviada em: quinta\nPara: Bob Ray'],
  ['of fields in Russian', 'От: Parley\nОтправлено: четверг\nКому: Bob Ray'],
  ['of fields in Hindi', 'प्रेषक: Parley\nदिनांक: x\nप्रति: Bob Ray'],
  ['of fields below a rule', `  -----Original Message-----  \n\n${fields.join('\n')}`],
  ['of fields below another rule', `=====\n${fields.join('\n')}`],
])('an introduction %s is not posted', (_what, introduction) => {
  expect(findAnswer(`Yes\n\n${introduction}\n${quoted(letter)}`)).toBe('Yes');
});

test.each<[string, string]>([
  ['five lines that end with a colon', 'At 10\none\ntwo\nthree\nfour:'],
  ['a colon below a paragraph with a number', 'Room 5\n\nThis is what I think:'],
  ['two fields', 'Name: Bob\nTown: Bath'],
  ['pairs without a space', 'x:1\ny:2\nz:3'],
  ['pairs with words below', 'Name: Bob\nTown: Bath\nAge: 5\nThat is all'],
  ['many pairs with words below', 'Name: Bob\nTown: Bath\nAge: 5\nPots: 3\nThat is all'],
  ['an address below pairs', 'Name: Bob\nTown: Bath\nme@home.example'],
  [
    'pairs, an address and a paragraph in lines',
    'Name: Bob\nMail: me@home.example\nAge: 5\nPots: 3\none\ntwo\nthree',
  ],
  ['what people say', 'Well, Ann: no\nOh, Bob: yes\nSo, Cat: no'],
  ['long sentences', Array(3).fill('What we should remember all the time: no').join('\n')],
  ['bold words', 'It is\n*hot*'],
  ['what only begins as a rule', '----- is - a rule'],
  ['a list with a long dash', '- one ----- two'],
  ['a long line with rules', `-----${'x'.repeat(61)}-----x`],
  ['letters', 'xxxxx'],
  ['what only begins as a signature', 'Use\n--force\nthen'],
  ['an indented mark of a signature', 'a\n --\nb'],
])('%s directly above a quotation are posted', (_what, answer) => {
  expect(findAnswer(`${answer}\n${quoted(letter)}`)).toBe(answer);
});

test.each([
  'Sent from my iPhone',
  'sent from my Galaxy.',
  'Sent from my\u{a0}iPad  ',
  'Von meinem/meiner Galaxy gesendet',
  'Gesendet mit der GMX Mail App',
  'Envoyé de mon iPhone',
  'Envoyé à partir d’Outlook pour Android',
  'Enviado desde mi iPhone',
  'Inviato da iPad',
  'Verstuurd vanaf mijn iPhone',
  'Sendt fra min iPhone',
  'Отправлено с iPhone',
  'iPhoneから送信',
  '发自我的iPhone',
  'Get Outlook for Android [https://aka.ms/AAb9ysg]',
  'Sent from Mail for Windows 10',
  'Sent from Yahoo Mail on Android',
  'Sent with Proton Mail secure email.',
  'Sent from my Android device with K-9 Mail. Please excuse my brevity.',
])('%s is not posted at the end, and in the middle it is', (line) => {
  expect(findAnswer(`Yes\n${line}\n\n${wrote}\n${quoted(letter)}`)).toBe('Yes');
  expect(findAnswer(`Yes\n\n${line}\n-- \nBob`)).toBe('Yes');
  const around = `${line.trim().replaceAll('\u{a0}', ' ')}\n\nYes`;
  expect(findAnswer(`${around}\n\n${wrote}\n${quoted(letter)}`)).toBe(around);
});

test.each([
  'Sent from my office',
  'It was sent from my iPhone',
  'Sent from my iPhone, which is new',
  'Get Outlook',
  'https://chat.example/x',
  'See https://chat.example/x',
])('%s is posted at the end', (line) => {
  expect(findAnswer(`Yes\n\n${line}\n\n${wrote}\n${quoted(letter)}`)).toBe(`Yes\n\n${line}`);
});

test('a phone that says nothing more has answered nothing', () => {
  expect(findAnswer(`Sent from my iPhone\n\n${wrote}\n${quoted(letter)}`)).toBe('');
});

test('the first of several quoted mails ends the answer', () => {
  const outlook = `${fields.join('\n')}\n\n${letter}`;
  expect(findAnswer(`Yes\n\n${outlook}\n\nNo\n\n${outlook}`)).toBe('Yes');
});

test('the line that asks for an answer may go on', () => {
  expect(findAnswer(`Yes\n\n${wrote}\n\n${answerMark} “Ann Lee”: hot`)).toBe('Yes');
});

test('fields that are an answer stay above an introduction', () => {
  const answer = 'Name: Bob\nTown: Bath';
  expect(findAnswer(`${answer}\n\n${wrote}\n${quoted(letter)}`)).toBe(answer);
});

test.each(['Yes\n\nOn 1 Nov 2026 Ann wrote:\n> hot', 'Yes\n\nOn 1 Nov Ann wrote: \n\n> hot\n\n'])(
  'what is quoted of another mail is not posted with %j',
  (text) => {
    expect(findAnswer(text)).toBe('Yes');
  },
);

test.each([
  'Two things:\n\n> one\n\nThree',
  'See 26:\n\n> the kiln is hot\n\nYes',
  'Ann said:\n\n> the kiln is hot',
  'See 26\n\n> the kiln is hot',
  'These 3:',
])('without our mail, %j is posted as it is', (answer) => {
  expect(findAnswer(`${answer}\n`)).toBe(answer);
});

test('characters that no message has become others, and lines lose spaces at their ends', () => {
  expect(findAnswer('a\0b\u{a0}c\ud800d  \ne')).toBe('ab c\ufffdd\ne');
  expect(findAnswer(`Yes\r\r${wrote}\r> ${answerMark}\r> hot`)).toBe('Yes');
});

test('any text ends, and gives no more than it has', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '',
      '>',
      '--',
      ':',
      answerMark,
      `> ${answerMark}`,
      'Aa: b',
      '-----',
      'On 1 x wrote:',
    ),
  );
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const answer = findAnswer(lines.join('\n'));
      expect(answer).toBe(answer.trim());
      expect(answer.length).toBeLessThanOrEqual(lines.join('\n').length);
      expect(answer).not.toContain('\0');
    }),
  );
});
