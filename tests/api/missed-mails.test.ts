/** Mails about messages that people have not read while they were away: who gets which, judged when it is sent; on a real SMTP server. */
import type { Pool } from '@parley/database';
import { listMails } from '@parley/store';
import { makeOrganization, openTestPool, settle, startLocalCluster } from '@parley/test-kit';
import type { Cluster, Parameters, TestAccount, TestOrganization } from '@parley/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { MailServer, headerOf, smtpRefusal } from '../support/mail-server.ts';
import {
  becomeActive,
  changeBeforeNotification,
  changesBeforeNotification,
  concerning,
  letTimeForMailsCome,
} from '../support/notifications.ts';

const topic = 'fire';
/** So long after a report a person counts as active. */
const untilAwayMs = 140_000;

let server: MailServer;
let cluster: Cluster;
let organization: TestOrganization;
let pool: Pool;
let ann: TestAccount;
let bob: TestAccount;
let streamId: number;
let made = 0;

beforeAll(async () => {
  server = await MailServer.start();
  cluster = await startLocalCluster({
    people: 2,
    environment: {
      ...server.settings,
      PARLEY_PUBLIC_URL: 'https://chat.example',
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
/** Each test has people and a private stream of its own. */
beforeEach(async () => {
  server.atStep = () => undefined;
  made += 1;
  ann = await organization.makeAccount(`Ann${made} Lee`, { role: 'administrator' });
  bob = await organization.makeAccount(`Bob${made} Ray`);
  const stream = await organization.makeStream(`kiln${made}`, [ann, bob], { inviteOnly: true });
  streamId = stream.id;
});

async function send(from: TestAccount, message: Parameters): Promise<number> {
  const { id } = await from.client.post('messages', message);
  return Number(id);
}

function write(content: string): Promise<number> {
  return send(ann, { type: 'private', to: [bob.id], content });
}

function say(content: string, where = topic): Promise<number> {
  return send(ann, { type: 'stream', to: streamId, topic: where, content });
}

/** Lets the time come for all mails, after which nothing is left to decide, and no mail to send. */
async function sendMails(): Promise<void> {
  await decideAndTry();
  const { rows } = await pool.query(
    'SELECT user_id FROM messages_to_mail UNION ALL SELECT id FROM mails WHERE failed_at IS NULL',
  );
  expect(rows).toEqual([]);
}

/** Lets the time come for all mails, and tries to send those that are written. */
async function decideAndTry(): Promise<void> {
  await settle();
  await letTimeForMailsCome(pool);
  await settle();
}

function refuse(): void {
  server.atStep = (step) => {
    if (step === 'sender') throw smtpRefusal(451, 'later');
  };
}

/** Lets the server refuse a mail to each. */
async function beRefused(readers: readonly TestAccount[]): Promise<void> {
  await decideAndTry();
  const refused = (await listMails(pool, 100))
    .filter(({ lastError }) => lastError !== null)
    .map(({ recipient }) => recipient);
  expect(refused).toEqual(expect.arrayContaining(readers.map(({ email }) => email)));
}

/** Lets the server take mails again, and tries all of them now. */
async function goOn(): Promise<void> {
  server.atStep = () => undefined;
  await pool.query('UPDATE mails SET due_at = parley_now() WHERE claimed_until < parley_now()');
  await sendMails();
}

/** The text parts, as a reader sees them, without the characters that keep mail programs from making links. */
function mailsTo(account: TestAccount): { subject: string; text: string; raw: string }[] {
  return server.mails
    .filter(({ to }) => to.includes(account.email))
    .map((mail) => {
      const [, part = ''] = /text\/plain[\s\S]*?\r\n\r\n([\s\S]*?)\r\n----_/.exec(mail.raw) ?? [];
      const isBase64 = /text\/plain[^\r\n]*\r\nContent-Transfer-Encoding: base64/.test(mail.raw);
      const bytes = isBase64
        ? Buffer.from(part, 'base64')
        : Buffer.from(
            part
              .replaceAll('=\r\n', '')
              .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) =>
                String.fromCodePoint(Number.parseInt(code, 16)),
              ),
            'latin1',
          );
      return {
        subject: headerOf(mail, 'subject') ?? '',
        text: bytes.toString('utf8').replaceAll('\u{2060}', '').replaceAll('\r\n', '\n'),
        raw: mail.raw,
      };
    });
}

function mailsOf(readers: ReadonlyMap<string, TestAccount>, what: string): readonly string[] {
  const reader = readers.get(what);
  if (reader === undefined) throw new Error(`nobody's message was ${what}`);
  return textsTo(reader);
}

function textsTo(account: TestAccount): string[] {
  return mailsTo(account).map(({ text }) => text);
}

test('who is away gets one mail for each conversation, with what is unread there', async () => {
  await write('The kiln is **hot** now');
  const last = await write('and empty');
  await say(`@**${bob.user.fullName}** come`);
  await sendMails();
  const texts = textsTo(bob);
  expect(texts).toHaveLength(2);
  const first = texts.find((text) => text.includes('pm-with'));
  const second = texts.find((text) => text !== first);
  expect(first).toContain(`“${ann.user.fullName}”: “The kiln is hot now”\n\n`);
  expect(first).toContain(`“${ann.user.fullName}”: “and empty”\n\n`);
  expect(first).toContain(`https://chat.example/#narrow/pm-with/`);
  expect(first).toContain(`-pm/near/${last - 1}`);
  expect(first).toContain('https://chat.example/#settings/notifications');
  expect(second).toContain(`/topic/fire/near/`);
  expect(textsTo(ann)).toEqual([]);
  const [mail] = mailsTo(bob);
  expect(mail?.raw).toContain('List-Unsubscribe: <https://chat.example/#settings/notifications>');
});

test('a mail is written once, whichever of two processes decides', async () => {
  const people = await organization.makeAccounts(
    Array.from({ length: 30 }, (_, n) => `Many${made} ${'abcdefghij'[n % 10]}${n}`),
  );
  await Promise.all(
    people.map((person) => send(ann, { type: 'private', to: [person.id], content: 'hello' })),
  );
  await sendMails();
  expect(people.map((person) => textsTo(person).length)).toEqual(people.map(() => 1));
});

describe('who gets a mail about what changed before that was decided', () => {
  let readers: ReadonlyMap<string, TestAccount>;
  beforeAll(async () => {
    readers = await changeBeforeNotification(organization, { untilDue: settle });
    await sendMails();
  });

  test.each(changesBeforeNotification)('%s', (what) => {
    expect(mailsOf(readers, what)).toHaveLength(what === 'unchanged' ? 1 : 0);
  });
});

describe('who gets a mail of what changed while it waited for its server', () => {
  let readers: ReadonlyMap<string, TestAccount>;
  beforeAll(async () => {
    refuse();
    readers = await changeBeforeNotification(organization, { untilDue: beRefused });
    await goOn();
  });

  test.each(changesBeforeNotification)('%s', (what) => {
    expect(mailsOf(readers, what)).toHaveLength(what === 'unchanged' ? 1 : 0);
  });
});

describe('nobody gets a mail', () => {
  test('who wants no mails any longer', async () => {
    await say(concerning.byName(bob));
    await bob.client.patch('settings/notifications', { enable_offline_email_notifications: false });
    await sendMails();
    expect(textsTo(bob)).toEqual([]);
  });

  test('of messages that do not concern the person', async () => {
    await bob.client.post('users/me/alert_words', { alert_words: ['glaze'] });
    await say('the glaze is here');
    await bob.client.patch('users/me/subscriptions/muted_topics', {
      stream_id: streamId,
      topic: 'noise',
      op: 'add',
    });
    await say('@**all** listen', 'noise');
    await sendMails();
    expect(textsTo(bob)).toEqual([]);
  });
});

test('messages of a stream are mailed where the person asked for them', async () => {
  await bob.client.post('users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: streamId, property: 'email_notifications', value: true }],
  });
  await say('plain words');
  await sendMails();
  expect(textsTo(bob)).toEqual([expect.stringContaining('plain words')]);
});

test('everybody gets a mail about a mention of all, and who asked for it about every stream', async () => {
  const cat = await organization.makeAccount(`Cat${made} Moe`);
  await cat.client.patch('settings/notifications', { enable_stream_email_notifications: true });
  const { id: to } = await organization.makeStream(`glaze${made}`, [ann, bob, cat]);
  await send(ann, { type: 'stream', to, topic: 'one', content: 'plain words' });
  await send(ann, { type: 'stream', to, topic: 'two', content: '@**all** hot words' });
  await sendMails();
  expect(textsTo(bob)).toEqual([expect.stringContaining('hot words')]);
  expect(textsTo(cat)).toHaveLength(2);
});

test('who is mentioned by an edit gets a mail, and who was mentioned before or is no longer gets none', async () => {
  const [cat, dan, eve] = await organization.makeAccounts(
    ['Cat', 'Dan', 'Eve'].map((name) => `${name}${made} Moe`),
  );
  if (!cat || !dan || !eve) throw new Error('three accounts are made');
  const { name } = await organization.makeStream(`raku${made}`, [ann, bob, cat, dan, eve]);
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO user_groups (name, description) VALUES ('crew${made}', '') RETURNING id`,
  );
  await pool.query({
    text: 'INSERT INTO user_group_members (group_id, user_id) VALUES ($1, $2), ($1, $3)',
    values: [rows[0]?.id, bob.id, dan.id],
  });
  const id = await send(ann, { type: 'stream', to: name, topic, content: concerning.byName(bob) });
  const edit = async (content: string): Promise<void> => {
    await ann.client.patch(`messages/${id}`, { content });
    await sendMails();
  };
  const told = (): string[] =>
    [ann, bob, cat, dan, eve].flatMap((who) => textsTo(who).map(() => who.user.fullName));
  await sendMails();
  await edit(`${concerning.byName(bob)}, ${concerning.byName(cat)}`);
  expect(told()).toEqual([bob, cat].map(({ user }) => user.fullName));
  await edit(`${concerning.byName(cat)}, @*crew${made}*`);
  expect(told()).toEqual([bob, cat, dan].map(({ user }) => user.fullName));
  await ann.client.patch(`messages/${id}`, { content: concerning.byName(eve) });
  await edit('nobody');
  expect(textsTo(eve)).toEqual([]);
  await edit(concerning.withAll());
  expect(textsTo(eve)).toHaveLength(1);
  expect(textsTo(ann)).toEqual([]);
});

test('who got a mail gets none for a stronger mention that an edit adds, and who got none gets one', async () => {
  const settings = async (who: TestAccount, changed: Parameters): Promise<unknown> =>
    who.client.patch('settings/notifications', changed);
  const property = async (who: TestAccount, name: string, value: boolean): Promise<unknown> =>
    who.client.post('users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: streamId, property: name, value }],
    });
  const muteTopic = async (who: TestAccount): Promise<unknown> =>
    who.client.patch('users/me/subscriptions/muted_topics', {
      stream_id: streamId,
      topic,
      op: 'add',
    });
  const preparations: readonly ((who: TestAccount) => Promise<unknown>)[] = [
    async () => undefined,
    (who) => property(who, 'is_muted', true),
    muteTopic,
    (who) => settings(who, { wildcard_mentions_notify: false }),
    (who) => property(who, 'wildcard_mentions_notify', false),
    async (who) => {
      await settings(who, { wildcard_mentions_notify: false });
      await property(who, 'wildcard_mentions_notify', true);
    },
    (who) => property(who, 'email_notifications', true),
    (who) => settings(who, { enable_stream_email_notifications: true }),
    async (who) => {
      await settings(who, { enable_stream_email_notifications: true });
      await property(who, 'email_notifications', false);
    },
    async (who) => {
      await property(who, 'email_notifications', true);
      await muteTopic(who);
    },
  ];
  const readers = await organization.makeAccounts(preparations.map((_, n) => `Reader${made} ${n}`));
  ({ id: streamId } = await organization.makeStream(`raku${made}`, [ann, ...readers]));
  for (const [n, prepare] of preparations.entries()) {
    const reader = readers[n];
    if (reader !== undefined) await prepare(reader);
  }
  const mailed = (): number[] => readers.map((who) => textsTo(who).length);
  const [toAll, plain] = [await say('@**all** come'), await say('plain')];
  await sendMails();
  // Both in one mail, because they are of one conversation.
  expect(mailed()).toEqual([1, 0, 0, 0, 0, 1, 1, 1, 1, 0]);
  const words = readers.map(concerning.byName).join(' ');
  await ann.client.patch(`messages/${toAll}`, { content: words });
  await sendMails();
  expect(mailed()).toEqual(readers.map(() => 1));
  await ann.client.patch(`messages/${plain}`, { content: `@**all** ${words}` });
  await sendMails();
  expect(mailed()).toEqual([2, 2, 2, 2, 2, 2, 1, 1, 2, 2]);
  await ann.client.patch(`messages/${plain}`, { content: `@**all** ${words} again` });
  await sendMails();
  expect(mailed()).toEqual([2, 2, 2, 2, 2, 2, 1, 1, 2, 2]);
});

test('who is active gets a mail after that, and not about what was read meanwhile', async () => {
  await becomeActive(bob);
  const id = await write('first');
  await write('second');
  await decideAndTry();
  await bob.client.flag([id], 'read');
  await cluster.advance(untilAwayMs - 1);
  expect(textsTo(bob)).toEqual([]);
  await cluster.advance(1);
  expect(textsTo(bob)).toEqual([expect.stringContaining('second')]);
  expect(textsTo(bob)[0]).not.toContain('first');
});

test.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
  [
    'the person',
    () =>
      bob.client.patch('settings/notifications', { message_content_in_email_notifications: false }),
    async () => undefined,
  ],
  [
    'the organization',
    () => ann.client.patch('realm', { message_content_allowed_in_email_notifications: false }),
    () => ann.client.patch('realm', { message_content_allowed_in_email_notifications: true }),
  ],
])('names and words are left out if %s wants that', async (_who, hide, show) => {
  await hide();
  await write('secret words');
  await say(`@**${bob.user.fullName}** come`, 'secret topic');
  await sendMails();
  await show();
  const mails = mailsTo(bob);
  expect(mails).toHaveLength(2);
  for (const { subject, text } of mails) {
    expect(subject).toBe('New messages');
    expect(text).toContain('You have one new message in');
    expect(text).not.toMatch(/secret|kiln|Ann\d|#narrow/);
  }
});

describe('a mail that waits for its server', () => {
  async function sayInVain(content: string): Promise<number> {
    refuse();
    const id = await say(content);
    await beRefused([bob]);
    return id;
  }

  test('goes when it works again', async () => {
    await sayInVain(concerning.byName(bob));
    await goOn();
    expect(textsTo(bob)).toEqual([expect.stringContaining('come')]);
  });

  test('is written anew if its message was edited, moved, or its words are not to be shown', async () => {
    const id = await sayInVain(concerning.byName(bob));
    await ann.client.patch(`messages/${id}`, {
      content: `@**${bob.user.fullName}** right words`,
      topic: 'elsewhere',
    });
    await goOn();
    expect(textsTo(bob)).toEqual([expect.stringContaining('right words')]);
    expect(textsTo(bob)[0]).toMatch(/topic\/elsewhere\//);
    expect(textsTo(bob)[0]).not.toMatch(/come|fire/);
  });
});
