/** The notification bot's messages about subscriptions, streams and new people (reference facts, streams 5.2 and 8.1, events 18). */
import type { LogEntry } from '@parley/event-log';
import { setRealmNotificationStreams } from '@parley/store';
import { settle } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { environmentOf, parley } from '../support/run-parley.ts';
import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages } from './message-fixture.ts';
import type { Message } from './message-fixture.ts';
import { StreamFixture } from './stream-fixture.ts';

const all = useFixture(() => StreamFixture.start(undefined, { people: 1, messages: 2 }));

async function inStream(
  who: TestAccount,
  stream: string,
  count: number,
): Promise<readonly Message[]> {
  await settle();
  const { messages } = await fetchMessages(who, { narrow: [['stream', stream]] });
  expect(messages.length).toBeGreaterThanOrEqual(count);
  return messages;
}

async function toOneself(who: TestAccount): Promise<readonly Message[]> {
  return (await fetchMessages(who, { narrow: [['is', 'private']] })).messages;
}

test('a new stream gets one message, read for its creator and unread for others', async () => {
  const { bob, cat } = all.people;
  await all.join('bob', ['fresh'], { principals: ['bob@example.com', 'cat@example.com'] });
  const [notice, ...more] = await inStream(bob, 'fresh', 1);
  expect(more).toEqual([]);
  expect(notice).toMatchObject({
    subject: 'stream events',
    content: `Stream created by @_**Bob Ray|${bob.id}**.`,
    client: 'Internal',
    sender_full_name: 'Notification Bot',
    flags: ['read'],
  });
  expect(notice?.['sender_email']).toMatch(/^notification-bot@/);
  expect((await inStream(cat, 'fresh', 1))[0]).toMatchObject({ id: notice?.id, flags: [] });
  expect((await all.stream('fresh'))?.['first_message_id']).toBe(notice?.id);
  await settle();
  // A user who is subscribed to a new stream learns of it there.
  expect(await toOneself(cat)).toEqual([]);
});

test('the first message exists when the request is answered, and its event follows those of the stream', async () => {
  const { bob, cat } = all.people;
  await all.queues.read();
  for (let round = 0; round < 10; round += 1) {
    const name = `at once ${round}`;
    await all.join('bob', [name], { principals: [bob.email, cat.email] });
    const [{ messages }, stream] = await Promise.all([
      fetchMessages(cat, { narrow: [['stream', name]] }),
      all.stream(name),
    ]);
    expect(messages).toMatchObject([
      { content: `Stream created by @_**Bob Ray|${bob.id}**.`, flags: [] },
    ]);
    expect(stream).toMatchObject({ first_message_id: messages[0]?.id });
    const { cat: events } = await all.queues.readWithMessages();
    expect(events).toMatchObject([
      { type: 'stream', op: 'create' },
      { type: 'stream', op: 'occupy' },
      { type: 'subscription', op: 'add', subscriptions: [{ first_message_id: null }] },
      { type: 'message', message: { id: messages[0]?.id } },
    ]);
  }
});

test('in the log first messages follow their change, and in PATCH precede the leaves', async () => {
  const { bob } = all.people;
  await all.join('bob', ['to leave']);
  await bob.client.patch('users/me/subscriptions', {
    add: ['patched 2', 'patched 1', 'left at once'].map((name) => ({ name })),
    delete: ['to leave', 'left at once'],
  });
  const { rows } = await all.all.pool.query<{ payload: string }>(
    'SELECT payload FROM log_entries ORDER BY position DESC LIMIT 5',
  );
  const kinds = rows.toReversed().map(({ payload }) => {
    const entry = JSON.parse(payload) as LogEntry;
    if (entry.kind === 'change') return entry.effects.map(({ effect }) => effect);
    return entry.kind === 'message.sent' ? entry.message.display_recipient : entry.kind;
  });
  expect(kinds).toEqual([
    ['joined', 'joined', 'joined'],
    'patched 2',
    'patched 1',
    'left at once',
    ['left', 'left'],
  ]);
});

