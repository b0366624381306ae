/** Requests and answers of the terminal client, from its start on (reference facts, clients 5). */
import type { JsonObject } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anyNumber, anyString } from '../support/matchers.ts';
import { PythonLoop, PythonWire, integerAt, listAt, objectAt, stringAt } from './python-wire.ts';
import type { WireMethod } from './python-wire.ts';
import { missingKeys } from './missing-keys.ts';
import type { KeyPath } from './missing-keys.ts';
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

/** Keys without which the program ends at its start; entries of lists count only if there are any. */
const mustAtStart: readonly (readonly [row: string, keys: readonly KeyPath[]])[] = [
  [
    'queue_id, last_event_id, max_message_id',
    [['queue_id'], ['last_event_id'], ['max_message_id']],
  ],
  ['zulip_version', [['zulip_version']]],
  [
    'user_id, email, full_name, realm_name',
    [['user_id'], ['email'], ['full_name'], ['realm_name']],
  ],
  ['realm_message_retention_days', [['realm_message_retention_days']]],
  [
    'realm_users',
    [
      ['realm_users'],
      ...['user_id', 'email', 'full_name', 'is_bot'].map((key) => ['realm_users', '*', key]),
    ],
  ],
  [
    'cross_realm_bots',
    [
      ['cross_realm_bots'],
      ...['user_id', 'email', 'full_name'].map((key) => ['cross_realm_bots', '*', key]),
    ],
  ],
  [
    'presences',
    [
      ['presences'],
      ...['status', 'timestamp'].flatMap((key) => [
        ['presences', '*', '*', key],
        ['presences', '*', 'aggregated', key],
      ]),
    ],
  ],
  [
    'subscriptions',
    [
      ['subscriptions'],
      ...[
        'stream_id',
        'name',
        'description',
        'invite_only',
        'color',
        'is_muted',
        'pin_to_top',
        'desktop_notifications',
      ].map((key) => ['subscriptions', '*', key]),
    ],
  ],
  [
    'unread_msgs',
    [
      ['unread_msgs'],
      ...['pms', 'streams', 'huddles', 'mentions'].map((key) => ['unread_msgs', key]),
      ...['sender_id', 'unread_message_ids'].map((key) => ['unread_msgs', 'pms', '*', key]),
      ...['stream_id', 'topic', 'unread_message_ids'].map((key) => [
        'unread_msgs',
        'streams',
        '*',
        key,
      ]),
      ...['user_ids_string', 'unread_message_ids'].map((key) => [
        'unread_msgs',
        'huddles',
        '*',
        key,
      ]),
    ],
  ],
  ['starred_messages', [['starred_messages']]],
  ['muted_topics', [['muted_topics']]],
  [
    'realm_user_groups',
    [['realm_user_groups'], ...['id', 'name'].map((key) => ['realm_user_groups', '*', key])],
  ],
  [
    'realm_emoji',
    [['realm_emoji'], ...['name', 'deactivated'].map((key) => ['realm_emoji', '*', key])],
  ],
  [
    'twenty_four_hour_time, pm_content_in_desktop_notifications',
    [['twenty_four_hour_time'], ['pm_content_in_desktop_notifications']],
  ],
];

