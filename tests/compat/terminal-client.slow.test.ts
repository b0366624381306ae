/** Requests and answers of the terminal client, from its start on (reference facts, clients 5). */
import type { JsonObject } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anyNumber, anyString } from '../support/matchers.ts';
import { PythonLoop, PythonWire, integerAt, listAt, objectAt, stringAt } from './python-wire.ts';
import { missingKeys } from './missing-keys.ts';
import { Values, callsOf } from './page.ts';
import { startTerminalOrganization } from './terminal-organization.ts';
import type { TerminalOrganization } from './terminal-organization.ts';

const eventTypes = [
  'message',
  'update_message',
  'reaction',
  'submessage',
  'subscription',
  'typing',
  'update_message_flags',
  'user_settings',
  'realm_emoji',
  'realm_user',
] as const;

const fetchEventTypes = [
  'realm',
  'presence',
  'subscription',
  'message',
  'starred_messages',
  'update_message_flags',
  'muted_topics',
  'realm_user',
  'realm_user_groups',
  'user_settings',
  'realm_emoji',
  'custom_profile_fields',
  'zulip_version',
] as const;

/** The fetch types of version 0.7.0. */
const fetchEventTypesOfRelease = [
  ...fetchEventTypes.filter((type) => type !== 'custom_profile_fields'),
  'update_global_notifications',
  'update_display_settings',
] as const;

const pageMax = 10_000_000_000_000_000;

/** The start, in order (reference facts, clients 5.2 and 5.3). */
type Start = {
  readonly settings: JsonObject;
  readonly first: JsonObject;
  readonly state: JsonObject;
  readonly presence: JsonObject;
};

function registerOf(fetched: readonly string[]): JsonObject {
  return {
    event_types: eventTypes,
    fetch_event_types: fetched,
    client_gravatar: true,
    apply_markdown: true,
    include_subscribers: true,
    narrow: [],
  };
}

async function start(
  wire: PythonWire,
  fetched: readonly string[] = fetchEventTypes,
): Promise<Start> {
  return {
    settings: await wire.call('GET', 'server_settings'),
    first: await wire.call('GET', 'messages', {
      anchor: 0,
      num_before: 30,
      num_after: 10,
      apply_markdown: true,
      use_first_unread_anchor: true,
      client_gravatar: true,
      narrow: [],
    }),
    state: await wire.call('POST', 'register', registerOf(fetched)),
    presence: await wire.call('POST', 'users/me/presence', {
      status: 'active',
      new_user_input: true,
    }),
  };
}

let all: TerminalOrganization;
let nothing: Start;
let everything: Start;
beforeAll(async () => {
  all = await startTerminalOrganization(async (nobody) => {
    nothing = await start(nobody);
  });
  everything = await start(all.bob);
}, 120_000);
afterAll(() => all?.stop());

describe('the login without a configuration file (reference facts, clients 5.1)', () => {
  test('server_settings without credentials has the members that it reads, and the password returns the key', async () => {
    const stranger = new PythonWire({ url: all.organization.cluster.url });
    const settings = await stranger.call('GET', 'server_settings');
    expect(settings).toMatchObject({
      require_email_format_usernames: true,
      email_auth_enabled: true,
    });
    expect(stringAt(settings, 'realm_uri')).toMatch(/^http:\/\/[^/]+$/);
    // A server reports the address in its configuration, which tests with several gateways do not set.
    const realm = stranger;
    expect(
      await realm.call('POST', 'fetch_api_key', {
        username: 'bob@example.com',
        password: 'bob-secret',
      }),
    ).toMatchObject({ api_key: all.organization.accounts.bob.apiKey });
    const wrong = { username: 'bob@example.com', password: 'wrong' };
    expect((await realm.send('POST', 'fetch_api_key', wrong)).status).not.toBe(200);
  });
});

