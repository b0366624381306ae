import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { codeSchemaVersion } from '@parley/database';
import type { Pool } from '@parley/database';
import { ApiClient, openTestPool, readObjects, settle, startLocalCluster } from '@parley/test-kit';
import type { Cluster } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Browser } from '../support/browser.ts';
import { OpenIdServer } from '../support/openid-server.ts';
import { environmentOf, parley, runParley } from '../support/run-parley.ts';
import type { Environment } from '../support/run-parley.ts';

/** The tests follow one installation from its first command on, so their order matters. */

let cluster: Cluster;
let pool: Pool;
let env: Environment;
let folder: string;
const keys = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-command-'));
  cluster = await startLocalCluster({ environment: { PARLEY_MODE: 'production' } });
  env = environmentOf(cluster.settings);
  pool = openTestPool(cluster.settings.databaseUrl);
});
afterAll(async () => {
  await pool.end();
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

function client(email: string, apiKey = keys.get(email) ?? ''): ApiClient {
  return new ApiClient({ urls: cluster.gatewayUrls, email, apiKey });
}

async function passwordWorks(username: string, password: string): Promise<boolean> {
  const anybody = new ApiClient({ urls: cluster.gatewayUrls });
  return (await anybody.request('POST', 'fetch_api_key', { username, password })).status === 200;
}

async function statusOf(email: string, apiKey?: string): Promise<number> {
  return (await client(email, apiKey).request('GET', 'users/me')).status;
}

/** The events of an account's queue since it was created. */
async function watch(email: string): Promise<() => Promise<readonly object[]>> {
  const { queue_id, last_event_id } = await client(email).post('register');
  return async () => {
    await settle();
    const polled = await client(email).get('events', { queue_id, last_event_id, dont_block: true });
    return (polled['events'] as object[]).map((event) => ({ ...event, id: undefined }));
  };
}

/** Words without blanks in them. */
const words = (text: string): string[] => text.split(' ');

async function expectRefused(line: readonly string[], text: RegExp, code = 1): Promise<void> {
  const ended = await runParley(env, line);
  expect(ended.error).toMatch(text);
  expect(ended).toMatchObject({ code, out: '' });
}

test('invalid words end with 2 and an explanation', async () => {
  for (const [line, text] of [
    ['frobnicate', /There is no command frobnicate; parley --help/],
    ['user', /parley user is followed by create, list, role/],
    ['user create', /EMAIL is missing/],
    ['user create a@example.com', /--full-name NAME is missing/],
    ['log now', /"now" is one word too many/],
    ['log --fast', /Unknown option '--fast'/],
    [
      'user create a@example.com --full-name Ann --role owner',
      /--role is one of administrator, member, guest/,
    ],
  ] as const)
    await expectRefused(words(line), text, 2);
  const { code, error } = await runParley(env, []);
  expect(code).toBe(2);
  expect(error).toContain('Usage: parley COMMAND');
});

test('help lists all commands, and each lists its options', async () => {
  const all = await runParley({}, ['--help']);
  expect(all.code).toBe(0);
  expect(all.out).toContain('organization create');
  const one = await runParley({}, ['user', 'create', '--help']);
  expect(one.out).toContain('Usage: parley user create EMAIL --full-name NAME [OPTIONS]');
  expect(one.out).toContain('--password-file FILE');
});

test('without an organization people cannot be created, and the refusal says what to do', async () => {
  await expectRefused(
    ['user', 'create', 'ann@example.com', '--full-name', 'Ann Lee'],
    /There is no organization .* parley organization create/,
  );
});

test('a first start creates nothing if the demo organization will be created', async () => {
  const start = words('first-start --organization Boats --email x@example.com --full-name Xan');
  const made = await parley({ ...env, PARLEY_DEMO: 'on' }, start);
  expect(made).toEqual({ is_first_start: false });
});

test('an organization is created once, with its settings', async () => {
  const create = words('organization create --name Boats --string-id boats');
  for (const [setting, text] of [
    ['bots=1', /names none of add_emoji_by_admins_only/],
    ['create_stream_policy=7', /create_stream_policy is one of 1, 2, 3/],
    ['mandatory_topics=7', /is a boolean/],
  ] as const)
    await expectRefused([...create, '--set', setting], text, 2);
  const settings = words('--set mandatory_topics=true --set default_language=de');
  const made = await parley(env, [...create, '--description', 'We build boats.', ...settings]);
  expect(made).toMatchObject({
    name: 'Boats',
    string_id: 'boats',
    description: 'We build boats.',
    settings: { mandatory_topics: true, default_language: 'de', allow_edit_history: true },
  });
  await expectRefused(create, /There is an organization already/);
  const shown = await new ApiClient({ urls: cluster.gatewayUrls }).get('server_settings');
  expect(shown).toMatchObject({ realm_name: 'Boats' });
});

test('a first start creates an administrator if there is nobody, and prints secrets only once', async () => {
  await using other = await startLocalCluster({
    gateways: 1,
    messages: 0,
    subscriptions: 0,
    people: 0,
    presence: 0,
    events: 0,
  });
  const otherEnv = environmentOf(other.settings);
  const start = ['first-start', '--organization', 'Boats', '--full-name', 'Ann Lee', '--email'];
  await expectRefused(start, /--email/, 2);
  // The state after a first run that was killed, or whose address was refused, half-way.
  expect((await runParley(otherEnv, [...start, 'no address'])).error).toMatch(/Bad name/);
  const made = await parley(otherEnv, [...start, 'ann@example.com']);
  expect(made).toMatchObject({
    is_first_start: true,
    email: 'ann@example.com',
    role: 'administrator',
  });
  const email = 'ann@example.com';
  const ann = new ApiClient({ urls: other.gatewayUrls, email, apiKey: made['api_key'] as string });
  expect((await ann.request('GET', 'users/me')).status).not.toBe(401);
  const again = await runParley(otherEnv, [...start, 'else@example.com']);
  expect(again).toEqual({
    code: 0,
    out: 'There is an organization already: nothing is made.\n',
    error: '',
  });
});

test('it creates the first administrator of a production installation', async () => {
  await writeFile(join(folder, 'password'), 'the tide is low on tuesdays\n');
  const create = words('user create Ann@example.com --role administrator --password-file');
  const made = await parley(env, [...create, join(folder, 'password'), '--full-name', 'Ann Lee']);
  expect(made).toMatchObject({ email: 'Ann@example.com', role: 'administrator', bot_type: null });
  expect(made).not.toHaveProperty('password');
  keys.set('Ann@example.com', made['api_key'] as string);
  expect(await client('Ann@example.com').get('users/me')).toMatchObject({ is_admin: true });
  expect(await passwordWorks('ann@example.com', 'the tide is low on tuesdays')).toBe(true);
});

test('an organization begins with a stream that everybody joins, and a message in it', async () => {
  const ann = client('Ann@example.com');
  const { subscriptions } = await ann.get('users/me/subscriptions');
  expect(subscriptions).toMatchObject([{ name: 'general', invite_only: false }]);
  const defaults = {
    include_public: 'false',
    include_subscribed: 'false',
    include_default: 'true',
  };
  const { streams } = await ann.get('streams', defaults);
  expect(streams).toMatchObject([{ name: 'general', is_default: true }]);
  const page = { anchor: 'oldest', num_before: '0', num_after: '10' };
  const body = await ann.get('messages', page);
  expect(body['messages']).toMatchObject([
    {
      display_recipient: 'general',
      subject: 'welcome',
      sender_full_name: 'Notification Bot',
      flags: [],
    },
  ]);
  expect(readObjects(body, 'messages')[0]?.['content']).toContain('href="/#settings/invitations"');
});

test('a person is created with a password that is printed once, with events for everybody', async () => {
  const events = await watch('Ann@example.com');
  const made = await parley(env, ['user', 'create', 'bob@example.com', '--full-name', 'Bob Ray']);
  keys.set('bob@example.com', made['api_key'] as string);
  expect(await passwordWorks('bob@example.com', made['password'] as string)).toBe(true);
  expect(await events()).toMatchObject([
    { type: 'realm_user', op: 'add', person: { email: 'bob@example.com', is_admin: false } },
    { type: 'subscription', op: 'peer_add', subscriptions: ['general'] },
  ]);
  const create = words('user create gil@example.com --role guest --password-file - --full-name');
  const guest = await parley(env, [...create, 'Gil Fox'], 'low water is at noon\n');
  keys.set('gil@example.com', guest['api_key'] as string);
  expect(await passwordWorks('gil@example.com', 'low water is at noon')).toBe(true);
  expect(await client('gil@example.com').get('users/me')).toMatchObject({ is_admin: false });
});

test('people follow the same rules as in endpoints', async () => {
  const create = ['user', 'create'];
  await expectRefused(
    [...create, 'BOB@example.com', '--full-name', 'Bob Two'],
    /Email 'BOB@example.com' already in use/,
  );
  await expectRefused([...create, 'x@example.com', '--full-name', 'X'], /Name too short!/);
  await writeFile(join(folder, 'weak'), 'password');
  const xan = words('user create x@example.com --full-name Xan --password-file');
  await expectRefused([...xan, join(folder, 'weak')], /The password is too weak\./);
  await expectRefused([...xan, join(folder, 'none')], /none cannot be read/);
});

test('bots are created for their owners', async () => {
  const calling = words('--type outgoing-webhook --payload-url http://127.0.0.1:9/');
  const create = words('bot create tide --owner bob@example.com --full-name Tide');
  const made = await parley(env, [...create, ...calling]);
  expect(made).toMatchObject({ bot_type: 3, email: 'tide-bot@127.0.0.1' });
  const { bots } = await client('bob@example.com').get('bots');
  expect(bots).toMatchObject([{ username: 'tide-bot@127.0.0.1', api_key: made['api_key'] }]);
  keys.set('tide-bot@127.0.0.1', made['api_key'] as string);
  for (const [owner, text] of [
    ['gil@example.com', /Not allowed for guest users/],
    ['nobody@example.com', /Nobody has the address nobody@example\.com/],
  ] as const)
    await expectRefused(words(`bot create reef --owner ${owner} --full-name Reef`), text);
});

test('people and bots are listed', async () => {
  const { users } = await parley(env, ['user', 'list']);
  expect(users).toMatchObject([
    { email: 'Ann@example.com', role: 'administrator', is_active: true },
    { email: 'bob@example.com', role: 'member' },
    { email: 'gil@example.com', role: 'guest' },
    { email: 'tide-bot@127.0.0.1', bot_type: 3 },
  ]);
  expect((await runParley(env, ['user', 'list'])).out).toContain('Gil Fox (guest)');
});

test('keys are shown, and rotated with effect at once', async () => {
  for (const email of ['bob@example.com', 'tide-bot@127.0.0.1']) {
    const former = keys.get(email) ?? '';
    expect(await parley(env, ['key', 'show', email])).toEqual({ email, api_key: former });
    const { api_key: key } = await parley(env, ['key', 'rotate', email]);
    keys.set(email, key as string);
    expect(key).not.toBe(former);
    expect(await client(email).get('users/me')).toMatchObject({ email });
    await settle();
    expect(await statusOf(email, former)).toBe(401);
  }
});

test('roles change, bots follow their owners down, and the last administrator stays', async () => {
  await expectRefused(
    ['user', 'role', 'ann@example.com', 'member'],
    /Cannot remove the only organization administrator/,
  );
  const events = await watch('Ann@example.com');
  expect(await parley(env, ['user', 'role', 'bob@example.com', 'administrator'])).toMatchObject({
    role: 'administrator',
  });
  expect(await events()).toMatchObject([
    { type: 'realm_user', op: 'update', person: { email: 'bob@example.com', is_admin: true } },
  ]);
  expect(await client('bob@example.com').get('users/me')).toMatchObject({ is_admin: true });
  const bot = 'tide-bot@127.0.0.1';
  await parley(env, ['user', 'role', bot, 'administrator']);
  await parley(env, ['user', 'role', 'bob@example.com', 'member']);
  await settle();
  expect(await statusOf(bot)).toBe(401);
  const { api_key: key } = await parley(env, ['key', 'show', bot]);
  keys.set(bot, String(key));
  expect(await client(bot).get('users/me')).toMatchObject({ is_admin: false });
  await expectRefused(['user', 'role', 'bob@example.com', 'owner'], /ROLE is one of/, 2);
});

test('an address changes, with the events of the reference', async () => {
  const { user_id } = await client('bob@example.com').get('users/me');
  const apiKey = keys.get('bob@example.com') ?? '';
  await parley(env, ['user', 'email', 'bob@example.com', 'robert@example.com']);
  keys.set('robert@example.com', apiKey);
  await settle();
  expect(await statusOf('robert@example.com')).toBe(200);
  expect(await statusOf('bob@example.com', apiKey)).toBe(401);
  keys.set('bob@example.com', apiKey);
  const { rows } = await pool.query<{ payload: string }>(
    'SELECT payload FROM log_entries ORDER BY position DESC LIMIT 5',
  );
  const changed = rows.map(({ payload }) => payload).find((text) => text.includes('new_email'));
  const entry = JSON.parse(changed ?? '{}') as { events: { event: object }[] };
  expect(entry.events.map(({ event }) => event)).toMatchObject([
    { type: 'realm_user', op: 'update', person: { user_id, delivery_email: 'robert@example.com' } },
    { person: { user_id, email: 'bob@example.com', avatar_source: 'G' } },
    { person: { user_id, new_email: 'robert@example.com' } },
  ]);
  await expectRefused(
    ['user', 'email', 'robert@example.com', 'GIL@example.com'],
    /Email 'GIL@example.com' already in use/,
  );
  await expectRefused(['user', 'email', 'robert@example.com', 'no address'], /Bad name/);
});

test('a password is replaced, and browsers and the key are signed out', async () => {
  const replace = async (): Promise<string> =>
    (await parley(env, ['user', 'password', 'robert@example.com']))['password'] as string;
  const first = await replace();
  expect(await passwordWorks('robert@example.com', first)).toBe(true);
  const browser = new Browser(cluster.url);
  expect((await browser.signIn('robert@example.com', first)).status).toBe(200);
  const second = await replace();
  expect(await passwordWorks('robert@example.com', first)).toBe(false);
  expect(await passwordWorks('robert@example.com', second)).toBe(true);
  await settle();
  expect((await browser.call('GET', 'users/me')).status).toBe(401);
  expect(await statusOf('robert@example.com')).toBe(401);
  const { api_key: key } = await parley(env, ['key', 'show', 'robert@example.com']);
  keys.set('robert@example.com', key as string);
  await expectRefused(['user', 'password', 'tide-bot@127.0.0.1'], /No such user/);
});

test('people are deactivated with their bots, and reactivated', async () => {
  const events = await watch('Ann@example.com');
  expect(await parley(env, ['user', 'deactivate', 'robert@example.com'])).toMatchObject({
    is_active: false,
  });
  expect(await events()).toMatchObject([
    { type: 'subscription', op: 'peer_remove', subscriptions: ['general'] },
    { type: 'realm_user', op: 'remove', person: { email: 'robert@example.com' } },
    { type: 'realm_user', op: 'remove', person: { email: 'tide-bot@127.0.0.1' } },
    { type: 'realm_bot', op: 'remove' },
  ]);
  await settle();
  expect(await statusOf('robert@example.com')).toBe(401);
  await expectRefused(['key', 'rotate', 'robert@example.com'], /is deactivated/);
  await expectRefused(
    ['user', 'deactivate', 'ann@example.com'],
    /Cannot deactivate the only organization administrator/,
  );
  for (const email of ['robert@example.com', 'tide-bot@127.0.0.1']) {
    expect(await parley(env, ['user', 'reactivate', email])).toMatchObject({ is_active: true });
    await settle();
    expect(await statusOf(email)).toBe(200);
  }
});

test('the organization changes, with events for everybody', async () => {
  const events = await watch('Ann@example.com');
  const update = 'organization update --name Ships --set mandatory_topics=false --string-id ships';
  const changed = await parley(env, words(update));
  expect(changed).toMatchObject({ name: 'Ships', string_id: 'ships' });
  expect(await events()).toMatchObject([
    { type: 'realm', op: 'update', property: 'name', value: 'Ships' },
    { type: 'realm', op: 'update', property: 'mandatory_topics', value: false },
  ]);
  expect(await parley(env, ['organization', 'show'])).toMatchObject({
    settings: { mandatory_topics: false, default_language: 'de' },
  });
});

test('the organization is deactivated and reactivated', async () => {
  await parley(env, ['organization', 'deactivate']);
  await settle();
  expect(await statusOf('Ann@example.com')).toBe(401);
  await parley(env, ['organization', 'reactivate']);
  await settle();
  expect(await statusOf('Ann@example.com')).toBe(200);
});

test('queues are listed with the number of entries that they may lag behind', async () => {
  const { queue_id } = await client('gil@example.com').post('register');
  await parley(env, ['user', 'role', 'gil@example.com', 'member']);
  const { queues, is_complete } = await parley(env, ['queues']);
  expect(is_complete).toBe(true);
  expect(queues).toContainEqual(
    expect.objectContaining({
      queue_id,
      email: 'gil@example.com',
      client: 'ParleyTest',
      positions_behind_max: 1,
    }),
  );
  expect((await runParley(env, ['queues'])).out).toContain('behind 1 at most');
});

test('names chosen by others cannot control the terminal', async () => {
  const name = 'x\u001b[2J\u009b1A\n\u202eend';
  await client('gil@example.com').post('register', { client: name });
  const { out } = await runParley(env, ['queues']);
  expect(out).toContain('("x\\u001b[2J\\u{9b}1A\\n\\u{202e}end")');
});

test('with very many queues the longest unpolled are listed, with a note about the others', async () => {
  await pool.query(`INSERT INTO event_queues (queue_id, user_id, start_position, epoch, descriptor, lifespan_secs, client)
    SELECT 'many-' || n, user_id, start_position, epoch, descriptor, lifespan_secs, client
    FROM (SELECT * FROM event_queues LIMIT 1) q, generate_series(1, 10000) n`);
  try {
    const { queues, is_complete } = await parley(env, ['queues']);
    expect([(queues as object[]).length, is_complete]).toEqual([10_000, false]);
    expect((await runParley(env, ['queues'])).out).toMatch(
      /There are more: these 10000 are the longest unpolled\.\n$/,
    );
  } finally {
    await pool.query("DELETE FROM event_queues WHERE queue_id LIKE 'many-%'");
  }
});

test('an epoch begins above all used positions, and queues that lost nothing continue', async () => {
  const before = await parley(env, ['log']);
  const { queue_id } = await client('gil@example.com').post('register');
  const { epoch, start_position } = await parley(env, ['epoch']);
  expect(epoch).toBe((before['epoch'] as number) + 1);
  expect(start_position).toBeGreaterThan((before['position'] as number) + 999_999_999);
  const after = await parley(env, ['log']);
  expect(after).toMatchObject({ epoch, position: start_position });
  expect(after['message_id']).toBe((before['message_id'] as number) + 10_000_000);
  await parley(env, ['user', 'role', 'gil@example.com', 'guest']);
  const { queues } = await parley(env, ['queues']);
  expect(queues).toContainEqual(expect.objectContaining({ queue_id, positions_behind_max: 1 }));
});

test('the schema is migrated once, wherever the database address is set', async () => {
  const migrated = { migrations: [], functions: [], schema_version: codeSchemaVersion };
  expect(await parley(env, ['migrate'])).toEqual(migrated);
  const file = join(folder, 'database-url');
  await writeFile(file, `${cluster.settings.databaseUrl}\n`);
  const named = { ...env, DATABASE_URL: '', DATABASE_URL_FILE: file };
  expect(await parley(named, ['migrate'])).toEqual(migrated);
});

test('a healthy installation has no faults', async () => {
  const { ok, checks } = await parley(env, ['check']);
  expect({ ok, checks }).toMatchObject({
    ok: true,
    checks: [
      { check: 'configuration', ok: true },
      { check: 'postgres', ok: true },
      { check: 'schema', ok: true, found: `version ${codeSchemaVersion}` },
      { check: 'key secret', ok: true, found: 'opens the stored keys' },
      { check: 'search', ok: true, found: 'finds all messages by all their words' },
      { check: 'redis', ok: true },
      { check: 'files', ok: true },
      { check: 'mail', ok: true, found: 'none is sent: PARLEY_SMTP_URL is not set' },
      {
        check: 'answers by mail',
        ok: true,
        found: 'none are taken: PARLEY_MAIL_REPLY_ADDRESS is not set',
      },
      { check: 'single sign-on', ok: true, found: 'none: PARLEY_OIDC_PROVIDERS is not set' },
    ],
  });
});

test('OpenID providers are asked to describe themselves', async () => {
  const server = await OpenIdServer.start({ redirectUris: [], returnTo: 'https://chat.example/' });
  const provider = (id: string, issuer: string, more = {}) => ({
    id,
    name: id,
    issuer,
    client_id: 'parley',
    client_secret: 'SecretOfClient',
    ...more,
  });
  const providers = [
    provider('work', server.issuer, { trusted: true }),
    provider('wrong', server.issuer.replace('127.0.0.1', 'localhost')),
    provider('away', 'http://127.0.0.1:1'),
  ];
  const { code, out } = await runParley(
    { ...env, PARLEY_OIDC_PROVIDERS: JSON.stringify(providers) },
    ['check'],
  );
  await server.stop();
  expect(code).toBe(1);
  expect(out).toMatch(/ok +provider work +http:.*, trusted with addresses$/m);
  expect(out).toMatch(/FAULT +provider wrong +it does not describe itself/);
  expect(out).toMatch(/FAULT +provider away +127\.0\.0\.1:1 gave no answer/);
  expect(out).not.toContain('SecretOfClient');
  const broken = { ...env, PARLEY_OIDC_PROVIDERS: '[{"client_secret": "SecretOfClient"}]' };
  const refused = await runParley(broken, ['check']);
  expect(refused.out).toMatch(
    /FAULT +configuration +PARLEY_OIDC_PROVIDERS must have in provider 1 id/,
  );
  expect(refused.out).not.toContain('SecretOfClient');
});

test('all faults of an installation are reported together', async () => {
  const file = join(folder, 'a-file');
  await writeFile(file, '');
  const wrong = {
    ...env,
    PARLEY_HEARTBEAT_MIN_SECS: 'soon',
    PARLEY_LOGIN_LIMITS: 'ten',
    PARLEY_QUEUES_PER_USER_MAX: 'many',
    PARLEY_INTERNAL_SECRET: '',
    REDIS_URL: 'redis://127.0.0.1:1',
    PARLEY_UPLOADS_DIR: file,
    DATABASE_URL: env['DATABASE_URL']?.replace(/\/[^/]*$/, '/no_such_database') ?? '',
  };
  const { code, out } = await runParley(wrong, ['check']);
  expect(code).toBe(1);
  expect(out).toMatch(/FAULT +configuration +PARLEY_INTERNAL_SECRET .*is required/);
  for (const name of [
    'PARLEY_HEARTBEAT_MIN_SECS',
    'PARLEY_LOGIN_LIMITS',
    'PARLEY_QUEUES_PER_USER_MAX',
  ])
    expect(out).toMatch(new RegExp(`FAULT +configuration +${name} must be`));
  expect(out).toMatch(/FAULT +postgres +database "no_such_database" does not exist/);
  expect(out).toMatch(/FAULT +redis +.*ECONNREFUSED/);
  expect(out).toMatch(/FAULT +files +the folder of files .* cannot be used/);
  const otherSecret = { ...env, PARLEY_KEY_SECRET: 'x'.repeat(40) };
  expect((await runParley(otherSecret, ['check'])).out).toMatch(
    /FAULT +key secret +PARLEY_KEY_SECRET is not the one/,
  );
});

test('data under the key secret is encrypted again, and the rest is reported', async () => {
  const own = cluster.settings.keySecret;
  const other = 'y'.repeat(40);
  const switched = { ...env, PARLEY_KEY_SECRET: other, PARLEY_KEY_SECRET_PREVIOUS: own };
  expect((await runParley(switched, ['check'])).out).toMatch(
    /ok +key secret +opens what is stored; (\d+) of \1 are under PARLEY_KEY_SECRET_PREVIOUS/,
  );
  const refused = await runParley({ ...env, PARLEY_KEY_SECRET: other }, ['key', 'reencrypt']);
  expect(refused.code).toBe(1);
  expect(refused.out).toMatch(
    /^Stored anew: 0\nAPI keys of accounts: 0 under .*, \d+ under neither \(\d+, /,
  );
  expect(refused.out).toMatch(/Not done: set the secret under which/);
  const done = await parley(switched, ['key', 'reencrypt']);
  expect(done).toMatchObject({ left: 0, api_keys: { previous: 0, unreadable_ids: [] } });
  expect(done['renewed']).toBeGreaterThan(0);
  expect(
    await parley({ ...switched, PARLEY_KEY_SECRET_PREVIOUS: '' }, ['key', 'reencrypt']),
  ).toEqual({ ...done, renewed: 0 });
  // A single account under a secret that is not set is reported too, and everything is reversed in the same way.
  const [email = ''] = keys.keys();
  await parley(env, ['key', 'rotate', email]);
  expect((await runParley({ ...env, PARLEY_KEY_SECRET: other }, ['check'])).out).toMatch(
    /FAULT +key secret +1 of \d+ stored secrets are under a PARLEY_KEY_SECRET that is not set/,
  );
  const back = { ...env, PARLEY_KEY_SECRET_PREVIOUS: other };
  const { code, out } = await runParley(back, ['key', 'reencrypt']);
  expect(code).toBe(0);
  expect(out).toMatch(
    /^Stored anew: \d+\nAPI keys of accounts: \d+ under PARLEY_KEY_SECRET, 0 left under /,
  );
  expect((await runParley(env, ['check'])).out).toMatch(/ok +key secret +opens the stored keys/);
});

test('store failures are explained, as JSON on request', async () => {
  const wrong = { ...env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  const { code, out, error } = await runParley(wrong, ['log', '--json']);
  expect(code).toBe(1);
  expect(error).toMatch(/Postgres or Redis did not answer .*ECONNREFUSED/);
  expect(JSON.parse(out)).toEqual({ error: expect.stringContaining('did not answer') as string });
});

test('the image and the repository run the same program', async () => {
  const root = new URL('../../', import.meta.url);
  const build = await readFile(new URL('packages/command/build/build-server.ts', root), 'utf8');
  expect(build).toContain("parley: join(root, 'packages/command/src/main.ts')");
  const image = await readFile(new URL('deploy/Dockerfile', root), 'utf8');
  expect(image).toContain('/app/dist/parley.js /usr/local/bin/parley');
});
