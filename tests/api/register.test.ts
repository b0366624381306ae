/** The answer of register for each fetch type and parameter (reference facts, events 3, 4 and 19). */
import { readObjects } from '@parley/test-kit';
import type { JsonObject, Parameters } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { textMatching } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { FollowedQueue } from './follow-queue.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';

const organization = useFixture(() => startSmallOrganization({ events: 1, messages: 1 }));
beforeAll(async () => {
  const as = (who: PersonKey) => organization.client(who);
  await as('bob').post('users/me/subscriptions', {
    subscriptions: [{ name: 'general' }, { name: 'Art' }],
    principals: ['bob@example.com', 'gil@example.com'],
  });
  await as('bob').subscribe('board', { invite_only: true });
});

function register(who: PersonKey, parameters: Parameters = {}): Promise<JsonObject> {
  return organization.client(who).post('register', parameters);
}

const always = ['last_event_id', 'msg', 'queue_id', 'result'];

/** @returns the keys in addition to those of every answer */
async function keysOf(who: PersonKey, parameters: Parameters): Promise<string[]> {
  const answer = await register(who, parameters);
  expect(Object.keys(answer)).toEqual(expect.arrayContaining(always));
  return Object.keys(answer)
    .filter((key) => !always.includes(key))
    .toSorted();
}

/** Reference facts, events 4.6. */
const displaySettings = {
  default_language: 'en',
  demote_inactive_streams: 1,
  dense_mode: true,
  enable_drafts_synchronization: true,
  emojiset: 'google-blob',
  fluid_layout_width: false,
  high_contrast_mode: false,
  left_side_userlist: false,
  night_mode: false,
  starred_message_counts: false,
  timezone: '',
  translate_emoticons: false,
  twenty_four_hour_time: false,
  emojiset_choices: [
    { key: 'google', text: 'Google modern' },
    { key: 'google-blob', text: 'Google classic' },
    { key: 'twitter', text: 'Twitter' },
    { key: 'text', text: 'Plain text' },
  ],
};
const notificationSettings = {
  enable_desktop_notifications: true,
  enable_digest_emails: true,
  enable_login_emails: true,
  enable_offline_email_notifications: true,
  enable_offline_push_notifications: true,
  enable_online_push_notifications: true,
  enable_sounds: true,
  enable_stream_desktop_notifications: false,
  enable_stream_email_notifications: false,
  enable_stream_push_notifications: false,
  enable_stream_audible_notifications: false,
  wildcard_mentions_notify: true,
  message_content_in_email_notifications: true,
  email_notifications_batching_period_seconds: 120,
  notification_sound: 'zulip',
  pm_content_in_desktop_notifications: true,
  desktop_icon_count_display: 1,
  realm_name_in_notifications: false,
  available_notification_sounds: ['ding', 'zulip'],
};