describe('the start (reference facts, clients 5.2)', () => {
  test('server_settings has a version that is not null', () => {
    for (const { settings } of [nothing, everything])
      expect(stringAt(settings, 'zulip_version')).toMatch(/./);
  });

  test('the first fetch starts at the first unread message, whose flag overrides anchor 0', () => {
    const { streams, pms, huddles } = everything.state['unread_msgs'] as Record<
      string,
      readonly { readonly unread_message_ids: readonly number[] }[]
    >;
    const unread = [streams, pms, huddles].flatMap((list) =>
      (list ?? []).flatMap(({ unread_message_ids: ids }) => ids),
    );
    expect(integerAt(everything.first, 'anchor')).toBe(Math.min(...unread));
    expect(unread).toEqual(expect.arrayContaining([...all.unreadIds]));
    const messages = listAt(everything.first, 'messages');
    expect(messages.map((message) => integerAt(message, 'id'))).toEqual(
      expect.arrayContaining([...all.unreadIds]),
    );
  });

  test('the first fetch with nothing unread has anchor 10^16, printed as an integer', async () => {
    expect(nothing.first).toMatchObject({ anchor: pageMax, messages: [], found_newest: true });
    const { url } = all.organization.cluster;
    const { email } = (await all.nobody.call('GET', 'users/me')) as { readonly email: string };
    expect(email).toBe('nobody@example.com');
    const answer = await fetch(
      `${url}/api/v1/messages?anchor=0&num_before=30&num_after=10&use_first_unread_anchor=true&narrow=%5B%5D`,
      { headers: { authorization: all.nobody.authorization } },
    );
    expect(await answer.text()).toMatch(/"anchor":\s*10000000000000000[,}]/);
  });

  test('presence is reported, and presences are returned', () => {
    for (const { presence } of [nothing, everything])
      expect(objectAt(presence, 'presences')).toEqual(expect.any(Object));
    expect(Object.keys(objectAt(everything.presence, 'presences'))).toContain('Ann@example.com');
  });
});

/** Without those of the start the program ends there; entries of lists count only if there are any. */
const keys = callsOf('5.4');

/** The last entry of people must be a bot, because its key is tested. */
function withBotLast(state: JsonObject): JsonObject {
  const people = listAt(state, 'realm_users') as readonly JsonObject[];
  return {
    ...state,
    realm_users: people.toSorted((a, b) => Number(a['is_bot']) - Number(b['is_bot'])),
  };
}

describe('the register answer (reference facts, clients 5.4)', () => {
  test('has the keys of every account, and the entry of the own one', () => {
    const withoutEntries = keys.flatMap(([, paths = '']) => paths.split(' '));
    for (const { state } of [nothing, everything]) {
      const paths = withoutEntries.filter((path) => !path.includes('*')).join(' ');
      expect(missingKeys(state, paths)).toEqual([]);
      expect(state['realm_users']).toContainEqual(
        expect.objectContaining({ user_id: state['user_id'] }),
      );
      expect(state).not.toHaveProperty('zulip_feature_level');
    }
  });

  test.each(keys)('%s: a user who has everything has it', (_row, paths = '') => {
    expect(missingKeys(withBotLast(everything.state), paths)).toEqual([]);
  });

  test('no messages and all messages are read', () => {
    expect(nothing.state).toMatchObject({
      max_message_id: -1,
      subscriptions: [],
      unread_msgs: { pms: [], streams: [], huddles: [], mentions: [] },
      starred_messages: [],
      muted_topics: [],
      realm_emoji: {},
    });
    for (const subscription of listAt(everything.state, 'subscriptions'))
      expect(stringAt(subscription, 'color')).toMatch(/^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/);
    expect(everything.state['muted_topics']).toEqual([['general', 'noise']]);
    expect(everything.state['starred_messages']).toEqual([all.unreadIds[0]]);
    expect(everything.state['unread_msgs']).toMatchObject({ mentions: [all.unreadIds[1]] });
  });

  test('the fetch types of version 0.7.0 return the settings too, at the top', async () => {
    const state = await all.bob.call('POST', 'register', registerOf(fetchEventTypesOfRelease));
    for (const [, paths = '', needed] of keys)
      if (needed === 'start') expect(missingKeys(withBotLast(state), paths)).toEqual([]);
    expect(state).not.toHaveProperty('user_settings');
    expect(state).toMatchObject({
      twenty_four_hour_time: false,
      pm_content_in_desktop_notifications: true,
    });
  });

  test('a re-registration without fetch types has max_message_id, queue_id and last_event_id', async () => {
    const { fetch_event_types: _, ...again } = registerOf([]);
    const state = await all.bob.call('POST', 'register', again);
    expect([
      integerAt(state, 'max_message_id'),
      stringAt(state, 'queue_id'),
      integerAt(state, 'last_event_id'),
    ]).toEqual([anyNumber, anyString, anyNumber]);
  });

  test('optional keys: limits, and of people those for user information', () => {
    expect(everything.state).toMatchObject({ realm_allow_community_topic_editing: true });
    for (const person of listAt(everything.state, 'realm_users'))
      expect(person).toMatchObject({
        is_admin: expect.any(Boolean) as unknown,
        timezone: anyString,
      });
    for (const subscription of listAt(everything.state, 'subscriptions'))
      expect(subscription).toMatchObject({ email_address: anyString });
  });

  test('without email_address it requests one with a double slash', async () => {
    const { body } = await all.bob.send('GET', `/streams/${all.streamId}/email_address`);
    expect(body).toMatchObject({ result: expect.stringMatching(/^(?:success|error)$/) as unknown });
  });
});

