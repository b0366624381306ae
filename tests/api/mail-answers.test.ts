/** Answers by mail: what a person writes in answer to a mail about messages is posted, with the rights of that moment (decision 0055). */
import type { Pool } from '@parley/database';
import { makeOrganization, openTestPool, settle, startLocalCluster } from '@parley/test-kit';
import type { Cluster, Parameters, TestAccount, TestOrganization } from '@parley/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import {
  answerAddressOf,
  answerAddressPattern,
  countAnswers,
  lmtpPortOf,
} from '../support/answers-by-mail.ts';
import { postFreshly } from '../support/browser.ts';
import { MailServer, headerOf } from '../support/mail-server.ts';
import type { ReceivedMail } from '../support/mail-server.ts';
import { handOver, mailText } from '../support/relay.ts';
import { letTimeForMailsCome } from '../support/notifications.ts';

let server: MailServer;
let cluster: Cluster;
let organization: TestOrganization;
let pool: Pool;
let ann: TestAccount;
let bob: TestAccount;
let streamId: number;
let made = 0;

const requestsMax = 6;

beforeAll(async () => {
  server = await MailServer.start();
  cluster = await startLocalCluster({
    messages: 2,
    environment: {
      ...server.settings,
      PARLEY_MAIL_REPLY_ADDRESS: answerAddressPattern,
      PARLEY_PUBLIC_URL: 'https://chat.example',
      PARLEY_LOG_LEVEL: 'debug',
    },
    serviceEnvironment: {
      messages: {
        PARLEY_LMTP_PORT: '0',
        PARLEY_RATE_LIMITS: `60:${requestsMax}`,
        PARLEY_MAX_UPLOAD_MIB: '1',
      },
    },
  });
  organization = await makeOrganization(cluster);
  pool = openTestPool(cluster.settings.databaseUrl);
});
afterAll(async () => {
  await pool?.end();
  await organization?.close();
  await cluster?.stop();
  await server?.stop();
});
beforeEach(async () => {
  made += 1;
  ann = await organization.makeAccount(`Ann${made} Lee`, { role: 'administrator' });
  bob = await organization.makeAccount(`Bob${made} Ray`);
  const stream = await organization.makeStream(`kiln${made}`, [ann, bob], { inviteOnly: true });
  streamId = stream.id;
});

/** The port for LMTP of a replica of messages. */
function portOf(replica = 0): number {
  return lmtpPortOf(cluster.getProcess('messages', replica));
}

async function send(from: TestAccount, message: Parameters): Promise<number> {
  const { id } = await from.client.post('messages', message);
  return Number(id);
}

/** @returns the mail about the messages that somebody has not read, as if the time for it had come */
async function mailTo(account: TestAccount): Promise<ReceivedMail> {
  await settle();
  await letTimeForMailsCome(pool);
  await settle();
  const mail = server.mails.findLast(({ to }) => to.includes(account.email));
  if (mail === undefined) throw new Error(`no mail to ${account.email}`);
  return mail;
}

/** The address by which Bob answers a message, as a mail about it would have it. */
function addressFor(messageId: number): Promise<string> {
  return answerAddressOf(pool, cluster.settings.keySecret, bob, messageId);
}

type Said = { readonly id: number; readonly address: string };

/** Says something to Bob in a stream. */
async function call(): Promise<Said> {
  const id = await send(ann, {
    type: 'stream',
    to: streamId,
    topic: 'fire',
    content: `@**${bob.user.fullName}** come`,
  });
  return { id, address: await addressFor(id) };
}

/** Writes to Bob. */
async function write(): Promise<Said> {
  const id = await send(ann, { type: 'private', to: [bob.id], content: 'The kiln is hot' });
  return { id, address: await addressFor(id) };
}

async function answer(
  address: string | readonly string[],
  body: string,
  headers: Readonly<Record<string, string>> = {},
  { from = 'bob@home.example', replica = 0 } = {},
): Promise<string> {
  const answers = await handOver(
    portOf(replica),
    { from, to: [address].flat() },
    mailText(headers, body),
  );
  return answers.join('; ');
}

type Shown = {
  readonly content: string;
  readonly client: string;
  readonly subject: string;
  readonly flags: string[];
};

