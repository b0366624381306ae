/**
 * Mails that were made to do harm, and clients of LMTP that do not keep to it: each gets a clear answer, the process goes on, and so do the
 * requests of others (decision 0055).
 */
import { connect } from 'node:net';
import type { Socket } from 'node:net';

import type { Pool } from '@parley/database';
import { makeOrganization, openTestPool, startCluster, waitUntil } from '@parley/test-kit';
import type { Cluster, TestAccount, TestOrganization } from '@parley/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import {
  answerAddressOf,
  answerAddressPattern,
  countAnswers,
  lmtpPortOf,
} from '../support/answers-by-mail.ts';
import { handOver, mailText } from '../support/relay.ts';

const mib = 1024 * 1024;
/** Leaves room for the headers. */
const largestBody = 10 * mib - 2_000;
const connectionsMax = 10;
const recipientsMax = 10;

let cluster: Cluster;
let organization: TestOrganization;
let pool: Pool;
let ann: TestAccount;
let bob: TestAccount;
let port: number;
let made = 0;

beforeAll(async () => {
  cluster = await startCluster({
    events: 0,
    people: 0,
    presence: 0,
    subscriptions: 0,
    environment: { PARLEY_MAIL_REPLY_ADDRESS: answerAddressPattern, PARLEY_LMTP_PORT: '0' },
  });
  organization = await makeOrganization(cluster);
  pool = openTestPool(cluster.settings.databaseUrl);
  ann = await organization.makeAccount('Ann Lee');
  port = lmtpPortOf(cluster.getProcess('messages', 0));
});
beforeEach(async () => {
  made += 1;
  bob = await organization.makeAccount(`Bob${made} Ray`);
});
afterAll(async () => {
  await pool?.end();
  await organization?.close();
  // Fails if a process has ended by itself.
  await cluster?.stop();
});

/** Writes to Bob, and returns the address by which he answers. */
async function write(): Promise<string> {
  const { id } = await ann.client.post('messages', {
    type: 'private',
    to: [bob.id],
    content: 'The kiln is hot',
  });
  return answerAddressOf(pool, cluster.settings.keySecret, bob, Number(id));
}

async function textsOfBob(): Promise<string[]> {
  const { rows } = await pool.query<{ content: string }>(
    `SELECT content FROM messages WHERE sender_id = ${bob.id} ORDER BY id`,
  );
  return rows.map(({ content }) => content);
}

/** Hands a mail over as a relay, which comes again as long as the machine is too busy. */
async function relay(raw: string | Buffer, to: readonly string[]): Promise<string[]> {
  let answers: string[];
  do answers = await handOver(port, { from: 'bob@home.example', to }, raw);
  while (answers[0]?.startsWith('451 4.3.1') === true);
  return answers;
}

/** Hands a mail of Bob over, while Ann goes on reading. */
async function handIn(raw: string | Buffer): Promise<string> {
  let isWaiting = true;
  const handed = relay(raw, [await write()]).finally(() => {
    isWaiting = false;
  });
  const read = async (): Promise<void> => {
    do await ann.client.get('messages', { anchor: 'newest', num_before: 1, num_after: 0 });
    while (isWaiting);
  };
  const [answers] = await Promise.all([handed, read()]);
  return answers.join('; ');
}

/** Whether another answer is still posted. */
async function goesOn(): Promise<boolean> {
  const answer = await handIn(mailText({}, 'Still here'));
  return answer === '250' && (await textsOfBob()).at(-1) === 'Still here';
}

const unreadable = '550 5.6.0 The mail cannot be read';
const nothing = '550 5.6.0 There is nothing above what the mail quotes';

function multipart(type: string, parts: readonly string[]): string {
  return mailText(
    { 'Content-Type': type },
    [...parts.map((part) => `--x\r\n${part}\r\n`), '--x--\r\n'].join(''),
  );
}

function nested(depth: number): string {
  const open = (n: number): string => `Content-Type: multipart/mixed; boundary=b${n}\r\n`;
  const levels = Array.from({ length: depth }, (_, n) => `\r\n--b${n}\r\n${open(n + 1)}`);
  return mailText({ 'Content-Type': 'multipart/mixed; boundary=b0' }, levels.join(''));
}

function quotedLines(bytes: number): string {
  const line = '> The kiln is hot\r\n';
  return line.repeat(Math.floor(bytes / line.length));
}