describe('later calls (reference facts, clients 5.6)', () => {
  const values = new Values();
  beforeAll(async () => {
    const sent = await all.bob.call('POST', 'messages', {
      type: 'stream',
      to: 'general',
      subject: 'lunch',
      content: 'mine',
      read_by_sender: true,
    });
    await all.ann.post('messages/flags', { messages: [sent['id']], op: 'add', flag: 'starred' });
    values.set({
      ann: all.annId,
      bob: all.bobId,
      general: all.streamId,
      // A message by Bob, who may edit it.
      own: sent['id'],
      queue: everything.state['queue_id'],
      ...Object.fromEntries(all.unreadIds.map((id, n) => [`unread${n}`, id])),
    });
  });

  test.each(callsOf('5.6'))('%s', async (_action, call, answer) => {
    expect(await all.bob.call(...values.readCall(call))).toMatchObject(values.readAnswer(answer));
  });

  test('a refused send returns the text that is shown', async () => {
    const { body } = await all.bob.send('POST', 'messages', {
      type: 'stream',
      to: 'nowhere',
      subject: 'x',
      content: 'x',
      read_by_sender: true,
    });
    expect(stringAt(body, 'msg')).toBe("Stream 'nowhere' does not exist");
  });
});

describe('events (reference facts, clients 5.7)', () => {
  let loop: PythonLoop;
  let messageId: number;
  beforeAll(async () => {
    loop = new PythonLoop(all.bob, registerOf(fetchEventTypes));
    await loop.step();
  });

  /** Expects the next event of a type, with these members and keys. */
  async function expectEvent(type: string, members: object, paths: string): Promise<JsonObject> {
    const event = await loop.next(type);
    expect(event).toMatchObject(members);
    expect(missingKeys(event, paths)).toEqual([]);
    return event;
  }

  test('message, to a stream and private', async () => {
    const keys =
      'id type message.{id,type,content,timestamp,subject,is_me_message,reactions,sender_id,sender_full_name,display_recipient}';
    messageId = await all.ann.sendToStream('general', 'events', '/poll Hello?');
    await expectEvent(
      'message',
      { flags: [], message: { id: messageId } },
      `${keys} message.stream_id`,
    );
    await all.ann.sendPrivately(['bob@example.com'], 'hello');
    const people = 'message.display_recipient.*.{id,email,full_name}';
    await expectEvent(
      'message',
      { message: { subject: '' } },
      `${keys} message.sender_email ${people}`,
    );
  });

  test('update_message for content, and for a topic', async () => {
    await all.ann.patch(`messages/${messageId}`, { content: 'changed' });
    const content = { message_id: messageId, rendered_content: anyString };
    const ofContent = await expectEvent('update_message', content, 'is_me_message');
    expect(ofContent).not.toHaveProperty('subject');
    await all.ann.patch(`messages/${messageId}`, { topic: 'events 2' });
    const topic = { subject: 'events 2', message_id: messageId };
    const ofTopic = await expectEvent(
      'update_message',
      topic,
      'orig_subject stream_id message_ids',
    );
    expect(ofTopic).not.toHaveProperty('rendered_content');
  });

  test('reaction, added and removed', async () => {
    const reaction = { emoji_name: 'tada' };
    const user = { user_id: all.annId };
    await all.ann.post(`messages/${messageId}/reactions`, reaction);
    const keys = 'message_id emoji_name emoji_code reaction_type';
    await expectEvent('reaction', { op: 'add', user }, keys);
    await all.ann.delete(`messages/${messageId}/reactions`, reaction);
    await expectEvent('reaction', { op: 'remove', user }, 'message_id emoji_code');
  });

  test('submessage', async () => {
    await all.ann.post('submessage', { message_id: messageId, msg_type: 'widget', content: '{}' });
    await expectEvent('submessage', {}, 'message_id msg_type submessage_id sender_id content');
  });

  test('subscription update, including muting', async () => {
    const set = (property: string, value: boolean): Promise<JsonObject> =>
      all.bob.call('POST', 'users/me/subscriptions/properties', {
        subscription_data: [{ stream_id: all.streamId, property, value }],
      });
    await set('is_muted', false);
    const muting = await expectEvent('subscription', {}, 'op property value stream_id');
    expect([muting['property'], muting['value']]).toEqual(
      muting['property'] === 'is_muted' ? ['is_muted', false] : ['in_home_view', true],
    );
    for (const property of ['pin_to_top', 'desktop_notifications']) {
      await set(property, false);
      const event = await loop.next('subscription');
      const seen = event['property'] === property ? event : await loop.next('subscription');
      expect(seen).toMatchObject({ op: 'update', property, value: false, stream_id: all.streamId });
    }
  });

  test.each([
    ['subscription peer_add and peer_remove', 'general', 'gil', 'peer_add', 'peer_remove'],
    ['subscription add and remove with their op', 'short lived', 'bob', 'add', 'remove'],
  ] as const)('%s', async (_title, name, who, joined, left) => {
    const principals = [`${who}@example.com`];
    const of =
      who === 'gil' ? { stream_id: all.streamId, user_id: all.organization.id('gil') } : {};
    await all.ann.post('users/me/subscriptions', { subscriptions: [{ name }], principals });
    await expectEvent('subscription', { ...of, op: joined }, 'op');
    await all.ann.delete('users/me/subscriptions', { subscriptions: [name], principals });
    await expectEvent('subscription', { op: left }, 'op');
  });

  test('typing', async () => {
    await all.ann.post('typing', { op: 'start', to: [all.bobId] });
    await expectEvent('typing', { op: 'start', sender: { user_id: all.annId } }, 'sender.email');
  });

  test('update_message_flags', async () => {
    await all.bob.call('POST', 'messages/flags', {
      messages: [messageId],
      op: 'add',
      flag: 'starred',
    });
    const change = { operation: 'add', all: false, flag: 'starred' };
    await expectEvent('update_message_flags', change, 'messages');
  });

  test('realm_emoji', async () => {
    await all.ann.delete('realm/emoji/dot');
    await expectEvent('realm_emoji', {}, 'realm_emoji.*.{name,deactivated}');
  });

  test('realm_user update', async () => {
    await all.ann.patch(`users/${all.organization.id('cat')}`, { full_name: 'Cat Moon' });
    const change = { op: 'update', person: { full_name: 'Cat Moon' } };
    await expectEvent('realm_user', change, 'person.user_id');
  });

  test('user_settings is not sent, and other types of settings events are not requested', async () => {
    await all.bob.call('PATCH', 'settings/display', { twenty_four_hour_time: true });
    await all.ann.sendToStream('general', 'events', 'after the setting');
    await loop.next('message');
    expect(loop.events.map(({ type }) => type)).not.toContain('user_settings');
  });

  test('unknown event types are accepted in register', async () => {
    const { body } = await all.bob.send('POST', 'register', {
      ...registerOf([]),
      event_types: [...eventTypes, 'no_such_type'],
    });
    expect(body).toMatchObject({ result: 'success' });
  });

  test('a deleted queue is replaced, and events continue', async () => {
    await all.bob.call('DELETE', 'events', { queue_id: loop.queueId });
    await loop.step();
    await loop.step();
    expect(loop.registrations).toBe(2);
    const id = await all.ann.sendToStream('general', 'events', 'again');
    expect(await loop.next('message')).toMatchObject({ message: { id } });
  });
});