/** What Bob has written, as somebody sees it. */
async function messagesOfBob(reader = ann): Promise<Shown[]> {
  const { messages } = await reader.client.get('messages', {
    anchor: 'newest',
    num_before: 50,
    num_after: 0,
    apply_markdown: false,
    narrow: [{ operator: 'sender', operand: bob.email }],
  });
  return messages as Shown[];
}

function textsOfBob(): Promise<string[]> {
  return messagesOfBob().then((messages) => messages.map(({ content }) => content));
}

function countOf(outcome: string): Promise<number> {
  return countAnswers(cluster.findProcesses('messages'), outcome);
}

test('what is written above the mail is posted where its message is, and everybody learns of it', async () => {
  const { address } = await write();
  const mail = await mailTo(bob);
  expect(mail.raw).toContain('Write your answer above this line.');
  expect(headerOf(mail, 'reply-to')).toBe(`Parley <${address}>`);
  const queue = await ann.client.post('register', {
    event_types: ['message'],
    apply_markdown: true,
  });
  const quoted = [
    'On 26 Nov 2026 Parley <parley@chat.example> wrote:',
    '> Write your answer above this line.',
    '> “Ann”: “The kiln is hot”',
  ];
  expect(await answer(address, ['I *come*.', '', ...quoted, '', '-- ', 'Bob'].join('\r\n'))).toBe(
    '250',
  );
  const { events } = await ann.client.get('events', {
    queue_id: queue['queue_id'] as string,
    last_event_id: -1,
  });
  expect(events).toMatchObject([
    {
      type: 'message',
      message: { content: '<p>I <em>come</em>.</p>', sender_id: bob.id, client: 'mail' },
    },
  ]);
  const [own] = await messagesOfBob(bob);
  expect(own).toMatchObject({ content: 'I *come*.', flags: ['read'] });
});

test('an answer goes to where the message is by then', async () => {
  const { id, address } = await call();
  await ann.client.patch(`messages/${id}`, { topic: 'water' });
  expect(await answer(address.toUpperCase(), 'Coming')).toBe('250');
  expect(await messagesOfBob()).toMatchObject([{ content: 'Coming', subject: 'water' }]);
});

test('HTML becomes text, and files come along as far as they may', async () => {
  const { address } = await write();
  const file = (name: string, bytes: Buffer): string[] => [
    '--mixed',
    `Content-Type: application/octet-stream; name="${name}"`,
    `Content-Disposition: attachment; filename="${name}"`,
    'Content-Transfer-Encoding: base64',
    '',
    bytes.toString('base64'),
  ];
  const picture = Buffer.from('89504e470d0a1a0a00', 'hex');
  const body = [
    '--mixed',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<h2>Look<br>here</h2><blockquote>Write your answer above this line.<p>The kiln</p></blockquote>',
    ...file('a]b [@**all**\t.png', picture),
    ...file('large.bin', Buffer.alloc(1024 * 1024 + 1)),
    '--mixed--',
    '',
  ].join('\r\n');
  expect(await answer(address, body, { 'Content-Type': 'multipart/mixed; boundary=mixed' })).toBe(
    '250',
  );
  const [content = ''] = await textsOfBob();
  const [, path] =
    /^Look\nhere\n\n\[a_b _@_all_\.png\]\((\/user_uploads\/\S+)\)\n\(one file left out\)$/.exec(
      content,
    ) ?? [];
  const response = await fetch(`${cluster.url}${path ?? ''}`, {
    headers: ann.client.credentials,
  });
  expect(Buffer.from(await response.arrayBuffer())).toEqual(picture);
});

test('a mail that is handed over again, to any replica, is posted once', async () => {
  const { address } = await write();
  const repeated = await countOf('repeated');
  const headers = { 'Message-ID': '<again@home.example>' };
  expect(await answer(address, 'Once', headers)).toBe('250');
  expect(await answer(address, 'Once, by way of a list', headers, { replica: 1 })).toBe('250');
  expect(await answer(address, 'Twice')).toBe('250');
  expect(await textsOfBob()).toEqual(['Once', 'Twice']);
  expect(await countOf('repeated')).toBe(repeated + 1);
});