const mustLater: readonly (readonly [row: string, keys: readonly KeyPath[]])[] = [
  ['subscriptions[].subscribers', [['subscriptions', '*', 'subscribers']]],
  [
    'subscriptions[].rendered_description, .history_public_to_subscribers, .stream_weekly_traffic',
    [
      ['subscriptions', '*', 'rendered_description'],
      ['subscriptions', '*', 'history_public_to_subscribers'],
      ['subscriptions', '*', 'stream_weekly_traffic'],
    ],
  ],
  ['presences[email].aggregated', [['presences', '*', 'aggregated']]],
  [
    'bot_type of bots',
    [
      ['cross_realm_bots', '*', 'bot_type'],
      ['realm_users', '*', 'bot_type'],
    ],
  ],
  [
    'custom_profile_fields',
    [
      ['custom_profile_fields'],
      ...['id', 'name', 'type', 'order', 'field_data'].map((key) => [
        'custom_profile_fields',
        '*',
        key,
      ]),
    ],
  ],
  ['realm_allow_edit_history', [['realm_allow_edit_history']]],
  [
    'realm_allow_message_editing, realm_message_content_edit_limit_seconds',
    [['realm_allow_message_editing'], ['realm_message_content_edit_limit_seconds']],
  ],
];

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
    for (const { state } of [nothing, everything]) {
      const keys = [...mustAtStart, ...mustLater].flatMap(([, paths]) => paths);
      expect(
        missingKeys(
          state,
          keys.filter((path) => !path.includes('*')),
        ),
      ).toEqual([]);
      expect(state['realm_users']).toContainEqual(
        expect.objectContaining({ user_id: state['user_id'] }),
      );
      expect(state).not.toHaveProperty('zulip_feature_level');
    }
  });

  test.each([...mustAtStart, ...mustLater])(
    '%s: a user who has everything has it',
    (_row, keys) => {
      expect(missingKeys(withBotLast(everything.state), keys)).toEqual([]);
    },
  );

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
    for (const [, keys] of mustAtStart) expect(missingKeys(withBotLast(state), keys)).toEqual([]);
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

type Row = {
  readonly title: string;
  readonly request: () => readonly [method: WireMethod, path: string, parameters?: JsonObject];
  /** Indexes the answer; the test compares the result. */
  readonly read: (answer: JsonObject) => unknown;
  readonly expected: () => unknown;
};

function row(
  title: string,
  request: Row['request'],
  read: Row['read'],
  expected: Row['expected'] = () => true,
): Row {
  return { title, request, read, expected };
}

function fetching(
  narrow: unknown,
  parameters: JsonObject = { anchor: 0, use_first_unread_anchor: true },
): [WireMethod, string, JsonObject] {
  return [
    'GET',
    'messages',
    {
      num_before: 30,
      num_after: 10,
      apply_markdown: true,
      client_gravatar: true,
      narrow,
      ...parameters,
    },
  ];
}

/** @returns whether there are messages */
function readPage(answer: JsonObject): boolean {
  return listAt(answer, 'messages').length > 0;
}

function idsOf(answer: JsonObject): number[] {
  return listAt(answer, 'messages').map((message) => integerAt(message, 'id'));
}

function readNothing({ result }: JsonObject): boolean {
  return result === 'success';
}

