/** The web client's state: after any change, a tab that followed events knows what a tab knows that registers afterwards. */
import { ParleyClient } from '@parley/client';
import { connectMaker } from '@parley/demo';
import type { Account } from '@parley/demo';
import { useSystem, waitMaxMs } from '@parley/test-kit';
import type { UsedSystem } from '@parley/test-kit';
import type { App } from '@parley/web/data/app';
import { topicNarrow } from '@parley/web/data/narrow';
import { openApp } from '@parley/web/data/open-app';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';

const people = {
  ann: { email: 'ann@example.com', fullName: 'Ann Lee', role: 'administrator' },
  bob: { email: 'bob@example.com', fullName: 'Bob Ray' },
  cat: { email: 'cat@example.com', fullName: 'Cat Moe' },
  gil: { email: 'gil@example.com', fullName: 'Gil Fox', role: 'guest' },
} as const;
type PersonKey = keyof typeof people;

let system: UsedSystem;
let accounts: ReadonlyMap<PersonKey, Account>;

beforeAll(async () => {
  system = await useSystem();
  await using connected = connectMaker({ ...system.cluster.settings });
  await connected.maker.makeRealm({ name: 'Example', stringId: 'example', description: '' });
  const made = await connected.maker.makeAccounts(Object.values(people));
  const keys = Object.keys(people) as PersonKey[];
  accounts = new Map(keys.flatMap((key, n) => (made[n] === undefined ? [] : [[key, made[n]]])));
}, 120_000);
afterAll(() => system?.release());

function accountOf(who: PersonKey): Account {
  const account = accounts.get(who);
  if (account === undefined) throw new Error(`there is no ${who}`);
  return account;
}

function clientOf(who: PersonKey): ParleyClient {
  const { user, apiKey } = accountOf(who);
  return new ParleyClient({ site: system.cluster.url, email: user.email, apiKey });
}

let ending = new AbortController();
afterEach(() => {
  ending.abort();
  ending = new AbortController();
});

let tabs = 0;

function open(who: PersonKey): Promise<App> {
  tabs += 1;
  const stored = new Map<string, string>();
  return openApp(clientOf(who), {
    name: `state-and-events-${tabs}`,
    signal: ending.signal,
    store: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
      removeItem: (key) => void stored.delete(key),
    },
    page: new EventTarget(),
    onUnreachable: () => undefined,
    onSignedOut: () => undefined,
  });
}

/**
 * What two tabs must agree on: not their queues, not what ages by itself, and not how much each of them has seen change or has read. A registration
 * does not tell whom a message mentions, but what counts.
 */
function known({ state }: App): unknown {
  const {
    nowSecs: _,
    listsVersion: _version,
    formerStreams: _streams,
    reported,
    rest,
    unread,
    ...others
  } = state.known.peek();
  const { queue_id: _id, last_event_id: _event, pointer: _pointer, ...sharedRest } = rest;
  // No event tells of the first message of a stream that the person left.
  const streams = [...others.streams.values()].map((stream) => ({
    ...stream,
    first_message_id: undefined,
  }));
  return {
    ...others,
    streams: streams.toSorted((one, other) => one.stream_id - other.stream_id),
    unread: new Map([...unread].map(([id, { conversation }]) => [id, conversation])),
    mentionCounts: new Map(
      [...state.unreadConversations.peek()].map(([key, { mentionCount }]) => [key, mentionCount]),
    ),
    reported: [...reported.keys()].toSorted(),
    rest: sharedRest,
  };
}

async function expectAgreement(followed: App, who: PersonKey): Promise<void> {
  const fresh = await open(who);
  // What the server does in the background reaches both.
  await vi.waitFor(() => expect(known(followed)).toEqual(known(fresh)), { timeout: waitMaxMs });
}

async function streamIdOf(name: string): Promise<number> {
  const { stream_id } = await clientOf('ann').request('GET /get_stream_id', {
    stream: name,
  });
  return stream_id;
}

async function subscribe(name: string, principals: readonly PersonKey[], isPrivate = false) {
  await clientOf('ann').request('POST /users/me/subscriptions', {
    subscriptions: [{ name }],
    principals: principals.map((who) => accountOf(who).user.id),
    invite_only: isPrivate,
  });
  return streamIdOf(name);
}

async function send(streamId: number, topic: string, content: string): Promise<number> {
  const { id } = await clientOf('ann').request('POST /messages', {
    type: 'stream',
    to: String(streamId),
    topic,
    content,
  });
  return id ?? 0;
}

test('of messages: new, edited, moved, deleted, read and starred', async () => {
  const bob = await open('bob');
  const [ann, own] = [clientOf('ann'), clientOf('bob')];
  const streamId = await subscribe('messages', ['ann', 'bob']);
  const ids: number[] = [];
  for (const content of ['@**Bob Ray** a', 'b', '@**Bob Ray** c', 'd', 'e'])
    ids.push(await send(streamId, 'tides', content));
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = ids;
  await ann.request('POST /messages', {
    type: 'private',
    to: JSON.stringify([accountOf('bob').user.id]),
    content: 'to you',
  });
  await ann.request('PATCH /messages/{message_id}', { message_id: first, content: 'of nobody' });
  await ann.request('PATCH /messages/{message_id}', {
    message_id: second,
    content: '@**Bob Ray** now',
  });
  await ann.request('PATCH /messages/{message_id}', {
    message_id: fourth,
    topic: 'moved',
    propagate_mode: 'change_later',
  });
  await ann.request('DELETE /messages/{message_id}', { message_id: third });
  await own.request('POST /messages/flags', { messages: [fifth], op: 'add', flag: 'starred' });
  await own.request('POST /messages/flags', { messages: [first], op: 'add', flag: 'read' });
  await expectAgreement(bob, 'bob');
  const mentioning = [...bob.state.unread.peek()].filter(([, { mention }]) => mention === 'self');
  expect(mentioning.map(([id]) => id)).toEqual([second]);
  await own.request('POST /mark_topic_as_read', { stream_id: streamId, topic_name: 'Moved' });
  await expectAgreement(bob, 'bob');
});