test('with very many new streams, two hundred have their first message at once and the others soon', async () => {
  const { ann } = all.people;
  const names = Array.from({ length: 203 }, (_, n) => `one of very many ${n}`);
  await all.join('ann', names);
  const countMessages = async (): Promise<{ messages: number; streams: number } | undefined> => {
    const { rows } = await all.all.pool.query<{ messages: number; streams: number }>(
      `SELECT count(*)::int AS messages, count(DISTINCT s.id)::int AS streams
       FROM messages m JOIN streams s ON s.id = m.stream_id WHERE s.name LIKE 'one of very many %'`,
    );
    return rows[0];
  };
  expect((await countMessages())?.messages).toBeGreaterThanOrEqual(200);
  await settle();
  expect(await countMessages()).toEqual({ messages: names.length, streams: names.length });
  const { messages } = await fetchMessages(ann, { narrow: [['stream', 'one of very many 202']] });
  expect(messages).toMatchObject([{ subject: 'stream events', flags: ['read'] }]);
});

test('a user who is subscribed and unsubscribed in one request has read the first message', async () => {
  const { ann, cat } = all.people;
  await all.queues.read();
  await ann.client.patch('users/me/subscriptions', {
    add: [{ name: 'brief' }],
    delete: ['brief'],
    principals: [cat.email],
  });
  const { messages } = await fetchMessages(cat, { narrow: [['stream', 'brief']] });
  expect(messages).toMatchObject([{ subject: 'stream events', flags: ['read'] }]);
  const { cat: events } = await all.queues.readWithMessages();
  expect(
    events.filter(({ type }) => type === 'message' || type === 'update_message_flags'),
  ).toMatchObject([
    { message: { id: messages[0]?.id }, flags: [] },
    { flag: 'read', messages: [messages[0]?.id] },
  ]);
});

test('a private stream that is created and left in one request ends without a message', async () => {
  const { bob } = all.people;
  await bob.client.patch('users/me/subscriptions', {
    add: [{ name: 'short-lived' }],
    delete: ['short-lived'],
    invite_only: true,
  });
  const { rows } = await all.all.pool.query<{ ends: boolean; messages: number }>(
    `SELECT s.is_deactivated AS ends, (SELECT count(*)::int FROM messages m WHERE m.stream_id = s.id) AS messages
     FROM streams s WHERE s.creator_id = ${bob.id} ORDER BY s.id DESC LIMIT 1`,
  );
  expect(rows).toEqual([{ ends: true, messages: 0 }]);
});

test('a person subscribed by somebody else gets a private notice about existing streams', async () => {
  const { bob, cat, dan, bot } = all.people;
  await all.join('bob', ['zoo', 'Ape']);
  await all.join('bob', ['zoo', 'Ape', 'brand new'], {
    principals: [cat.email, dan.email, bot.email, bob.email],
  });
  await all.join('bob', ['zoo'], { principals: [cat.email] });
  await all.join('bob', ['pit']);
  await all.join('bob', ['pit'], { principals: [dan.email] });
  await settle();
  const [notice, ...more] = await toOneself(cat);
  expect(more).toEqual([]);
  expect(notice).toMatchObject({
    content: `@**Bob Ray|${bob.id}** subscribed you to these streams:\n\n* #**Ape**\n* #**zoo**`,
    sender_full_name: 'Notification Bot',
    client: 'Internal',
  });
  expect((await toOneself(dan)).map(({ content }) => content)).toContain(
    `@**Bob Ray|${bob.id}** subscribed you to #**pit**.`,
  );
  expect(await toOneself(bot)).toEqual([]);
  expect(await toOneself(bob)).toEqual([]);
});