/** Reference facts, events 4.5, with their default values. */
const realmSettings = {
  realm_add_emoji_by_admins_only: false,
  realm_allow_edit_history: true,
  realm_allow_message_deleting: false,
  realm_default_twenty_four_hour_time: false,
  realm_digest_emails_enabled: false,
  realm_disallow_disposable_email_addresses: true,
  realm_email_changes_disabled: false,
  realm_invite_required: true,
  realm_invite_by_admins_only: false,
  realm_inline_image_preview: true,
  realm_inline_url_embed_preview: false,
  realm_mandatory_topics: false,
  realm_send_move_notices: false,
  realm_name_changes_disabled: false,
  realm_avatar_changes_disabled: false,
  realm_emails_restricted_to_domains: false,
  realm_send_welcome_emails: true,
  realm_message_content_allowed_in_email_notifications: true,
  realm_bot_creation_policy: 1,
  realm_create_stream_policy: 1,
  realm_invite_to_stream_policy: 1,
  realm_user_group_edit_policy: 1,
  realm_email_address_visibility: 1,
  realm_video_chat_provider: 1,
  realm_waiting_period_threshold: 0,
  realm_digest_weekday: 1,
  realm_default_language: 'en',
  realm_google_hangouts_domain: '',
  realm_message_retention_days: null,
  realm_allow_message_editing: true,
  realm_allow_community_topic_editing: true,
  realm_message_content_edit_limit_seconds: 600,
  realm_message_content_delete_limit_seconds: 600,
  realm_name: 'Example',
  realm_description: 'We *test*.',
  realm_authentication_methods: { Dev: true, Email: true },
  realm_icon_source: 'G',
  max_icon_file_size: 5,
  realm_logo_source: 'D',
  realm_night_logo_source: 'D',
  max_logo_file_size: 5,
  realm_notifications_stream_id: -1,
  realm_signup_notifications_stream_id: -1,
  realm_presence_disabled: false,
  realm_is_zephyr_mirror_realm: false,
  realm_email_auth_enabled: true,
  realm_password_auth_enabled: true,
  realm_push_notifications_enabled: false,
  settings_send_digest_emails: false,
  realm_upload_quota: null,
  realm_plan_type: 1,
  plan_includes_wide_organization_logo: true,
  realm_available_video_chat_providers: {
    jitsi_meet: { name: 'Jitsi Meet', id: 1 },
    google_hangouts: { name: 'Google Hangouts', id: 2 },
  },
};

/** Every fetch type with the keys that it adds, for a member (reference facts, events 4). */
const keysByType: readonly (readonly [type: string, keys: readonly string[]])[] = [
  ...Object.entries({
    alert_words: 'alert_words',
    custom_profile_fields: 'custom_profile_field_types custom_profile_fields',
    default_streams: 'realm_default_streams',
    default_stream_groups: 'realm_default_stream_groups',
    drafts: 'drafts',
    hotspots: 'hotspots',
    message: 'max_message_id',
    muted_topics: 'muted_topics',
    pointer: 'pointer',
    presence: 'presences',
    scheduled_messages: 'scheduled_messages',
    realm: `${Object.keys(realmSettings).join(' ')} realm_icon_url realm_logo_url realm_night_logo_url realm_uri realm_bot_domain
      upgrade_text_for_wide_organization_logo realm_default_external_accounts`,
    realm_bot: 'realm_bots',
    realm_domains: 'realm_domains',
    realm_embedded_bots: 'realm_embedded_bots',
    realm_incoming_webhook_bots: 'realm_incoming_webhook_bots',
    realm_emoji: 'realm_emoji',
    realm_filters: 'realm_filters',
    realm_user: `avatar_source avatar_url avatar_url_medium can_create_streams can_subscribe_other_users cross_realm_bots delivery_email email
      enter_sends full_name is_admin is_guest realm_non_active_users realm_users user_id`,
    realm_user_groups: 'realm_user_groups',
    recent_private_conversations: 'recent_private_conversations',
    starred_messages: 'starred_messages',
    stop_words: 'stop_words',
    stream: 'stream_description_max_length stream_name_max_length streams',
    subscription: 'never_subscribed subscriptions unsubscribed',
    user_status: 'user_status',
    zulip_version: 'zulip_version',
  }).map(([type, keys]): [string, string[]] => [type, keys.split(/\s+/)]),
  ['update_display_settings', Object.keys(displaySettings)],
  ['update_global_notifications', Object.keys(notificationSettings)],
  ['user_settings', [...Object.keys(displaySettings), ...Object.keys(notificationSettings)]],
];
const withoutState =
  `attachment delete_message heartbeat invites_changed reaction realm_export restart submessage typing update_message
  update_message_flags user_group`.split(/\s+/);