const mixed = 'multipart/mixed; boundary=x';
const mark = '> Write your answer above this line.\r\n';

test.each<[string, () => string | Buffer, unknown, unknown]>([
  [
    'one line of 10 MiB',
    () => mailText({}, 'x'.repeat(largestBody)),
    '250',
    [expect.stringMatching(/^x{9000,}/)],
  ],
  [
    'five thousand parts',
    () =>
      multipart(
        mixed,
        Array.from({ length: 5_000 }, () => '\r\nhello'),
      ),
    unreadable,
    [],
  ],
  [
    'parts without an end',
    () => mailText({ 'Content-Type': mixed }, '--x\r\n\r\na\r\n'.repeat(largestBody / 11)),
    unreadable,
    [],
  ],
  ['parts a thousand deep', () => nested(1_000), unreadable, []],
  [
    'mails within mails',
    () =>
      mailText(
        { 'Content-Type': 'message/rfc822' },
        'Content-Type: message/rfc822\r\n\r\n'.repeat(50_000),
      ),
    '250',
    [expect.stringMatching(/^\[message\.rfc822\]/)],
  ],
  [
    'a header of 1 MB',
    () => mailText({ 'X-Long': 'x'.repeat(1_000_000) }, 'hello'),
    unreadable,
    [],
  ],
  [
    '100,000 headers',
    () => `${'X-Many: x\r\n'.repeat(100_000)}${mailText({}, 'hello')}`,
    unreadable,
    [],
  ],
  [
    'a header of 15,000 addresses',
    () => mailText({ To: 'a@b.c, '.repeat(15_000) }, 'hello'),
    '250',
    ['hello'],
  ],
  [
    'NUL and bytes that are no UTF-8',
    () => Buffer.from(mailText({}, 'a\0b \xff\xfe\xc0\x80\xed\xa0\x80 c'), 'latin1'),
    '250',
    [expect.stringMatching(/^ab \ufffd+ c$/)],
  ],
  [
    'base64 that is none',
    () => mailText({ 'Content-Transfer-Encoding': 'base64' }, '%%% no ===== base64'),
    '250',
    [expect.any(String)],
  ],
  [
    'a file in base64 that is none',
    () =>
      multipart(mixed, [
        '\r\nhello',
        'Content-Type: image/png; name=a.png\r\nContent-Transfer-Encoding: base64\r\n\r\n%%%=%%%',
      ]),
    '250',
    [expect.stringMatching(/^hello/)],
  ],
  [
    'an encoding that does not exist',
    () => mailText({ 'Content-Transfer-Encoding': 'x-none' }, 'hello'),
    '250',
    ['hello'],
  ],
  [
    'a charset that does not exist',
    () => mailText({ 'Content-Type': 'text/plain; charset=klingon' }, 'hello'),
    '250',
    ['hello'],
  ],
  [
    'HTML with 100,000 nested tags',
    () => mailText({ 'Content-Type': 'text/html' }, `hello ${'<div>'.repeat(100_000)}deep`),
    '250',
    [expect.stringMatching(/^hello/)],
  ],
  [
    '10 MiB of HTML',
    () => mailText({ 'Content-Type': 'text/html' }, '<b>x</b>'.repeat(largestBody / 8)),
    '250',
    [expect.stringMatching(/^x{9000,}/)],
  ],
  [
    'a subject with more headers in it',
    () =>
      mailText(
        { Subject: '=?utf-8?q?Re=0D=0AAuto-Submitted:_auto-replied=0D=0A=0D=0Ano?=' },
        'hello',
      ),
    '250',
    ['hello'],
  ],
  [
    'a file whose name goes on with lines',
    () =>
      multipart(mixed, [
        'Content-Disposition: attachment; filename="=?utf-8?q?a=0D=0A=0D=0A@**all**_[x](http://evil.example).png?="\r\n\r\nhello',
      ]),
    '250',
    [
      expect.stringMatching(
        /^\[a_@_all_ _x_\(http:\/\/evil\.example\)\.png\]\(\/user_uploads\/\S+\)$/,
      ),
    ],
  ],
  [
    '5 MB quoted below',
    () =>
      mailText({}, `Yes\r\n\r\nOn 26 Nov 2026 Parley wrote:\r\n${mark}${quotedLines(5_000_000)}`),
    '250',
    ['Yes'],
  ],
  [
    '5 MB quoted above',
    () => mailText({}, `On 26 Nov 2026 Parley wrote:\r\n${mark}${quotedLines(5_000_000)}\r\nYes`),
    nothing,
    [],
  ],
])('%s', async (_what, mail, answer, texts) => {
  expect(await handIn(mail())).toBe(answer);
  expect(await textsOfBob()).toEqual(texts);
  expect(await goesOn()).toBe(true);
});

