/** Events that could reveal too much or be missing: all types of bots, hidden addresses, muted and deactivated streams, pictures. */
import { isDeepStrictEqual } from 'node:util';

import { realmSettingDefaults } from '@parley/api/organization';
import { drawDefaultAvatar } from '@parley/files/images';
import { ApiClient } from '@parley/test-kit';
import type { JsonObject, TestAccount } from '@parley/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { updateRealmSettings } from '../support/realm-settings.ts';
import { useFixture } from '../support/use-fixture.ts';
import { FencedQueues, isNotice } from './fenced-queues.ts';
import { FollowedQueue } from './follow-queue.ts';
import { startMessageFixture } from './message-fixture.ts';
import { expectRefusal } from './refusals.ts';
import { sendFiles } from './send-form.ts';

type Name = 'ann' | 'bob' | 'cat' | 'guest' | 'bot' | 'outgoing' | 'embedded';

let people: Readonly<Record<Name, TestAccount>>;
let webhook: TestAccount;
let queues: FencedQueues<Name>;
let socialId: number;

const all = useFixture(() => startMessageFixture());
beforeAll(async () => {
  const { organization, ann, bob, cat, guest, bot } = all;
  people = {
    ann,
    bob,
    cat,
    guest,
    bot,
    outgoing: await organization.makeAccount('Outgoing', { botType: 3, owner: bob }),
    embedded: await organization.makeAccount('Embedded', { botType: 4, owner: bob }),
  };
  webhook = await organization.makeAccount('Incoming', { botType: 2, owner: bob });
  const inside = [bob, cat, bot, people.outgoing, people.embedded, webhook];
  socialId = (await organization.makeStream('social', inside)).id;
  await organization.makeStream('fences', [...Object.values(people), webhook]);
  queues = await FencedQueues.open(people, undefined, (content) =>
    ann.client.sendToStream('fences', 'x', content),
  );
});
beforeEach(() => queues.readWithMessages());

/** @returns the types of each person's events except notices, in order; people without events are omitted */
async function receivedTypes(): Promise<Record<string, unknown[]>> {
  const read = await queues.readWithMessages();
  return Object.fromEntries(
    Object.entries(read)
      .map(([name, events]) => [name, events.filter((event) => !isNotice(event))] as const)
      .filter(([, events]) => events.length > 0)
      .map(([name, events]) => [name, events.map((event) => event['type'])]),
  );
}

const same = (names: readonly Name[], ...types: readonly string[]): Record<string, unknown[]> =>
  Object.fromEntries(names.map((name) => [name, [...types]]));

describe('bots', () => {
  test('of every type get messages; those that only react get no further events about them', async () => {
    const { bob, cat } = people;
    const id = await bob.client.sendToStream('social', 'x', 'hi @**all**');
    const read = await queues.readWithMessages();
    const flags = Object.entries(read).flatMap(([name, events]) =>
      events.map((event) => [name, event['flags']]),
    );
    expect(Object.fromEntries(flags)).toEqual({
      bob: ['wildcard_mentioned'],
      cat: ['wildcard_mentioned'],
      bot: ['wildcard_mentioned'],
      outgoing: [],
      embedded: [],
    });
    await cat.client.post(`messages/${id}/reactions`, { emoji_name: 'tada' });
    await bob.client.patch(`messages/${id}`, { content: 'ho' });
    await people.ann.client.delete(`messages/${id}`);
    expect(await receivedTypes()).toEqual(
      same(['bob', 'cat', 'bot'], 'reaction', 'update_message', 'delete_message'),
    );
  });

  test('of every type get private messages', async () => {
    const to = (['bot', 'outgoing', 'embedded'] as const).map((name) => people[name].id);
    await people.bob.client.sendPrivately(to, 'psst');
    expect(await receivedTypes()).toEqual(same(['bob', 'bot', 'outgoing', 'embedded'], 'message'));
  });

  test('that are mentioned in a stream they are not in get an event only if they hold messages', async () => {
    const { cat } = people;
    await cat.client.subscribe('apart');
    await queues.readWithMessages();
    await cat.client.sendToStream('apart', 'x', '@**Robo Bot** @**Outgoing** @**Bob Ray**');
    const read = await queues.readWithMessages();
    const flags = Object.entries(read).flatMap(([name, events]) =>
      events.filter((event) => !isNotice(event)).map((event) => [name, event['flags']]),
    );
    expect(Object.fromEntries(flags)).toEqual({ cat: [], bot: ['mentioned'] });
  });
});