describe('fetch types', () => {
  test.each(keysByType)('%s adds only its keys', async (type, keys) => {
    const expected = [...new Set(keys)].toSorted();
    for (const who of ['ann', 'bob', 'gil', 'bobBot'] as const)
      expect(await keysOf(who, { fetch_event_types: [type] })).toEqual(expected);
  });

  test('types without state add nothing', async () => {
    expect(await keysOf('bob', { fetch_event_types: withoutState })).toEqual([]);
  });

  test('checklist 1: register with no parameters returns a queue at the head and the full state', async () => {
    const position = await organization.position();
    const answer = await register('bob');
    expect(answer['last_event_id']).toBeGreaterThanOrEqual(position);
    const everything = new Set([...keysByType.flatMap(([, keys]) => keys), 'unread_msgs']);
    expect(
      Object.keys(answer)
        .filter((key) => !always.includes(key))
        .toSorted(),
    ).toEqual([...everything].toSorted());
  });

  test('checklist 3: without fetch types, only the basic keys are returned', async () => {
    expect(await keysOf('bob', { fetch_event_types: [] })).toEqual([]);
    expect(await keysOf('bob', { event_types: ['realm_user'], fetch_event_types: [] })).toEqual([]);
  });

  test('checklist 5: with both types, unread_msgs has five keys', async () => {
    const answer = await register('bob', {
      fetch_event_types: ['message', 'update_message_flags'],
    });
    expect(Object.keys(answer['unread_msgs'] as object).toSorted()).toEqual([
      'count',
      'huddles',
      'mentions',
      'pms',
      'streams',
    ]);
  });

  test('checklist 6: unknown types are accepted', async () => {
    const types = ['__proto__', 'constructor', 'no such type'];
    expect(await keysOf('bob', { event_types: types })).toEqual([]);
    expect(await keysOf('bob', { fetch_event_types: types })).toEqual([]);
  });

  test('settings of the organization and of the person have their defaults', async () => {
    const answer = await register('cat');
    expect(answer).toMatchObject(realmSettings);
    expect(answer).toMatchObject(displaySettings);
    expect(answer).toMatchObject(notificationSettings);
    expect(answer).toMatchObject({
      zulip_version: '2.1.4',
      hotspots: [{ name: 'intro_reply', delay: 0.5 }],
      stream_name_max_length: 60,
      stream_description_max_length: 1024,
      realm_default_external_accounts: {
        github: {
          hint: 'Enter your GitHub username',
          name: 'GitHub',
          text: 'GitHub',
          url_pattern: 'https://github.com/%(username)s',
        },
        twitter: {
          hint: 'Enter your Twitter username',
          name: 'Twitter',
          text: 'Twitter',
          url_pattern: 'https://twitter.com/%(username)s',
        },
      },
      realm_bot_domain: '127.0.0.1',
      realm_icon_url:
        'https://secure.gravatar.com/avatar/1a79a4d60de6718e8e5b326e338ae533?d=identicon',
      realm_logo_url: '/static/images/logo/parley-logo.png?version=0',
      realm_night_logo_url: '/static/images/logo/parley-logo-night.png?version=0',
      realm_uri: textMatching(/^http:/),
      upgrade_text_for_wide_organization_logo: '',
      custom_profile_field_types: {
        SHORT_TEXT: { id: 1, name: 'Short text' },
        LONG_TEXT: { id: 2, name: 'Long text' },
        CHOICE: { id: 3, name: 'List of options' },
        DATE: { id: 4, name: 'Date picker' },
        URL: { id: 5, name: 'Link' },
        USER: { id: 6, name: 'Person picker' },
        EXTERNAL_ACCOUNT: { id: 7, name: 'External account' },
      },
    });
    expect(answer).not.toHaveProperty('zulip_feature_level');
  });

  test('stop words are those that search ignores', async () => {
    const words = (await register('bob', { fetch_event_types: ['stop_words'] }))[
      'stop_words'
    ] as string[];
    expect(words).toEqual(expect.arrayContaining(['the', 'yourselves', 'a', 'z', 't']));
    const { rows } = await organization.pool.query<{ word: string }>({
      text: `SELECT word FROM unnest($1::text[]) word WHERE to_tsvector('english', word) <> '' AND length(word) > 1`,
      values: [words],
    });
    expect(rows).toEqual([]);
    expect(words.filter((word) => word.length > 1)).toHaveLength(123);
  });
});