test('mails with an empty id are different mails', async () => {
  const { address } = await write();
  for (const text of ['One', 'Two'])
    expect(await answer(address, text, { 'Message-ID': '<>' })).toBe('250');
  expect(await textsOfBob()).toEqual(['One', 'Two']);
});

test('one mail to several addresses has an answer for each', async () => {
  const { address } = await write();
  const { address: other } = await call();
  const unknown = `reply+${'a'.repeat(42)}@chat.example`;
  expect(await answer([address, unknown, other], 'To all')).toMatch(/^250; 550 5\.1\.1 .*; 250$/);
  expect(await textsOfBob()).toEqual(['To all', 'To all']);
});

test('an address that is named twice is refused the second time, so that there is an answer for each that was taken', async () => {
  const { address } = await write();
  expect(await answer([address, address.toUpperCase()], 'Once')).toMatch(/^250; 452 4\.5\.3 /);
  expect(await textsOfBob()).toEqual(['Once']);
});

describe('nothing is posted, and nobody is told,', () => {
  test.each<[string, Record<string, string>, string?]>([
    ['of an automatic answer', { 'Auto-Submitted': 'auto-replied; reason=vacation' }],
    ['of an old automatic answer', { Precedence: 'bulk' }],
    ['of another one', { 'X-Autoreply': 'yes' }],
    ['of a mailing list', { 'List-Id': '<kiln.lists.example>' }],
    ['of a bounce', { 'Content-Type': 'multipart/report; boundary=x' }],
    ['of what nobody sent', {}, ''],
  ])('%s', async (_what, headers, from = 'bob@home.example') => {
    const { address } = await write();
    const dropped = await countOf('automatic');
    expect(await answer(address, 'I am away', headers, { from })).toBe('250');
    expect(await textsOfBob()).toEqual([]);
    expect(await countOf('automatic')).toBe(dropped + 1);
  });

  test('but what only asks for no automatic answer is posted', async () => {
    const { address } = await write();
    const headers = { 'Auto-Submitted': 'no', 'X-Auto-Response-Suppress': 'All' };
    expect(await answer(address, 'Here', headers)).toBe('250');
    expect(await textsOfBob()).toEqual(['Here']);
  });
});