describe('streams', () => {
  test('muting a stream or topic does not stop its events', async () => {
    await people.bob.client.post('users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: socialId, property: 'is_muted', value: true }],
    });
    await people.bob.client.patch('users/me/subscriptions/muted_topics', {
      stream: 'social',
      topic: 'noise',
      op: 'add',
    });
    await queues.readWithMessages();
    await people.cat.client.sendToStream('social', 'noise', 'loud');
    expect((await receivedTypes())['bob']).toEqual(['message']);
  });

  test('that have ended are changed by nobody', async () => {
    const { bob, cat, ann } = people;
    await bob.client.subscribe('ending', { principals: [bob.email, people.guest.email] });
    const id = await bob.client.sendToStream('ending', 'x', 'last words');
    const streamId = await bob.client.streamId('ending');
    await ann.client.delete(`streams/${streamId}`);
    await queues.readWithMessages();
    // The name is free: a new stream with this name has nothing to do with the old one.
    await bob.client.subscribe('ending');
    await queues.readWithMessages();
    await expectRefusal(
      bob.client.post(`messages/${id}/reactions`, { emoji_name: 'tada' }),
      'Invalid message(s)',
    );
    await expectRefusal(cat.client.get(`messages/${id}`), 'Invalid message(s)');
    expect(Object.values(await receivedTypes()).flat()).not.toContain('reaction');
  });
});

describe('mirrors', () => {
  test('do not get messages that a client of their own name brought in, and learn which streams are private', async () => {
    const { bob, cat, bot } = people;
    await all.organization.makeStream('mirrored', [bob, cat, bot], { inviteOnly: true });
    await queues.readWithMessages();
    const mirror = new ApiClient({
      urls: all.cluster.gatewayUrls,
      email: cat.email,
      apiKey: cat.apiKey,
      userAgent: 'jabber_Mirror/1.0',
    });
    const { queue_id: queueId, last_event_id: last } = await mirror.post('register', {
      event_types: ['message'],
      fetch_event_types: [],
    });
    await mirror.sendToStream('mirrored', 'x', 'brought in');
    await bob.client.sendToStream('mirrored', 'x', 'said here');
    await bob.client.sendToStream('social', 'x', 'in public');
    const seen = (events: readonly JsonObject[]): unknown[] =>
      events
        .filter((event) => !isNotice(event))
        .map((event) => event['message'] as JsonObject)
        .map(({ content, invite_only_stream: isMarked }) => [content, isMarked]);
    expect(seen((await queues.readWithMessages()).cat)).toEqual([
      ['brought in', undefined],
      ['said here', undefined],
      ['in public', undefined],
    ]);
    // Only mirrors get the additional key, so the checks of every answer do not know it.
    const { text } = await mirror.withoutChecks('GET', 'events', {
      queue_id: queueId,
      last_event_id: last,
      dont_block: true,
    });
    const { events } = JSON.parse(text) as { readonly events: readonly JsonObject[] };
    expect(seen(events).slice(0, 2)).toEqual([
      ['said here', true],
      ['in public', undefined],
    ]);
  });
});