describe('parameters', () => {
  const refusals: [name: string, given: string, msg: string][] = [
    ['narrow', '["a"]', 'narrow[0] is not a list'],
    ['narrow', '[["stream"]]', 'narrow[0] should have exactly 2 items'],
    ...['pm-with', 'search', 'near', 'id', 'has'].map((operator): [string, string, string] => [
      'narrow',
      `[["${operator}", "a@b"]]`,
      `Operator ${operator} not supported.`,
    ]),
    ['queue_lifespan_secs', '-1', "Bad value for 'queue_lifespan_secs': -1"],
  ];
  test.each(refusals)('%s %s is refused', async (name, given, msg) => {
    const answer = await organization.client('bob').request('POST', 'register', { [name]: given });
    expect(answer).toMatchObject({ status: 400, body: { msg } });
    expect(answer.body['code']).toBe(
      name === 'queue_lifespan_secs' ? 'REQUEST_VARIABLE_INVALID' : 'BAD_REQUEST',
    );
  });

  test('checklist 8: a flat narrow and a list of one pair are equivalent', async () => {
    for (const narrow of [['stream', 'ART'], [['stream', 'ART']]]) {
      const queue = await FollowedQueue.open(organization.client('cat'), {
        event_types: ['message'],
        narrow,
      });
      const sent: number[] = [];
      for (const stream of ['general', 'Art'])
        sent.push(await organization.client('bob').sendToStream(stream, 'x', 'hello'));
      const [event] = await queue.next(1);
      expect(event).toMatchObject({ flags: [], message: { id: sent[1] } });
    }
  });

  test('checklist 14: a multipart register works like a form-encoded one', async () => {
    const bob = organization.client('bob');
    const form = new FormData();
    form.set('event_types', '["alert_words"]');
    const answer = await fetch(`${bob.urls[0]}/api/v1/register`, {
      method: 'POST',
      body: form,
      headers: {
        authorization: `Basic ${Buffer.from(`${bob.email}:${bob.apiKey}`).toString('base64')}`,
      },
    });
    const body = (await answer.json()) as JsonObject;
    expect(Object.keys(body).toSorted()).toEqual([...always, 'alert_words'].toSorted());
  });

  test('a queue gets only the requested types', async () => {
    const bob = organization.client('bob');
    const queue = await FollowedQueue.open(bob, { event_types: ['alert_words'] });
    await bob.post('users/me/status', { status_text: 'busy' });
    await bob.post('users/me/alert_words', { alert_words: ['tide'] });
    expect(await queue.next(1)).toEqual([{ type: 'alert_words', alert_words: ['tide'] }]);
  });

  test('a bot gets its configured default queue, unless it sets parameters or only polls', async () => {
    const bot = organization.client('bobBot');
    await organization.client('bob').patch(`bots/${organization.id('bobBot')}`, {
      default_events_register_stream: 'Art',
      default_all_public_streams: true,
    });
    const byDefault = await FollowedQueue.open(bot, { event_types: ['message'] });
    const wide = await FollowedQueue.open(bot, { event_types: ['message'], narrow: [] });
    const none = await FollowedQueue.open(bot, {
      event_types: ['message'],
      narrow: [],
      all_public_streams: false,
    });
    const polled = await FollowedQueue.openByPoll(bot, { event_types: ['message'] });
    const ids: number[] = [];
    for (const stream of ['general', 'Art'])
      ids.push(await organization.client('bob').sendToStream(stream, 'x', 'for bots'));
    ids.push(await organization.client('bob').sendPrivately(['bob-bot@example.com'], 'psst'));
    const idsOf = (events: readonly JsonObject[]): unknown[] =>
      events.map((event) => (event['message'] as JsonObject)['id']);
    expect(idsOf(await byDefault.next(1))).toEqual([ids[1]]);
    expect(idsOf(await wide.next(3))).toEqual(ids);
    expect(idsOf(await none.next(1))).toEqual([ids[2]]);
    expect(idsOf(await polled.next(1))).toEqual([ids[2]]);
    await organization.client('bob').patch(`bots/${organization.id('bobBot')}`, {
      default_events_register_stream: '',
      default_all_public_streams: false,
    });
  });
});