test('announce posts created streams to the notifications stream, except private ones', async () => {
  const { ann, bob } = all.people;
  const news = await all.all.organization.makeStream('news', [ann, bob]);
  await setRealmNotificationStreams(all.all.pool, {
    notificationsStreamId: news.id,
    signupNotificationsStreamId: null,
  });
  await all.join('bob', ['told one', 'told two'], { announce: true });
  await all.join('bob', ['silent'], { announce: false });
  await all.join('bob', ['board'], { announce: true, invite_only: true });
  await all.join('cat', ['told one'], { announce: true });
  await settle();
  const messages = await inStream(bob, 'news', 1);
  expect(messages.map(({ subject, content, flags }) => ({ subject, content, flags }))).toEqual([
    {
      subject: 'new streams',
      content: `@_**Bob Ray|${bob.id}** created new streams: #**told one**, #**told two**.`,
      flags: ['read'],
    },
  ]);
  // A private stream has its own first message.
  expect(await inStream(bob, 'board', 1)).toHaveLength(1);
});

test('notices of several streams follow the order of the request, and the announcement comes last', async () => {
  const { ann, bob } = all.people;
  const news = await all.all.organization.makeStream('order of news', [ann, bob]);
  await ann.client.patch('realm', { notifications_stream_id: news.id });
  const names = Array.from({ length: 12 }, (_, n) => `order ${(n * 7) % 12}`);
  await all.join('bob', names, { announce: true });
  await inStream(bob, 'order of news', 1);
  const { messages } = await fetchMessages(bob, {
    anchor: 'newest',
    num_before: names.length + 1,
    narrow: [],
  });
  expect(messages.map(({ display_recipient: stream }) => stream)).toEqual([
    ...names,
    'order of news',
  ]);
});

test('with very many streams the notices keep that order too', async () => {
  const { ann } = all.people;
  const news = await all.all.organization.makeStream('order of much news', [ann]);
  await ann.client.patch('realm', { notifications_stream_id: news.id });
  const names = Array.from({ length: 212 }, (_, n) => `order of many ${(n * 7) % 212}`);
  await all.join('ann', names, { announce: true });
  await inStream(ann, 'order of much news', 1);
  await settle();
  const { messages } = await fetchMessages(ann, {
    anchor: 'newest',
    num_before: names.length + 1,
    narrow: [],
  });
  expect(messages.map(({ display_recipient: stream }) => stream)).toEqual([
    ...names,
    'order of much news',
  ]);
});

test('notices do not read stream names as markdown or linkifiers', async () => {
  const { ann, bob, cat } = all.people;
  const news = await all.all.organization.makeStream('announcements', [ann, cat]);
  await ann.client.patch(`streams/${news.id}`, { is_announcement_only: true });
  await ann.client.patch('realm', { notifications_stream_id: news.id });
  await ann.client.post('realm/filters', {
    pattern: '#(?P<id>[0-9]+)',
    url_format_string: 'https://issues.example.com/%(id)s',
  });
  const hostile = 'a** @**all** [win](https://evil.example.com) \u0003';
  const harmless = 'mail evil.example.com #1';
  await all.join('bob', [hostile, harmless], { announce: true });
  await all.join('bob', [hostile, harmless], { principals: [cat.email] });
  await settle();
  const url = `#narrow/stream/${await all.streamId(hostile)}-a.2A.2A-.40.2A.2Aall.2A.2A-.5Bwin.5D.28https.3A.2F.2Fevil.2Eexample.2Ecom.29-.03`;
  const hostileLink = `<a href="${url}" title="${url}"><code>a** @**all** [win](https://evil.example.com)</code></a>`;
  const id = await all.streamId(harmless);
  const harmlessLink = `<a class="stream" data-stream-id="${id}" href="/#narrow/stream/${id}-mail-evil.2Eexample.2Ecom-.231">#${harmless}</a>`;
  const { messages } = await fetchMessages(cat, { apply_markdown: true });
  const announcements = messages.filter(
    ({ subject }) => subject === 'new streams' || subject === '',
  );
  expect(announcements.map(({ content, flags }) => ({ content, flags })).slice(-2)).toEqual(
    expect.arrayContaining([
      {
        content: `<p><span class="user-mention silent" data-user-id="${bob.id}">Bob Ray</span> created new streams: ${hostileLink}, ${harmlessLink}.</p>`,
        flags: [],
      },
      {
        content: `<p><span class="user-mention" data-user-id="${bob.id}">@Bob Ray</span> subscribed you to these streams:</p>\n<ul>\n<li>${hostileLink}</li>\n<li>${harmlessLink}</li>\n</ul>`,
        flags: [],
      },
    ]),
  );
});