describe('an answer is refused for good', () => {
  test.each<[string, string, (id: number) => Promise<unknown>]>([
    ['of who is deactivated', '5.1.1', () => ann.client.delete(`users/${bob.id}`)],
    [
      'of who has another password',
      '5.1.1',
      () => pool.query(`UPDATE users SET password_hash = 'other' WHERE id = ${bob.id}`),
    ],
    [
      'of who has another key',
      '5.1.1',
      async () => {
        await postFreshly(cluster.url, bob.email, 'users/me/api_key/regenerate');
      },
    ],
    [
      'of who has another address',
      '5.1.1',
      () =>
        pool.query(
          `UPDATE users SET delivery_email = 'x${bob.id}@home.example', delivery_email_folded = 'x${bob.id}@home.example' WHERE id = ${bob.id}`,
        ),
    ],
    ['to a message that was deleted', '5.7.1', (id) => ann.client.delete(`messages/${id}`)],
    [
      'to an old message',
      '5.7.1 The message is older than 30 days',
      (id) =>
        pool.query(
          `UPDATE messages SET sent_at = parley_now() - interval '31 days' WHERE id = ${id}`,
        ),
    ],
    ['of who left the stream', '5.7.1', () => bob.client.unsubscribe(`kiln${made}`)],
    ['in a stream that ended', '5.7.1', () => ann.client.delete(`streams/${streamId}`)],
    [
      'in a stream where only administrators write',
      '5.7.1 Only organization administrators can send to this stream.',
      () => ann.client.patch(`streams/${streamId}`, { is_announcement_only: true }),
    ],
  ])('%s', async (_who, reason, change) => {
    const { id, address } = await call();
    await change(id);
    const refused = await countOf('refused');
    expect(await answer(address, 'Let me in')).toContain(`550 ${reason}`);
    expect(await countOf('refused')).toBe(refused + 1);
    const { rows } = await pool.query(`SELECT 1 FROM messages WHERE sender_id = ${bob.id}`);
    expect(rows).toEqual([]);
  });

  test.each<[string, (publicId: number) => Promise<unknown>]>([
    [
      'that is private by now',
      (publicId) => ann.client.patch(`streams/${publicId}`, { is_private: true }),
    ],
    [
      'when its writer is a guest by now',
      () => ann.client.patch(`users/${bob.id}`, { is_guest: true }),
    ],
  ])('in a stream without its writer, %s', async (_what, change) => {
    const { id: publicId } = await organization.makeStream(`yard${made}`, [ann]);
    const content = `@**${bob.user.fullName}** come`;
    const id = await send(ann, { type: 'stream', to: publicId, topic: 'fire', content });
    const address = await addressFor(id);
    expect(await answer(address, 'Before')).toBe('250');
    await change(publicId);
    expect(await answer(address, 'After')).toContain('550 5.7.1');
    expect(await textsOfBob()).toEqual(['Before']);
  });

  test('with nothing in it', async () => {
    const { address } = await write();
    const quoted = 'On 1 Nov Parley wrote:\r\n> Write your answer above this line.\r\n> hot';
    expect(await answer(address, quoted)).toContain('550 5.6.0');
    expect(await textsOfBob()).toEqual([]);
  });

  test('by an address that was changed in one character', async () => {
    const { address } = await write();
    const changed = address.replace(/.(?=@)/, (last) => (last === 'a' ? 'b' : 'a'));
    const middle = address.replace(/(?<=\+.{20})./, (one) => (one === 'a' ? 'b' : 'a'));
    for (const wrong of [changed, middle, 'parley@chat.example', 'reply+@chat.example'])
      expect(await answer(wrong, 'Let me in')).toContain('550 5.1.1');
  });

  test('by an address put together from two', async () => {
    const [{ address: one }, { address: other }] = [await write(), await write()];
    const annsOwn = await answerAddressOf(
      pool,
      cluster.settings.keySecret,
      ann,
      await send(bob, { type: 'private', to: [ann.id], content: 'Hot?' }),
    );
    // Sixteen characters are the ids; the signature follows.
    const named = 'reply+'.length + 16;
    for (const from of [other, annsOwn])
      expect(await answer(one.slice(0, named) + from.slice(named), 'Let me in')).toContain(
        '550 5.1.1',
      );
  });

  test('if it is larger than was announced', async () => {
    const { address } = await write();
    expect(await answer(address, `${'x'.repeat(998)}\r\n`.repeat(10_600))).toContain('552');
    expect(await textsOfBob()).toEqual([]);
  });
});

test('a person sends so many in a minute, and the relay comes again with the rest', async () => {
  const { address } = await write();
  const answers: string[] = [];
  for (let n = 0; n <= requestsMax; n += 1) answers.push(await answer(address, `Number ${n}`));
  expect(answers.slice(0, requestsMax)).toEqual(Array.from({ length: requestsMax }, () => '250'));
  expect(answers.at(-1)).toContain('451 4.7.1');
  expect(await textsOfBob()).toHaveLength(requestsMax);
});

test('mails without names and words are not answered', async () => {
  await bob.client.patch('settings/notifications', {
    message_content_in_email_notifications: false,
  });
  await send(ann, { type: 'private', to: [bob.id], content: 'The kiln is hot' });
  const mail = await mailTo(bob);
  expect(headerOf(mail, 'reply-to')).toBeUndefined();
  expect(mail.raw).not.toContain('Write your answer');
  expect(mail.raw).toContain('does not reach');
});

test('no address is in a log or a row', async () => {
  const { address } = await write();
  await answer(address, 'Yes');
  await answer(address.replace(/.(?=@)/, '1'), 'No');
  const token = address.slice('reply+'.length, address.indexOf('@'));
  const output = ['messages', 'people', 'gateway'].flatMap((service) =>
    cluster.findProcesses(service as 'messages').flatMap((each) => each.output),
  );
  expect(output.filter((line) => line.includes(token.slice(0, 16)))).toEqual([]);
  const { rows } = await pool.query<{ text: string }>(`SELECT mails::text AS text FROM mails`);
  expect(rows.filter(({ text }) => text.includes(token))).toEqual([]);
});