describe('later calls (reference facts, clients 5.6)', () => {
  /** A message by Bob, who may edit it. */
  let ownId: number;
  beforeAll(async () => {
    const sent = await all.bob.call('POST', 'messages', {
      type: 'stream',
      to: 'general',
      subject: 'lunch',
      content: 'mine',
      read_by_sender: true,
    });
    ownId = integerAt(sent, 'id');
    await all.ann.post('messages/flags', { messages: [ownId], op: 'add', flag: 'starred' });
  });

  const lunch = [
    ['stream', 'general'],
    ['topic', 'lunch'],
  ];
  const unread = (n: number): number => all.unreadIds[n] ?? 0;
  const rows: readonly Row[] = [
    row(
      'scroll up',
      () =>
        fetching([['stream', 'general']], {
          anchor: unread(1),
          num_before: 30,
          num_after: 0,
          use_first_unread_anchor: false,
        }),
      readPage,
    ),
    row(
      'scroll down',
      () =>
        fetching([['stream', 'general']], {
          anchor: unread(0),
          num_before: 0,
          num_after: 30,
          use_first_unread_anchor: false,
        }),
      readPage,
    ),
    row('open a stream', () => fetching([['stream', 'general']]), readPage),
    row('open a topic', () => fetching(lunch), readPage),
    row('open all private messages', () => fetching([['is', 'private']]), readPage),
    row('open starred messages', () => fetching([['is', 'starred']]), readPage),
    row('open mentions', () => fetching([['is', 'mentioned']]), readPage),
    row(
      'open a conversation, with comma and space and without the own address',
      () => fetching([['pm-with', 'ann@example.com, cat@example.com']]),
      (answer) => [readPage(answer), idsOf(answer)],
      () => [true, [unread(3)]],
    ),
    row('open a view at a message', () => fetching(lunch, { anchor: unread(1) }), readPage),
    row(
      'search in a view',
      () =>
        fetching([...lunch, ['search', 'mine']], {
          anchor: 10_000_000_000,
          num_before: 30,
          num_after: 0,
        }),
      idsOf,
      () => [ownId],
    ),
    row(
      'newest message of a topic',
      () =>
        fetching(
          [
            { operator: 'stream', operand: all.streamId },
            { operator: 'topic', operand: 'lunch' },
          ],
          { anchor: pageMax, num_before: 1, num_after: 0 },
        ),
      (answer) => idsOf(answer).at(-1),
      () => ownId,
    ),
    row(
      'topics of a stream, newest first',
      () => ['GET', `users/me/${all.streamId}/topics`],
      (answer) => listAt(answer, 'topics').map((topic) => stringAt(topic, 'name')),
      () => ['lunch', 'stream events'],
    ),
    row(
      'send to a stream',
      () => [
        'POST',
        'messages',
        { type: 'stream', to: 'general', subject: 'talk', content: 'hi', read_by_sender: true },
      ],
      readNothing,
    ),
    row(
      'send privately by ids',
      () => [
        'POST',
        'messages',
        { type: 'private', to: [all.annId], content: 'hi', read_by_sender: true },
      ],
      readNothing,
    ),
    row(
      'edit content and topic',
      () => [
        'PATCH',
        `messages/${ownId}`,
        { message_id: ownId, propagate_mode: 'change_one', topic: 'lunch 2', content: 'edited' },
      ],
      readNothing,
    ),
    row('typing', () => ['POST', 'typing', { op: 'start', to: [all.annId] }], readNothing),
    row(
      'mark as read',
      () => ['POST', 'messages/flags', { messages: [unread(0)], flag: 'read', op: 'add' }],
      readNothing,
    ),
    row(
      'take a star away',
      () => ['POST', 'messages/flags', { messages: [unread(0)], flag: 'starred', op: 'remove' }],
      readNothing,
    ),
    row(
      'react',
      () => [
        'POST',
        `messages/${unread(0)}/reactions`,
        {
          message_id: unread(0),
          emoji_name: 'thumbs_up',
          emoji_code: '1f44d',
          reaction_type: 'unicode_emoji',
        },
      ],
      readNothing,
    ),
    row(
      'take a reaction away',
      () => [
        'DELETE',
        `messages/${unread(0)}/reactions`,
        {
          message_id: unread(0),
          emoji_name: 'thumbs_up',
          emoji_code: '1f44d',
          reaction_type: 'unicode_emoji',
        },
      ],
      readNothing,
    ),
    row(
      'raw content, for quote, edit and raw view',
      () => ['GET', `messages/${ownId}`],
      (answer) => stringAt(answer, 'raw_content'),
      () => 'edited',
    ),
    row(
      'edit history',
      () => ['GET', `messages/${ownId}/history`],
      (answer) =>
        listAt(answer, 'message_history').map((snapshot) => [
          integerAt(snapshot, 'timestamp') > 0,
          integerAt(snapshot, 'user_id'),
          stringAt(snapshot, 'topic'),
          stringAt(snapshot, 'content'),
          (snapshot as JsonObject)['prev_topic'],
          (snapshot as JsonObject)['prev_content'],
        ]),
      () => [
        [true, all.bobId, 'lunch', 'mine', undefined, undefined],
        [true, all.bobId, 'lunch 2', 'edited', 'lunch', 'mine'],
      ],
    ),
    ...(['is_muted', 'pin_to_top', 'desktop_notifications'] as const).map((property) =>
      row(
        `set ${property}`,
        () => [
          'POST',
          'users/me/subscriptions/properties',
          { subscription_data: [{ stream_id: all.streamId, property, value: true }] },
        ],
        readNothing,
      ),
    ),
  ];

  test.each(rows)('$title', async ({ request, read, expected }) => {
    const [method, path, parameters] = request();
    expect(read(await all.bob.call(method, path, parameters))).toEqual(expected());
  });

  test('mute, pin and notify are visible in the state', async () => {
    const { subscriptions } = await all.bob.call('POST', 'register', registerOf(['subscription']));
    expect(subscriptions).toMatchObject([
      { is_muted: true, pin_to_top: true, desktop_notifications: true },
    ]);
  });

  test('own messages that it sent are read', async () => {
    const { messages } = await all.bob.call(
      ...fetching([
        ['stream', 'general'],
        ['topic', 'talk'],
      ]),
    );
    expect(messages).toMatchObject([{ flags: ['read'], client: 'ZulipTerminal' }]);
  });

  test('leave deletes the queue within its one second', async () => {
    const { queue_id } = everything.state;
    expect(await all.bob.call('DELETE', 'events', { queue_id })).toMatchObject({
      result: 'success',
    });
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

  const next = (type: string): Promise<JsonObject> => loop.next(type);

  function missing(event: JsonObject, ...paths: readonly KeyPath[]): string[] {
    return missingKeys(event, paths);
  }

  test('message, to a stream and private', async () => {
    messageId = await all.ann.sendToStream('general', 'events', '/poll Hello?');
    const event = await next('message');
    expect(event).toMatchObject({ flags: [], message: { id: messageId } });
    const common = ['id', 'type', 'content', 'timestamp', 'subject', 'is_me_message'];
    const more = ['reactions', 'sender_id', 'sender_full_name', 'display_recipient'];
    const keys = [...common, ...more].map((key) => ['message', key]);
    expect(
      missing(event, ['id'], ['type'], ['message'], ...keys, ['message', 'stream_id']),
    ).toEqual([]);
    await all.ann.sendPrivately(['bob@example.com'], 'hello');
    const privately = await next('message');
    expect(privately).toMatchObject({ message: { subject: '' } });
    const people = ['id', 'email', 'full_name'].map((key) => [
      'message',
      'display_recipient',
      '*',
      key,
    ]);
    expect(missing(privately, ...keys, ['message', 'sender_email'], ...people)).toEqual([]);
  });

  test('update_message for content, and for a topic', async () => {
    await all.ann.patch(`messages/${messageId}`, { content: 'changed' });
    const ofContent = await next('update_message');
    expect(ofContent).toMatchObject({ message_id: messageId, rendered_content: anyString });
    expect(ofContent).not.toHaveProperty('subject');
    expect(missing(ofContent, ['message_id'], ['is_me_message'])).toEqual([]);
    await all.ann.patch(`messages/${messageId}`, { topic: 'events 2' });
    const ofTopic = await next('update_message');
    expect(ofTopic).toMatchObject({ subject: 'events 2' });
    expect(ofTopic).not.toHaveProperty('rendered_content');
    expect(
      missing(ofTopic, ['message_id'], ['orig_subject'], ['stream_id'], ['message_ids']),
    ).toEqual([]);
  });

  test('reaction, added and removed', async () => {
    const reaction = { emoji_name: 'tada' };
    await all.ann.post(`messages/${messageId}/reactions`, reaction);
    const added = await next('reaction');
    expect(added).toMatchObject({ op: 'add', user: { user_id: all.annId } });
    expect(
      missing(
        added,
        ['op'],
        ['message_id'],
        ['emoji_name'],
        ['emoji_code'],
        ['reaction_type'],
        ['user'],
      ),
    ).toEqual([]);
    await all.ann.delete(`messages/${messageId}/reactions`, reaction);
    const removed = await next('reaction');
    expect(removed).toMatchObject({ op: 'remove' });
    expect(missing(removed, ['op'], ['message_id'], ['emoji_code'])).toEqual([]);
    expect(removed).toMatchObject({ user: { user_id: all.annId } });
  });

  test('submessage', async () => {
    await all.ann.post('submessage', { message_id: messageId, msg_type: 'widget', content: '{}' });
    const event = await next('submessage');
    expect(
      missing(event, ['message_id'], ['msg_type'], ['submessage_id'], ['sender_id'], ['content']),
    ).toEqual([]);
  });

  test('subscription update, including muting', async () => {
    const set = (property: string, value: boolean): Promise<JsonObject> =>
      all.bob.call('POST', 'users/me/subscriptions/properties', {
        subscription_data: [{ stream_id: all.streamId, property, value }],
      });
    await set('is_muted', false);
    const muting = await next('subscription');
    expect([muting['property'], muting['value']]).toEqual(
      muting['property'] === 'is_muted' ? ['is_muted', false] : ['in_home_view', true],
    );
    expect(missing(muting, ['op'], ['property'], ['value'], ['stream_id'])).toEqual([]);
    for (const property of ['pin_to_top', 'desktop_notifications']) {
      await set(property, false);
      const event = await next('subscription');
      const seen = event['property'] === property ? event : await next('subscription');
      expect(seen).toMatchObject({ op: 'update', property, value: false, stream_id: all.streamId });
    }
  });

  test('subscription peer_add and peer_remove', async () => {
    const subscription = { subscriptions: [{ name: 'general' }], principals: ['gil@example.com'] };
    await all.ann.post('users/me/subscriptions', subscription);
    const added = await next('subscription');
    expect(added).toMatchObject({
      op: 'peer_add',
      stream_id: all.streamId,
      user_id: all.organization.id('gil'),
    });
    await all.ann.delete('users/me/subscriptions', {
      subscriptions: ['general'],
      principals: ['gil@example.com'],
    });
    expect(await next('subscription')).toMatchObject({ op: 'peer_remove' });
  });

  test('subscription add and remove with their op', async () => {
    const own = { subscriptions: [{ name: 'short lived' }], principals: ['bob@example.com'] };
    await all.ann.post('users/me/subscriptions', own);
    expect(await next('subscription')).toMatchObject({ op: 'add' });
    await all.ann.delete('users/me/subscriptions', {
      subscriptions: ['short lived'],
      principals: ['bob@example.com'],
    });
    expect(await next('subscription')).toMatchObject({ op: 'remove' });
  });

  test('typing', async () => {
    await all.ann.post('typing', { op: 'start', to: [all.bobId] });
    const event = await next('typing');
    expect(event).toMatchObject({ op: 'start', sender: { user_id: all.annId } });
    expect(missing(event, ['op'], ['sender'], ['sender', 'user_id'], ['sender', 'email'])).toEqual(
      [],
    );
  });

  test('update_message_flags', async () => {
    await all.bob.call('POST', 'messages/flags', {
      messages: [messageId],
      op: 'add',
      flag: 'starred',
    });
    const event = await next('update_message_flags');
    expect(event).toMatchObject({ operation: 'add', all: false, flag: 'starred' });
    expect(missing(event, ['operation'], ['all'], ['flag'], ['messages'])).toEqual([]);
  });

  test('realm_emoji', async () => {
    await all.ann.delete('realm/emoji/dot');
    const event = await next('realm_emoji');
    expect(
      missing(
        event,
        ['realm_emoji'],
        ['realm_emoji', '*', 'name'],
        ['realm_emoji', '*', 'deactivated'],
      ),
    ).toEqual([]);
  });

  test('realm_user update', async () => {
    await all.ann.patch(`users/${all.organization.id('cat')}`, { full_name: 'Cat Moon' });
    const event = await next('realm_user');
    expect(event).toMatchObject({ op: 'update', person: { full_name: 'Cat Moon' } });
    expect(missing(event, ['person', 'user_id'])).toEqual([]);
  });

  test('user_settings is not sent, and other types of settings events are not requested', async () => {
    await all.bob.call('PATCH', 'settings/display', { twenty_four_hour_time: true });
    await all.ann.sendToStream('general', 'events', 'after the setting');
    await next('message');
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
    expect(await next('message')).toMatchObject({ message: { id } });
  });
});