test('a new person is announced in the sign-up stream, if there is one', async () => {
  const { ann, bob } = all.people;
  const signUps = await all.all.organization.makeStream('sign-ups', [ann, bob]);
  const create = async (name: string): Promise<void> => {
    await ann.client.post('users', {
      email: `${name.toLowerCase()}@example.com`,
      password: 'a long unlikely phrase 7',
      full_name: name,
      short_name: name.toLowerCase(),
    });
  };
  await create('Unannounced');
  await ann.client.patch('realm', { signup_notifications_stream_id: signUps.id });
  await create('Eve');
  const [notice, ...more] = await inStream(bob, 'sign-ups', 1);
  await settle();
  expect(more).toEqual([]);
  const { rows } = await all.all.pool.query<{ id: number }>(
    "SELECT id FROM users WHERE email = 'eve@example.com'",
  );
  expect(notice).toMatchObject({
    subject: 'signups',
    content: `@_**Eve|${rows[0]?.id}** joined this organization.`,
    client: 'Internal',
    sender_full_name: 'Notification Bot',
    flags: [],
  });
  expect((await inStream(ann, 'sign-ups', 1))[0]).toMatchObject({
    id: notice?.id,
    flags: ['read'],
  });
  // The command adds the person; its operator has no account.
  const env = environmentOf(all.all.cluster.settings);
  await parley(env, ['user', 'create', 'fay@example.com', '--full-name', 'Fay Day']);
  const [, second] = await inStream(ann, 'sign-ups', 2);
  expect(second).toMatchObject({ flags: [] });
  expect(second?.['content']).toMatch(/^@_\*\*Fay Day\|\d+\*\* joined this organization\.$/);
});

test('a rename is announced in the stream, with both names', async () => {
  const { ann, bob } = all.people;
  await all.join('bob', ['old name']);
  await inStream(bob, 'old name', 1);
  await ann.client.patch(`streams/${await all.streamId('old name')}`, { new_name: '"new name"' });
  const messages = await inStream(bob, 'new name', 2);
  expect(messages[1]).toMatchObject({
    subject: 'stream events',
    content: `@_**Ann Lee|${ann.id}** renamed this stream from **old name** to **new name**.`,
  });
  const rename = async (from: string, to: string): Promise<void> => {
    const path = `streams/${await all.streamId(from)}`;
    await ann.client.patch(path, { new_name: JSON.stringify(to) });
  };
  await rename('new name', 'R&D/dev_ops');
  expect((await inStream(bob, 'R&D/dev_ops', 3)).at(-1)?.['content']).toContain(
    'from **new name** to **R&D/dev_ops**.',
  );
  // Text that markdown would interpret is written as code.
  await rename('R&D/dev_ops', '@**all**');
  expect((await inStream(bob, '@**all**', 4)).at(-1)?.['content']).toContain(
    'from **R&D/dev_ops** to `@**all**`.',
  );
});

test('everybody gets a notice in a large request', async () => {
  const people = await all.all.organization.makeAccounts(
    Array.from({ length: 60 }, (_, n) => `Many ${n}`),
  );
  await all.join('bob', ['crowd']);
  await all.join('bob', ['crowd'], { principals: people.map(({ email }) => email) });
  await settle();
  const { rows } = await all.all.pool.query<{ notices: number }>({
    text: `SELECT count(DISTINCT m.id)::int AS notices FROM messages m JOIN conversations c ON c.id = m.conversation_id
      WHERE c.participant_ids && $1::int[]`,
    values: [people.map(({ id }) => id)],
  });
  expect(rows[0]?.notices).toBe(60);
});
