import { ApiClient, readObjects } from '@parley/test-kit';
import type { JsonObject, Parameters } from '@parley/test-kit';
import { beforeEach, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { refusalOf } from './message-fixture.ts';
import { coded, expectOneSuccess, expectRefusal, invalid, success, uncoded } from './refusals.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';
import { watchEveryKind } from './watched-queues.ts';

const organization = useFixture(() =>
  startSmallOrganization({
    events: 2,
    people: 2,
    messages: 1,
    environment: { PARLEY_UPLOAD_QUOTA_MIB: '3' },
  }),
);
beforeEach(async () => {
  await organization.removeStreams();
  await organization.pool.query(
    `UPDATE realm SET name = 'Example', description = 'We *test*.', disabled_authentication_methods = '{}',
      notifications_stream_id = NULL, signup_notifications_stream_id = NULL`,
  );
  await organization.pool.query('DELETE FROM realm_domains');
});

const as = (who?: PersonKey): ApiClient => organization.client(who);

const change = (parameters: Parameters): Promise<JsonObject> =>
  as('ann').patch('realm', parameters);

const updated = (property: string, value: unknown): JsonObject => ({
  type: 'realm',
  op: 'update',
  property,
  value,
});
const together = (data: object): JsonObject => ({
  type: 'realm',
  op: 'update_dict',
  property: 'default',
  data,
});
async function makeStream(name: string, who: PersonKey, isPrivate = false): Promise<number> {
  await as(who).subscribe(name, { invite_only: isPrivate });
  const streams = readObjects(await as(who).get('streams'), 'streams');
  return streams.find((stream) => stream['name'] === name)?.['stream_id'] as number;
}

async function realmState(who: PersonKey = 'gil'): Promise<JsonObject> {
  return as(who).post('register', { fetch_event_types: ['realm'] });
}

/** Every simple setting with another value than its default. */
const others = {
  emails_restricted_to_domains: true,
  disallow_disposable_email_addresses: false,
  invite_required: false,
  invite_by_admins_only: true,
  name_changes_disabled: true,
  email_changes_disabled: true,
  avatar_changes_disabled: true,
  inline_image_preview: false,
  inline_url_embed_preview: true,
  add_emoji_by_admins_only: true,
  allow_message_deleting: true,
  mandatory_topics: true,
  send_move_notices: true,
  allow_edit_history: false,
  default_language: 'de',
  waiting_period_threshold: 7,
  send_welcome_emails: false,
  digest_emails_enabled: true,
  message_content_allowed_in_email_notifications: false,
  bot_creation_policy: 2,
  create_stream_policy: 3,
  invite_to_stream_policy: 2,
  user_group_edit_policy: 2,
  default_twenty_four_hour_time: true,
  video_chat_provider: 2,
  google_hangouts_domain: 'calls.example.com',
  digest_weekday: 6,
} as const;

describe('settings', () => {
  test('each changed one is stored, announced to everybody and in register', async () => {
    const queues = await watchEveryKind(organization);
    const answer = await change({ name: 'New name', description: 'About us', ...others });
    expect(answer).toEqual({
      ...success,
      ...others,
      name: 'updated',
      description: 'updated',
      default_language: 'updated',
      google_hangouts_domain: 'updated',
    });
    const { ann: events, ...rest } = await queues.step();
    const expected = Object.entries({ name: 'New name', description: 'About us', ...others });
    expect(events).toHaveLength(expected.length);
    for (const [property, value] of expected)
      expect(events).toContainEqual(updated(property, value));
    for (const received of Object.values(rest)) expect(received).toEqual(events);
    const state = await realmState();
    for (const [property, value] of expected) expect(state[`realm_${property}`]).toBe(value);
    expect(state['realm_upload_quota']).toBe(3 * 1024 * 1024);
    expect(await change({ name: 'New name', description: 'About us', ...others })).toEqual(success);
    expect(await queues.shared()).toEqual([]);
  });

  test('editing settings are returned and announced together, the limit of deletions separately', async () => {
    const queues = await watchEveryKind(organization);
    const editing = {
      allow_message_editing: true,
      message_content_edit_limit_seconds: 0,
      allow_community_topic_editing: true,
    };
    expect(await change({ message_content_edit_limit_seconds: 0 })).toEqual({
      ...success,
      ...editing,
    });
    const limit = { message_content_delete_limit_seconds: 60 };
    expect(await change({ ...limit, allow_message_editing: true })).toEqual({
      ...success,
      ...limit,
    });
    const none = { ...editing, allow_message_editing: false };
    expect(await change({ allow_message_editing: false, mandatory_topics: true })).toEqual({
      ...success,
      ...none,
      mandatory_topics: true,
    });
    expect(await queues.shared()).toEqual([
      together(editing),
      together(limit),
      updated('mandatory_topics', true),
      together(none),
    ]);
    expect(await realmState()).toMatchObject({
      realm_allow_message_editing: false,
      realm_message_content_edit_limit_seconds: 0,
      realm_allow_community_topic_editing: true,
      realm_message_content_delete_limit_seconds: 60,
    });
  });

  test('notification streams are named by id, and unset by any negative number', async () => {
    const news = await makeStream('news', 'ann');
    const signups = await makeStream('signups', 'bob');
    const queues = await watchEveryKind(organization);
    expect(
      await change({ notifications_stream_id: news, signup_notifications_stream_id: signups }),
    ).toEqual({
      ...success,
      notifications_stream_id: news,
      signup_notifications_stream_id: signups,
    });
    expect(await realmState()).toMatchObject({
      realm_notifications_stream_id: news,
      realm_signup_notifications_stream_id: signups,
    });
    expect(await change({ notifications_stream_id: -7 })).toEqual({
      ...success,
      notifications_stream_id: -1,
    });
    expect(await change({ notifications_stream_id: -1 })).toEqual(success);
    expect(await queues.shared()).toEqual([
      updated('notifications_stream_id', news),
      updated('signup_notifications_stream_id', signups),
      updated('notifications_stream_id', -1),
    ]);
    await organization.pool.query('UPDATE streams SET is_deactivated = true');
    expect(await realmState()).toMatchObject({
      realm_notifications_stream_id: -1,
      realm_signup_notifications_stream_id: -1,
    });
  });

  test('a stream that the administrator may not read looks like a missing one', async () => {
    const hidden = await makeStream('hidden', 'bob', true);
    for (const id of [hidden, 99_999, 5_000_000_000])
      for (const property of ['notifications_stream_id', 'signup_notifications_stream_id'])
        await expectRefusal(
          change({ [property]: id, mandatory_topics: true }),
          'Invalid stream id',
        );
    expect(await realmState()).toMatchObject({ realm_mandatory_topics: false });
  });

  test('texts may be JSON or raw, and their length counts characters', async () => {
    await change({ name: '"Quoted"', description: 'Bare' });
    expect(await realmState()).toMatchObject({ realm_name: 'Quoted', realm_description: 'Bare' });
    expect(await change({ name: '😀'.repeat(40), description: 'é'.repeat(1000) })).toEqual({
      ...success,
      name: 'updated',
      description: 'updated',
    });
  });

  test.each([
    [{ name: 'x'.repeat(41) }, uncoded('Organization name is too long.')],
    [{ description: 'x'.repeat(1001) }, uncoded('Organization description is too long.')],
    [{ default_language: 'tlh' }, coded("Invalid language 'tlh'")],
    [{ default_language: 'EN' }, coded("Invalid language 'EN'")],
    [{ video_chat_provider: 3 }, uncoded('Invalid video_chat_provider 3')],
    [{ video_chat_provider: 4 }, uncoded('Invalid video_chat_provider 4')],
    [{ video_chat_provider: 2 }, uncoded("Invalid domain: Domain can't be empty.")],
    [
      { video_chat_provider: 2, google_hangouts_domain: 'example' },
      uncoded('Invalid domain: Domain must have at least one dot (.)'),
    ],
    [
      { google_hangouts_domain: '.example.com' },
      uncoded('Invalid domain: Domain cannot start or end with a dot (.)'),
    ],
    [{ zoom_user_id: 'me@example.com' }, uncoded('Calls to Zoom are not supported.')],
    [{ zoom_api_key: 'key' }, uncoded('Calls to Zoom are not supported.')],
    [{ zoom_api_secret: '"secret"' }, uncoded('Calls to Zoom are not supported.')],
    [{ message_retention_days: 365 }, uncoded('Message retention is not supported.')],
    [{ message_retention_days: 0 }, uncoded('Message retention is not supported.')],
    [{ bot_creation_policy: 4 }, coded('Invalid bot_creation_policy')],
    [{ create_stream_policy: 0 }, coded('Invalid create_stream_policy')],
    [{ invite_to_stream_policy: 4 }, coded('Invalid invite_to_stream_policy')],
    [{ user_group_edit_policy: 3 }, coded('Invalid user_group_edit_policy')],
    [{ email_address_visibility: 2 }, coded('Invalid email_address_visibility')],
    [{ digest_weekday: 7 }, coded('Invalid digest_weekday')],
    [{ waiting_period_threshold: -1 }, invalid('waiting_period_threshold', '-1')],
    [{ message_retention_days: 'x' }, invalid('message_retention_days', 'x')],
    [
      { authentication_methods: { Email: 1 } },
      coded('authentication_methods["Email"] is not a boolean'),
    ],
    [
      { authentication_methods: { Email: false } },
      uncoded('At least one authentication method must be enabled.'),
    ],
    [
      { authentication_methods: {} },
      uncoded('At least one authentication method must be enabled.'),
    ],
    [
      { authentication_methods: { Email: false, Dev: false, LDAP: true } },
      uncoded('At least one authentication method must be enabled.'),
    ],
  ])('%j is refused, and nothing else of the request happens', async (parameters, expected) => {
    await expectRefusal(change({ ...parameters, avatar_changes_disabled: true }), expected);
    expect(await realmState()).toMatchObject({ realm_avatar_changes_disabled: false });
  });

  test('calls need a domain, which may be stored earlier', async () => {
    expect(await change({ google_hangouts_domain: ' Calls.Example.com ' })).toEqual({
      ...success,
      google_hangouts_domain: 'updated',
    });
    expect(await change({ video_chat_provider: 2 })).toEqual({
      ...success,
      video_chat_provider: 2,
    });
    await expectRefusal(
      change({ google_hangouts_domain: '' }),
      uncoded("Invalid domain: Domain can't be empty."),
    );
    expect(await change({ video_chat_provider: 1, google_hangouts_domain: '""' })).toEqual({
      ...success,
      video_chat_provider: 1,
      google_hangouts_domain: 'updated',
    });
    expect(await realmState()).toMatchObject({
      realm_video_chat_provider: 1,
      realm_google_hangouts_domain: '',
      realm_message_retention_days: null,
    });
  });

  test('null and an empty text leave retention unchanged', async () => {
    expect(await change({ message_retention_days: '', name: 'null' })).toMatchObject(success);
    expect(await change({ mandatory_topics: 'null', digest_weekday: 'null' })).toEqual(success);
    expect(await change({ message_retention_days: '' })).toEqual(success);
    expect(await change({ message_retention_days: 'null' })).toEqual(success);
    expect(await change({ message_retention_days: -1, zoom_api_key: '' })).toEqual(success);
    expect(await change({})).toEqual(success);
  });

  test('events of concurrent changes follow the order of the changes', async () => {
    const queues = await watchEveryKind(organization);
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => change({ waiting_period_threshold: n + 1 })),
    );
    const { gil: events } = await queues.step();
    expect(events).toHaveLength(10);
    expect((await realmState())['realm_waiting_period_threshold']).toBe(events.at(-1)?.['value']);
  });
});