describe('state', () => {
  test("checklist 10: without messages the newest is -1, and a new account's pointer is -1", async () => {
    const { person } = await organization.makePersonWithBot('nobody');
    const answer = await organization.clientOf(person).post('register');
    expect(answer).toMatchObject({
      max_message_id: -1,
      pointer: -1,
      starred_messages: [],
      recent_private_conversations: [],
      muted_topics: [],
      alert_words: [],
      subscriptions: [],
      unsubscribed: [],
      unread_msgs: { pms: [], streams: [], huddles: [], mentions: [], count: 0 },
    });
  });

  test('checklist 11: subscribers are included only on request', async () => {
    const lists = ['subscriptions', 'unsubscribed', 'never_subscribed'];
    for (const who of ['ann', 'bob', 'gil', 'bobBot'] as const) {
      const plain = await register(who);
      const full = await register(who, { include_subscribers: true });
      for (const list of lists) {
        expect(readObjects(plain, list).filter((item) => 'subscribers' in item)).toEqual([]);
        expect(readObjects(full, list).filter((item) => !('subscribers' in item))).toEqual([]);
      }
    }
    const general = readObjects(
      await register('gil', { include_subscribers: true }),
      'subscriptions',
    ).find((item) => item['name'] === 'general');
    expect(general?.['subscribers']).toEqual(
      [organization.id('bob'), organization.id('gil')].toSorted((a, b) => a - b),
    );
  });

  test('checklist 12: null notification settings need the client capability', async () => {
    const names = [
      'desktop_notifications',
      'audible_notifications',
      'push_notifications',
      'email_notifications',
    ];
    await organization.client('bob').patch('settings/notifications', {
      enable_stream_push_notifications: true,
    });
    const read = async (client_capabilities: unknown): Promise<readonly JsonObject[]> =>
      readObjects(await register('bob', { client_capabilities }), 'subscriptions');
    for (const subscription of await read(undefined)) {
      expect(names.map((name) => subscription[name])).toEqual([false, false, true, false]);
      expect(subscription['wildcard_mentions_notify']).toBe(null);
    }
    expect(await read({ notification_settings_null: false })).toEqual(await read(undefined));
    for (const subscription of await read({ notification_settings_null: true }))
      expect(names.map((name) => subscription[name])).toEqual([null, null, null, null]);
  });

  test('checklist 13: unknown capabilities are accepted', async () => {
    for (const client_capabilities of [
      {},
      { bulk_message_deletion: true },
      { user_avatar_url_field_optional: true, notification_settings_null: false },
    ])
      expect(await register('bob', { client_capabilities, fetch_event_types: [] })).toMatchObject({
        result: 'success',
      });
  });

  test('checklist 15: active and deactivated people are listed separately, with the caller among them', async () => {
    const { person } = await organization.makePersonWithBot('leaver');
    await organization.client('ann').delete(`users/${person.user.id}`);
    const answer = await register('gil');
    const users = readObjects(answer, 'realm_users');
    const others = readObjects(answer, 'realm_non_active_users');
    const idsOf = (list: readonly JsonObject[]): number[] =>
      list.map((user) => user['user_id'] as number);
    expect(idsOf(users)).toContain(organization.id('gil'));
    expect(idsOf(users)).not.toContain(person.user.id);
    expect(idsOf(others)).toContain(person.user.id);
    for (const list of [users, others])
      expect(idsOf(list)).toEqual(idsOf(list).toSorted((a, b) => a - b));
    for (const user of [...users, ...others]) expect(user).not.toHaveProperty('is_active');
    // Clients read `bot_type` of every account with `is_bot`.
    for (const bot of [...users, ...readObjects(answer, 'cross_realm_bots')])
      if (bot['is_bot'] === true) expect(typeof bot['bot_type']).toBe('number');
  });

  test("checklist 16: with client_gravatar only the caller's own Gravatar URL is included", async () => {
    const answer = await register('bob', { client_gravatar: true });
    for (const user of readObjects(answer, 'realm_users')) expect(user['avatar_url']).toBe(null);
    for (const key of ['avatar_url', 'avatar_url_medium'])
      expect(answer[key]).toMatch(/^https:\/\/secure\.gravatar\.com\/avatar\//);
    const plain = await register('bob');
    for (const user of readObjects(plain, 'realm_users'))
      expect(user['avatar_url']).toMatch(/^https:\/\/secure\.gravatar\.com\/avatar\//);
  });

  test('checklist 17: notification streams are -1 if unset or deactivated', async () => {
    const ann = organization.client('ann');
    await ann.subscribe('news');
    const { stream_id: streamId } = await ann.get('get_stream_id', { stream: 'news' });
    await ann.patch('realm', { notifications_stream_id: streamId });
    const queue = await FollowedQueue.open(organization.client('gil'), { event_types: ['realm'] });
    const read = async () => (await register('gil'))['realm_notifications_stream_id'];
    expect(await read()).toBe(streamId);
    await ann.delete(`streams/${String(streamId)}`);
    expect(await read()).toBe(-1);
    expect(await queue.next(1)).toEqual([
      { type: 'realm', op: 'update', property: 'notifications_stream_id', value: -1 },
    ]);
  });

  test('private conversations are sorted by newest message and exclude the caller', async () => {
    const [ann, bob, cat] = [
      organization.client('ann'),
      organization.client('bob'),
      organization.client('cat'),
    ];
    await ann.sendPrivately(['cat@example.com'], 'one');
    const group = await cat.sendPrivately(['ann@example.com', 'gil@example.com'], 'two');
    const self = await cat.sendPrivately(['cat@example.com'], 'three');
    const pair = await cat.sendPrivately(['ann@example.com'], 'four');
    await bob.sendPrivately(['ann@example.com'], 'not for Cat');
    const answer = await register('cat', { fetch_event_types: ['recent_private_conversations'] });
    expect(answer['recent_private_conversations']).toEqual([
      { max_message_id: pair, user_ids: [organization.id('ann')] },
      { max_message_id: self, user_ids: [] },
      {
        max_message_id: group,
        user_ids: [organization.id('ann'), organization.id('gil')].toSorted((a, b) => a - b),
      },
    ]);
  });

  test('guests get only their own streams and no default streams; lists are sorted by name', async () => {
    await organization.client('ann').post('default_streams', { stream_name: 'general' });
    const names = (answer: JsonObject, list: string): unknown[] =>
      readObjects(answer, list).map((item) => item['name']);
    const gil = await register('gil');
    expect(names(gil, 'streams')).toEqual(['Art', 'general']);
    expect(names(gil, 'subscriptions')).toEqual(['Art', 'general']);
    expect(gil).toMatchObject({ never_subscribed: [], realm_default_streams: [] });
    const cat = await register('cat');
    expect(names(cat, 'never_subscribed')).toEqual(['Art', 'general']);
    expect(names(cat, 'realm_default_streams')).toEqual(['general']);
    expect(readObjects(cat, 'never_subscribed').filter((item) => 'color' in item)).toEqual([]);
    expect(names(await register('ann'), 'never_subscribed')).toEqual(
      expect.arrayContaining(['Art', 'board', 'general']),
    );
  });
});