describe('pictures', () => {
  test('client_gravatar omits only Gravatars of messages, never uploaded pictures', async () => {
    const { ann, bob, cat } = people;
    const queue = await FollowedQueue.open(cat.client, {
      client_gravatar: true,
      event_types: ['message', 'realm_user'],
      // This excludes the notification bot's messages about subscriptions, which arrive at no fixed time.
      narrow: [['stream', 'social']],
    });
    await bob.client.sendToStream('social', 'x', 'gravatar');
    await sendFiles(bob.client, 'users/me/avatar', [await drawDefaultAvatar(100)]);
    await bob.client.sendToStream('social', 'x', 'picture');
    await ann.client.post('users', {
      email: 'new@example.com',
      full_name: 'New',
      short_name: 'new',
      password: 'kR7#vQp2tide',
    });
    const [first, picture, second, added] = await queue.next(4);
    const urlOf = (event: JsonObject | undefined, key: string): unknown =>
      (event?.[key] as JsonObject | undefined)?.['avatar_url'];
    expect(urlOf(first, 'message')).toBe(null);
    expect(urlOf(picture, 'person')).toMatch(/^\/user_avatars\//);
    expect(urlOf(second, 'message')).toBe(urlOf(picture, 'person'));
    expect(urlOf(added, 'person')).toMatch(/^https:\/\/secure\.gravatar\.com\//);
    await bob.client.delete('users/me/avatar');
  });
});

describe('with hidden addresses', () => {
  beforeAll(async () => {
    await people.ann.client.patch('realm', { email_address_visibility: 3 });
    await queues.readWithMessages();
  });
  afterAll(() => updateRealmSettings(all.pool, realmSettingDefaults));

  test('no event contains a real address, except those that report a new person to administrators', async () => {
    const { ann, bob, cat, guest } = people;
    const { client } = bob;
    const id = await client.sendToStream('social', 'x', `@**Cat Moe** @_**Bob Ray**`);
    await client.sendPrivately([cat.id, guest.id], 'psst');
    await client.patch(`messages/${id}`, { content: 'edited', topic: 'y' });
    await client.post(`messages/${id}/reactions`, { emoji_name: 'tada' });
    const poll = await client.sendToStream('social', 'x', '/poll Tea?');
    await client.post('submessage', { message_id: poll, msg_type: 'widget', content: '{}' });
    await client.post('typing', { op: 'start', to: [cat.id] });
    await client.post('users/me/presence', { status: 'active', client: 'website' });
    await client.post('users/me/status', { status_text: 'here' });
    await client.subscribe('veiled', { announce: true });
    await client.subscribe('veiled', { principals: [cat.id, guest.id] });
    await client.post('users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: socialId, property: 'color', value: '#123abc' }],
    });
    await client.patch('settings/display', { night_mode: true, timezone: '"Asia/Tokyo"' });
    await client.patch('settings/notifications', { enable_sounds: false });
    await client.post('bots', { full_name: 'Veil', short_name: 'veil' });
    await client.post('user_groups/create', {
      name: 'veils',
      description: 'x',
      members: [cat.id],
    });
    await ann.client.patch(`users/${cat.id}`, { full_name: '"Cat V"', is_admin: true });
    await ann.client.patch(`users/${cat.id}`, { full_name: '"Cat Moe"', is_admin: false });
    await ann.client.post('users', {
      email: 'veiled@example.com',
      full_name: 'Veiled',
      short_name: 'veiled',
      password: 'kR7#vQp2tide',
    });
    const members = (await ann.client.get('users'))['members'] as JsonObject[];
    const veiled = members.find((one) => one['delivery_email'] === 'veiled@example.com');
    await ann.client.delete(`users/${String(veiled?.['user_id'])}`);
    await ann.client.post(`users/${String(veiled?.['user_id'])}/reactivate`);
    await ann.client.delete(`messages/${id}`);
    const { ann: received, ...others } = await queues.readWithMessages();
    expect(others.bob.length).toBeGreaterThan(20);
    // With each `realm_user`/`add` of a person, the administrator gets the event that only administrators get.
    const known = {
      type: 'realm_user',
      op: 'update',
      person: { user_id: veiled?.['user_id'], delivery_email: 'veiled@example.com' },
    };
    const isKnown = (event: JsonObject): boolean => isDeepStrictEqual(event, known);
    expect(received.filter(isKnown)).toHaveLength(2);
    const rest = received.filter((event) => !isKnown(event));
    const text = JSON.stringify({ ...others, ann: rest }).toLowerCase();
    for (const name of ['ann', 'bob', 'cat', 'guest', 'veiled'])
      expect(text).not.toContain(`${name}@example.com`);
  });
});