describe('effects of settings', () => {
  test('a disabled authentication method is refused and not offered', async () => {
    const queues = await watchEveryKind(organization);
    const methods = { Dev: true, Email: false };
    const off = await change({ authentication_methods: { Email: false, Dev: true, Saml: true } });
    expect(off).toEqual({ ...success, authentication_methods: methods });
    expect(await queues.shared()).toEqual([together({ authentication_methods: methods })]);
    const credentials = { username: 'bob@example.com', password: 'bob-secret' };
    expect(await as().request('POST', 'fetch_api_key', credentials)).toMatchObject({
      status: 403,
      body: {
        result: 'error',
        msg: 'Password auth is disabled in your team.',
        reason: 'password auth disabled',
      },
    });
    expect(await as().get('server_settings')).toMatchObject({
      email_auth_enabled: false,
      authentication_methods: { password: false, email: false, dev: true },
    });
    expect(await realmState()).toMatchObject({
      realm_authentication_methods: methods,
      realm_email_auth_enabled: false,
      realm_password_auth_enabled: false,
    });
    await change({ authentication_methods: { Email: true, Dev: false } });
    expect(await as().post('fetch_api_key', credentials)).toMatchObject(success);
    await expectRefusal(
      as().post('dev_fetch_api_key', { username: 'bob@example.com' }),
      uncoded('Dev environment not enabled.'),
    );
    expect(await change({ authentication_methods: { Email: true } })).toEqual(success);
  });

  test("new people get the organization's language and clock", async () => {
    await change({ default_language: 'de', default_twenty_four_hour_time: true });
    await as('ann').post('users', {
      email: 'new@example.com',
      password: 'horse staple battery nine',
      full_name: 'New',
      short_name: 'new',
    });
    const signedIn = await as().post('dev_fetch_api_key', { username: 'new@example.com' });
    const client = new ApiClient({
      urls: organization.cluster.gatewayUrls,
      email: 'new@example.com',
      apiKey: String(signedIn['api_key']),
    });
    expect(
      await client.post('register', { fetch_event_types: ['update_display_settings'] }),
    ).toMatchObject({ default_language: 'de', twenty_four_hour_time: true });
  });

  test('editing, deletion and history follow the settings from the next request on', async () => {
    await makeStream('garden', 'bob');
    const message = await as('bob').sendToStream('garden', 'pictures', 'https://example.com/a.png');
    const edit = (): Promise<JsonObject> =>
      as('bob').patch(`messages/${message}`, { content: `edit ${Math.random()}` });
    const remove = (): Promise<JsonObject> => as('bob').delete(`messages/${message}`);
    const history = (): Promise<JsonObject> => as('bob').get(`messages/${message}/history`);
    await change({ allow_message_editing: false });
    await expectRefusal(edit(), 'Your organization has turned off message editing');
    await change({ allow_message_editing: true });
    expect(await edit()).toEqual(success);
    await organization.pool.query("UPDATE messages SET sent_at = sent_at - interval '5 minutes'");
    await change({ message_content_edit_limit_seconds: 60 });
    await expectRefusal(edit(), 'The time limit for editing this message has passed');
    await change({ message_content_edit_limit_seconds: 0 });
    expect(await edit()).toEqual(success);
    await change({ allow_edit_history: false });
    await expectRefusal(history(), 'Message edit history is disabled in this organization');
    await change({ allow_edit_history: true });
    expect(await history()).toMatchObject(success);
    await expectRefusal(remove(), "You don't have permission to delete this message");
    await change({ allow_message_deleting: true, message_content_delete_limit_seconds: 60 });
    await expectRefusal(remove(), 'The time limit for deleting this message has passed');
    await change({ message_content_delete_limit_seconds: 0 });
    expect(await remove()).toEqual(success);
    const rendered = async (): Promise<unknown> =>
      (await as('bob').post('messages/render', { content: 'https://example.com/a.png' }))[
        'rendered'
      ];
    expect(await rendered()).toContain('message_inline_image');
    await change({ inline_image_preview: false });
    expect(await rendered()).not.toContain('message_inline_image');
  });
});