test('of messages that another device marked as unread, held or not', async () => {
  const own = clientOf('bob');
  const streamId = await subscribe('unread', ['ann', 'bob']);
  const ids = [await send(streamId, 'ebb', 'a'), await send(streamId, 'flow', '@**Bob Ray** b')];
  await own.request('POST /mark_all_as_read');
  const bob = await open('bob');
  await bob.lists.open(topicNarrow(streamId, 'ebb')).load('newest');
  await own.request('POST /messages/flags', { messages: ids, op: 'remove', flag: 'read' });
  await expectAgreement(bob, 'bob');
  expect(new Set(bob.state.unread.peek().keys())).toEqual(new Set(ids));
});

test('of lists: a message moved into an open narrow is shown there, and no longer where it was', async () => {
  const bob = await open('bob');
  const streamId = await subscribe('lists', ['ann', 'bob']);
  const ids = [await send(streamId, 'here', 'a'), await send(streamId, 'there', 'b')];
  const here = bob.lists.open(topicNarrow(streamId, 'here'));
  const there = bob.lists.open(topicNarrow(streamId, 'there'));
  await Promise.all([here.load('newest'), there.load('newest')]);
  ids.push(await send(streamId, 'there', 'c'));
  await expect.poll(() => there.ids.peek()).toEqual(ids.slice(1));
  await clientOf('ann').request('PATCH /messages/{message_id}', {
    message_id: ids[1] ?? 0,
    topic: 'here',
    propagate_mode: 'change_one',
  });
  await expect.poll(() => here.ids.peek()).toEqual(ids.slice(0, 2));
  expect(there.ids.peek()).toEqual(ids.slice(2));
});

test('of streams: created, renamed, private, left, deleted, and their settings', async () => {
  const [ann, bob] = [await open('ann'), await open('bob')];
  const [admin, own] = [clientOf('ann'), clientOf('bob')];
  const harbour = await subscribe('harbour', ['ann', 'bob']);
  const hidden = await subscribe('board', ['ann', 'bob'], true);
  await send(hidden, 'x', 'first');
  await admin.request('PATCH /streams/{stream_id}', {
    stream_id: harbour,
    new_name: JSON.stringify('quay'),
    description: JSON.stringify('a *place*'),
  });
  await own.request('PATCH /users/me/subscriptions/muted_topics', {
    stream: 'quay',
    topic: 'Noise',
    op: 'add',
  });
  await own.request('POST /users/me/subscriptions/properties', {
    subscription_data: [
      { stream_id: harbour, property: 'color', value: '#ff0000' },
      { stream_id: harbour, property: 'is_muted', value: true },
    ],
  });
  await subscribe('quay', ['cat']);
  await own.request('DELETE /users/me/subscriptions', { subscriptions: ['board'] });
  await expectAgreement(ann, 'ann');
  await expectAgreement(bob, 'bob');
  await admin.request('DELETE /streams/{stream_id}', { stream_id: harbour });
  await expectAgreement(bob, 'bob');
});

test('of people, groups, own settings and the organization', async () => {
  const [ann, bob] = [await open('ann'), await open('bob')];
  const [admin, own] = [clientOf('ann'), clientOf('bob')];
  const bobId = accountOf('bob').user.id;
  await admin.request('POST /users', {
    email: 'eve@example.com',
    password: 'eve-long-secret',
    full_name: 'Eve Lind',
    short_name: 'eve',
  });
  await admin.request('PATCH /users/{user_id}', {
    user_id: accountOf('cat').user.id,
    is_guest: true,
  });
  await admin.request('DELETE /users/{user_id}', { user_id: accountOf('gil').user.id });
  await admin.request('POST /user_groups/create', {
    name: 'crew',
    description: 'all',
    members: [bobId],
  });
  await admin.request('POST /realm/domains', { domain: 'harbour.example', allow_subdomains: true });
  await admin.request('POST /realm/profile_fields', { name: 'Boat', field_type: 1 });
  await admin.request('PATCH /realm', { description: 'A harbour' });
  await own.request('POST /users/me/status', { status_text: 'busy', away: true });
  await own.request('POST /users/me/alert_words', { alert_words: ['boat'] });
  await own.request('PATCH /settings/display', { twenty_four_hour_time: true });
  await own.request('PATCH /settings/notifications', { enable_sounds: false });
  await own.request('PATCH /settings', { full_name: 'Bob Rayner' });
  await own.request('POST /bots', { short_name: 'gull', full_name: 'Gull' });
  await own.request('POST /messages', {
    type: 'private',
    to: JSON.stringify([bobId]),
    content: 'later',
    delivery_type: 'send_later',
    deliver_at: '2031-05-01T09:30:00+02:00',
  });
  await expectAgreement(ann, 'ann');
  await expectAgreement(bob, 'bob');
});