/** A client of LMTP that says what it likes. */
class RawClient implements Disposable {
  readonly #socket: Socket;
  #answers = '';

  constructor() {
    this.#socket = connect(port, '127.0.0.1').setEncoding('latin1');
    this.#socket.on('data', (text: string) => {
      this.#answers += text;
    });
    this.#socket.on('error', () => undefined);
  }

  async until(answer: string): Promise<void> {
    await waitUntil(`${answer} comes`, () => Promise.resolve(this.#answers.includes(answer)));
  }

  async say(text: string, answer: string): Promise<void> {
    this.#answers = '';
    this.#socket.write(text);
    await this.until(answer);
  }

  /** @returns all that is answered until the connection ends */
  async sayLast(text: string): Promise<string> {
    this.#socket.write(text);
    await waitUntil('the connection ends', () => Promise.resolve(this.#socket.readableEnded));
    return this.#answers;
  }

  /** Begins a mail to an address. */
  async begin(address: string): Promise<void> {
    await this.until('220 ');
    await this.say('LHLO home.example\r\n', '250 ');
    await this.say('MAIL FROM:<bob@home.example>\r\n', '250 ');
    await this.say(`RCPT TO:<${address}>\r\n`, '250 ');
    await this.say('DATA\r\n', '354 ');
  }

  /** Ends what it says, as the kernel does for a client that is killed. */
  end(text: string): void {
    this.#socket.end(text);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

describe('a client', () => {
  test('that breaks off in the middle of a mail has posted nothing', async () => {
    const failed = await countAnswers(cluster.findProcesses('messages'), 'failed');
    using client = new RawClient();
    await client.begin(await write());
    client.end('Subject: x\r\n\r\nHalf of it');
    await waitUntil('the mail has failed', async () => {
      return (await countAnswers(cluster.findProcesses('messages'), 'failed')) > failed;
    });
    expect(await textsOfBob()).toEqual([]);
    expect(await goesOn()).toBe(true);
  });

  test('that names a thousand recipients reaches ten', async () => {
    const known = await Promise.all(Array.from({ length: recipientsMax + 2 }, () => write()));
    const unknown = Array.from({ length: 988 }, (_, n) => `reply+${n}@chat.example`);
    const answers = await relay(mailText({}, 'To all'), [...unknown, ...known]);
    const codes = answers.map((answer) => answer.slice(0, 3));
    expect(codes).toEqual([
      ...unknown.map(() => '550'),
      ...Array.from({ length: recipientsMax }, () => '250'),
      '452',
      '452',
    ]);
    expect(await textsOfBob()).toEqual(Array.from({ length: recipientsMax }, () => 'To all'));
  });

  test('that finds all connections taken is to come again', async () => {
    using all = new DisposableStack();
    const held = Array.from({ length: connectionsMax }, () => all.use(new RawClient()));
    for (const client of held) await client.until('220 ');
    const address = await write();
    using late = new RawClient();
    await late.until('421 ');
    held[0]?.[Symbol.dispose]();
    await waitUntil('there is room again', async () => {
      const answers = await relay(mailText({}, 'Later'), [address]).catch(() => []);
      return answers[0] === '250';
    });
    expect(await textsOfBob()).toEqual(['Later']);
  });

  test.each([
    ['speaks HTTP', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', '421 HTTP requests not allowed'],
    ['ends no command', 'LHLO '.padEnd(mib, 'x'), '421 Error: Command line too long'],
    ['says nothing that is a command', 'x\r\n'.repeat(20), '421 Error: too many unrecognized'],
    ['logs in', 'AUTH PLAIN x\r\nQUIT\r\n', '500 '],
  ])('that %s is told what is wrong', async (_what, text, answer) => {
    using client = new RawClient();
    await client.until('220 ');
    expect(await client.sayLast(text)).toContain(answer);
    expect(await goesOn()).toBe(true);
  });
});