describe('domains', () => {
  const add = (domain: string, allowSubdomains = false): Promise<JsonObject> =>
    as('ann').post('realm/domains', { domain, allow_subdomains: allowSubdomains });

  test('are added, changed and removed, listed for everybody, with events', async () => {
    const queues = await watchEveryKind(organization);
    const answer = await add(' Example.COM ');
    expect(answer).toEqual({
      ...success,
      new_domain: [(answer['new_domain'] as number[])[0], 'example.com'],
    });
    await as('ann').post('realm/domains', { domain: '"b.example.org"', allow_subdomains: true });
    await as('ann').patch('realm/domains/example.com', { allow_subdomains: true });
    await as('ann').delete('realm/domains/B.example.org');
    const domain = { domain: 'example.com', allow_subdomains: true };
    for (const who of ['ann', 'bob', 'gil', 'bobBot'] as const)
      expect(await as(who).get('realm/domains')).toEqual({ ...success, domains: [domain] });
    expect(
      await as('gil').post('register', { fetch_event_types: ['realm_domains'] }),
    ).toMatchObject({ realm_domains: [domain] });
    const makeEvent = (op: string, more: object): JsonObject => ({
      type: 'realm_domains',
      op,
      ...more,
    });
    expect(await queues.shared()).toEqual([
      makeEvent('add', { realm_domain: { domain: 'example.com', allow_subdomains: false } }),
      makeEvent('add', { realm_domain: { domain: 'b.example.org', allow_subdomains: true } }),
      makeEvent('change', { realm_domain: domain }),
      makeEvent('remove', { domain: 'b.example.org' }),
    ]);
  });

  test('decide which addresses are admitted; removing the last one ends the restriction', async () => {
    await add('corp.example', true);
    await change({ emails_restricted_to_domains: true });
    const create = (email: string): Promise<JsonObject> =>
      as('ann').post('users', {
        email,
        password: 'horse staple battery nine',
        full_name: 'New',
        short_name: 'new',
      });
    await expectRefusal(
      create('x@other.example'),
      uncoded("Email 'x@other.example' not allowed in this organization"),
    );
    expect(await create('x@sub.corp.example')).toEqual(success);
    expect(await create('y@corp.example')).toEqual(success);
    const queues = await watchEveryKind(organization);
    await as('ann').delete('realm/domains/corp.example');
    expect(await queues.shared()).toEqual([
      updated('emails_restricted_to_domains', false),
      { type: 'realm_domains', op: 'remove', domain: 'corp.example' },
    ]);
    expect(await create('x@other.example')).toEqual(success);
  });

  test.each([
    ['', "Domain can't be empty."],
    ['example', 'Domain must have at least one dot (.)'],
    ['.example.com', 'Domain cannot start or end with a dot (.)'],
    ['example.com.', 'Domain cannot start or end with a dot (.)'],
    ['a..b', "Consecutive '.' are not allowed."],
    ['-a.example', "Subdomains cannot start or end with a '-'."],
    ['a_b.example', "Domain can only have letters, numbers, '.' and '-'s."],
    [`${'a.'.repeat(130)}example`, 'Domain is too long'],
  ])('%s is not a domain', async (domain, reason) => {
    await expectRefusal(
      as('ann').post('realm/domains', { domain, allow_subdomains: false }),
      uncoded(`Invalid domain: ${reason}`),
    );
  });

  test('existing and missing domains', async () => {
    await add('example.com');
    await expectOneSuccess(
      Array.from({ length: 4 }, () => add('Twice.example')),
      uncoded('The domain twice.example is already a part of your organization.'),
    );
    const missing = uncoded('No entry found for domain nowhere.example.');
    await expectRefusal(
      as('ann').patch('realm/domains/nowhere.example', { allow_subdomains: true }),
      missing,
    );
    await expectRefusal(as('ann').delete('realm/domains/nowhere.example'), missing);
    expect(await refusalOf(as('ann').post('realm/domains', { domain: 'c.example' }))).toMatchObject(
      {
        code: 'REQUEST_VARIABLE_MISSING',
        var_name: 'allow_subdomains',
      },
    );
  });
});

test('the connectivity check returns 204 without a body', async () => {
  for (const who of [undefined, 'bob'] as const) {
    const answer = await as(who).withoutChecks('GET', 'generate_204');
    expect([answer.status, answer.text]).toEqual([204, '']);
  }
});
