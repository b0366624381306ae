/** The earlier messages that a new person holds (reference facts, streams 8.4). */
import { makeMessages } from '@parley/demo';
import type { NewMessage } from '@parley/demo';
import { membersAsOf } from '@parley/store';
import type { Stream } from '@parley/store';
import { ApiClient, readObjects } from '@parley/test-kit';
import type { JsonObject, Parameters } from '@parley/test-kit';
import { beforeAll, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { FencedQueues } from './fenced-queues.ts';
import { startMessageFixture } from './message-fixture.ts';

const hourSecs = 3_600;
const daySecs = 24 * hourSecs;

let general: Stream;
let board: Stream;
const all = useFixture(() =>
  startMessageFixture({ events: 1, messages: 1, subscriptions: 1, people: 1 }),
);
beforeAll(async () => {
  const { ann, bob, organization } = all;
  general = await organization.makeStream('general', [ann, bob], { isDefault: true });
  await organization.makeStream('news', [ann, bob], { isDefault: true });
  await organization.makeStream('empty', [ann, bob], { isDefault: true });
  await organization.makeStream('elsewhere', [ann, bob]);
  board = await organization.makeStream('board', [ann, bob], {
    isDefault: true,
    inviteOnly: true,
    historyPublicToSubscribers: true,
  });
  await organization.makeStream('fences', [ann, bob]);
});

const nowSecs = (): number => Math.floor(Date.now() / 1_000);

/** @returns the ids of new messages from Bob, sent this long ago */
function said(
  messages: readonly {
    readonly streamName: string;
    readonly agoSecs: number;
    readonly content?: string;
  }[],
): Promise<number[]> {
  const now = nowSecs();
  const { pool, eventLog } = all.organization.maker;
  return makeMessages(
    { pool, eventLog, publicUrl: all.cluster.url },
    messages.map(({ streamName, agoSecs, content = 'x' }): NewMessage => ({
      senderId: all.bob.id,
      streamName,
      topic: 'lately',
      content,
      sentAtSecs: now - agoSecs,
    })),
  );
}

let made = 0;
async function makePerson(): Promise<{ id: number; client: ApiClient }> {
  made += 1;
  const email = `new${made}@example.com`;
  const password = 'kR7#vQp2tide';
  await all.ann.client.post('users', {
    email,
    password,
    full_name: `New ${made}`,
    short_name: 'new',
  });
  const urls = all.cluster.gatewayUrls;
  const key = await new ApiClient({ urls }).post('fetch_api_key', { username: email, password });
  const client = new ApiClient({ urls, email, apiKey: String(key['api_key']) });
  const { user_id: id } = await client.get('users/me');
  return { id: id as number, client };
}

async function held(
  client: ApiClient,
  parameters: Parameters = {},
): Promise<{ ids: number[]; unread: number[]; flags: Set<string> }> {
  const body = await client.get('messages', {
    anchor: 'newest',
    num_before: 2_000,
    num_after: 0,
    ...parameters,
  });
  const messages = readObjects(body, 'messages');
  const flagsOf = (message: JsonObject): string[] => message['flags'] as string[];
  return {
    ids: messages.map((message) => message['id'] as number),
    unread: messages
      .filter((message) => !flagsOf(message).includes('read'))
      .map((message) => message['id'] as number),
    flags: new Set(messages.flatMap(flagsOf)),
  };
}

async function registered(
  client: ApiClient,
): Promise<{ unread: number[]; mentions: unknown; maxId: unknown }> {
  const state = await client.post('register', {
    fetch_event_types: ['message', 'update_message_flags'],
  });
  const unread = state['unread_msgs'] as JsonObject;
  return {
    unread: readObjects(unread, 'streams')
      .flatMap((group) => group['unread_message_ids'] as number[])
      .toSorted((a, b) => a - b),
    mentions: unread['mentions'],
    maxId: state['max_message_id'],
  };
}

test('is empty if nothing was sent in the last seven days', async () => {
  await said([
    { streamName: 'general', agoSecs: 8 * daySecs },
    { streamName: 'elsewhere', agoSecs: 60 },
  ]);
  const { client } = await makePerson();
  expect((await held(client)).ids).toEqual([]);
});

test('a few messages are unread, and none mentions a newer person', async () => {
  const recent = await said([
    { streamName: 'general', agoSecs: 6 * daySecs, content: '@**all** look' },
    { streamName: 'news', agoSecs: hourSecs },
  ]);
  const { client } = await makePerson();
  expect(await held(client)).toEqual({ ids: recent, unread: recent, flags: new Set() });
  expect((await held(client, { narrow: [['is', 'mentioned']] })).ids).toEqual([]);
  expect(await registered(client)).toEqual({ unread: recent, mentions: [], maxId: recent.at(-1) });
});

test('contains the newest thousand of all public default streams, twenty of them unread', async () => {
  await all.ann.client.sendToStream('board', 'lately', 'ours');
  const ids = await said(
    Array.from({ length: 1_010 }, (_, n) => ({
      streamName: n % 3 === 0 ? 'news' : 'general',
      agoSecs: 2_000 - n,
    })),
  );
  const queues = await FencedQueues.open(
    { bob: all.bob },
    ['message', 'subscription', 'update_message_flags'],
    (content) => all.ann.client.sendToStream('fences', 'x', content),
  );
  const { rows } = await all.pool.query<{ position: number }>(
    'SELECT max(position) AS position FROM log_entries',
  );
  const { id, client } = await makePerson();
  const newest = ids.slice(-1_000);
  expect(await held(client)).toEqual({
    ids: newest,
    unread: newest.slice(-20),
    flags: new Set(['read']),
  });
  expect((await registered(client)).unread).toEqual(newest.slice(-20));
  expect((await held(client, { narrow: [['stream', 'board']] })).flags).toEqual(
    new Set(['read', 'historical']),
  );
  const events = await queues.read();
  expect(events.bob?.map(({ type, op, user_id: userId }) => ({ type, op, userId }))).toEqual(
    [1, 2, 3, 4].map(() => ({ type: 'subscription', op: 'peer_add', userId: id })),
  );
  expect(await membersAsOf(all.pool, general.id, rows[0]?.position ?? 0)).not.toContain(id);

  await client.post('mark_stream_as_read', { stream_id: general.id });
  const unreadNews = newest.slice(-20).filter((messageId) => (messageId - (ids[0] ?? 0)) % 3 === 0);
  expect((await held(client)).unread).toEqual(unreadNews);
});

test('events about an earlier message reach its holders', async () => {
  const [oldId] = await said([{ streamName: 'general', agoSecs: 60 }]);
  const { client } = await makePerson();
  const queues = await FencedQueues.open({ person: { client } }, ['update_message'], (content) =>
    all.ann.client.sendToStream('general', 'x', content),
  );
  await all.bob.client.patch(`messages/${oldId}`, { content: 'said better' });
  const { person } = await queues.read();
  expect(person).toEqual([
    expect.objectContaining({ type: 'update_message', message_id: oldId, flags: [] }),
  ]);
});

test('a private stream is held from joining on', async () => {
  const { client } = await makePerson();
  const sent = await all.ann.client.sendToStream('board', 'now', 'welcome');
  const { ids, unread } = await held(client, { narrow: [['stream', board.name]] });
  expect({ newest: ids.at(-1), unread }).toEqual({ newest: sent, unread: [sent] });
});
