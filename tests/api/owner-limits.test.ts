/**
 * Limits on what an owner and the owner's bots have and create, since an account's limits do not multiply with its bots, and of the lists
 * that everybody gets (decisions 0035 and 0063).
 */
import type { Client } from '@parley/database';
import { ApiClient, readObjects, waitUntil } from '@parley/test-kit';
import type { Answer, JsonObject } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';

const botsMax = 4;
const queuesMax = 6;
const streamsMax = 3;
const streamsPerDay = 9;
const subscriptionsPerDay = 30;
const textsMaxBytes = 64 * 1024;
/** Of all lists that a setting bounds, beyond what the other tests make. */
const elementsMax = 100;

const organization = useFixture(() =>
  startSmallOrganization({
    events: 2,
    people: 2,
    environment: {
      PARLEY_BOTS_PER_OWNER_MAX: String(botsMax),
      PARLEY_QUEUES_PER_USER_MAX: String(queuesMax),
      PARLEY_BUDGETS_PER_OWNER_MAX: '2',
      PARLEY_NEW_STREAMS_PER_REQUEST_MAX: String(streamsMax),
      PARLEY_NEW_STREAMS_PER_DAY_MAX: String(streamsPerDay),
      PARLEY_NEW_SUBSCRIPTIONS_PER_DAY_MAX: String(subscriptionsPerDay),
      PARLEY_STREAMS_MAX: String(elementsMax),
      PARLEY_SUBSCRIPTIONS_MAX: String(elementsMax),
      PARLEY_ACCOUNTS_MAX: String(elementsMax),
      PARLEY_BOTS_MAX: String(elementsMax),
      PARLEY_LIST_TEXTS_MAX_KIB: String(textsMaxBytes / 1024),
    },
  }),
);

const as = (who: PersonKey): ApiClient => organization.client(who);
const refused = (msg: string): object => ({
  status: 400,
  body: { result: 'error', msg, code: 'BAD_REQUEST' },
});
const outcome = async (answer: Promise<Answer>): Promise<object> => {
  const { status, body } = await answer;
  return { status, body };
};
const statusesOf = async (answers: readonly Promise<Answer>[]): Promise<number[]> =>
  (await Promise.all(answers)).map(({ status }) => status).toSorted((a, b) => a - b);

let made = 0;
function createBot(client: ApiClient): Promise<Answer> {
  made += 1;
  return client.request('POST', 'bots', { full_name: `Helper ${made}`, short_name: `h${made}` });
}

describe('active bots of an owner', () => {
  const tooMany = refused(`An owner may have at most ${botsMax} active bots.`);

  test('have a limit, however many are created, reactivated and transferred at once', async () => {
    const { person, bot } = await organization.makePersonWithBot('eve');
    const eve = organization.clientOf(person);
    const activeBots = async (): Promise<number> =>
      readObjects(await eve.get('bots'), 'bots').length;
    const creations = Array.from({ length: 8 }, () => createBot(eve));
    expect(await statusesOf(creations)).toEqual([200, 200, 200, 400, 400, 400, 400, 400]);
    expect(await outcome(createBot(eve))).toEqual(tooMany);
    const reactivate = (): Promise<Answer> =>
      eve.request('POST', `users/${bot.user.id}/reactivate`);
    await eve.delete(`bots/${bot.user.id}`);
    expect((await createBot(eve)).status).toBe(200);
    expect(await outcome(reactivate())).toEqual(tooMany);
    expect(await outcome(as('ann').request('POST', `users/${bot.user.id}/reactivate`))).toEqual(
      tooMany,
    );
    const ofCat = await createBot(as('cat'));
    const give = (): Promise<Answer> =>
      as('cat').request('PATCH', `bots/${String(ofCat.body['user_id'])}`, {
        bot_owner_id: person.user.id,
      });
    expect(await outcome(give())).toEqual(tooMany);
    // Three requests compete for one free place.
    const [first] = readObjects(await eve.get('bots'), 'bots');
    const { members } = await as('ann').get('users');
    const leaving = (members as JsonObject[]).find(({ email }) => email === first?.['username']);
    await eve.delete(`bots/${String(leaving?.['user_id'])}`);
    expect(await statusesOf([reactivate(), createBot(eve), give()])).toEqual([200, 400, 400]);
    expect(await activeBots()).toBe(botsMax);
  });
});

test('waiting changes of one owner leave connections for those of others', async () => {
  const { person } = await organization.makePersonWithBot('fay');
  const fay = organization.clientOf(person);
  const holder: Client = await organization.pool.connect();
  let creations: Promise<Answer>[] = [];
  try {
    // Takes the first lock of the creation of a bot (`isBotNameFree`).
    await holder.query('SELECT pg_advisory_lock(7217003)');
    creations = Array.from({ length: 40 }, () => createBot(fay));
    await waitUntil('some wait for the lock', async () => {
      const { rows } = await organization.pool.query<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      return (rows[0]?.waiting ?? 0) >= 4;
    });
    for (const name of ['one', 'other'])
      await as('cat').post('users/me/status', { status_text: name });
  } finally {
    await holder.query('SELECT pg_advisory_unlock_all()');
    holder.release();
  }
  const statuses = await statusesOf(creations);
  expect(statuses.filter((status) => status === 200)).toHaveLength(botsMax - 1);
  expect(new Set(statuses)).toEqual(new Set([200, 400]));
});

describe('event queues of a bot owner and their bots', () => {
  test('have twice the limit of one account, whichever of them registers, and others have their own', async () => {
    const { person, bot } = await organization.makePersonWithBot('dan');
    const dan = organization.clientOf(person);
    const other = await createBot(dan);
    const third = new ApiClient({
      urls: organization.cluster.gatewayUrls,
      email: String(other.body['email']),
      apiKey: String(other.body['api_key']),
    });
    const clients = [dan, organization.clientOf(bot), third];
    const register = (client: ApiClient): Promise<Answer> =>
      client.request('POST', 'register', { fetch_event_types: [] });
    const answers = await statusesOf(Array.from({ length: 5 }, () => clients.map(register)).flat());
    expect(answers.filter((status) => status === 200)).toHaveLength(2 * queuesMax);
    for (const client of clients)
      expect(await outcome(register(client))).toEqual(
        refused(
          `A bot owner and their bots may have at most ${2 * queuesMax} event queues together.`,
        ),
      );
    expect(await statusesOf(Array.from({ length: queuesMax }, () => register(as('cat'))))).toEqual(
      Array.from({ length: queuesMax }, () => 200),
    );
    expect(await outcome(register(as('cat')))).toEqual(
      refused(`You already have ${queuesMax} event queues, the maximum.`),
    );
  });
});

function subscribe(client: ApiClient, names: readonly string[], more = {}): Promise<Answer> {
  const subscriptions = names.map((name) => ({ name }));
  return client.request('POST', 'users/me/subscriptions', { subscriptions, ...more });
}

describe('streams that one request creates', () => {
  const named = (prefix: string, count: number): string[] =>
    Array.from({ length: count }, (_, n) => `${prefix} ${n}`);

  test('have a limit for members, not counting existing streams; administrators have a larger limit', async () => {
    const tooMany = refused(`One request may create at most ${streamsMax} streams.`);
    expect(await outcome(subscribe(as('bob'), named('pier', streamsMax + 1)))).toEqual(tooMany);
    expect(
      await outcome(
        as('bob').request('PATCH', 'users/me/subscriptions', {
          add: named('pier', streamsMax + 1).map((name) => ({ name })),
        }),
      ),
    ).toEqual(tooMany);
    const { streams } = await as('ann').get('streams');
    expect(streams).toEqual([]);
    expect((await subscribe(as('bob'), named('pier', streamsMax))).status).toBe(200);
    const withOld = [...named('pier', streamsMax), ...named('quay', streamsMax)];
    expect((await subscribe(as('cat'), withOld)).status).toBe(200);
    expect((await subscribe(as('bobBot'), named('dock', streamsMax + 1))).status).toBe(400);
    expect((await subscribe(as('ann'), named('dock', streamsMax + 1))).status).toBe(200);
  });
});

describe('what an owner and the bots add in a day', () => {
  const tooMuch = (max: number, what: string): object =>
    refused(`A bot owner and their bots may add at most ${max} ${what} in a day.`);
  test('is counted by what is made, whichever of them makes it, until the day ends', async () => {
    const { person, bot } = await organization.makePersonWithBot('ivy');
    const [ivy, her] = [organization.clientOf(person), organization.clientOf(bot)];
    const three = (from: number): string[] => [0, 1, 2].map((n) => `reed ${from + n}`);
    // Four requests of three streams compete for nine.
    expect(
      await statusesOf([0, 3, 6, 9].map((from, n) => subscribe(n % 2 ? ivy : her, three(from)))),
    ).toEqual([200, 200, 200, 400]);
    expect(await outcome(subscribe(her, ['reed 99']))).toEqual(tooMuch(streamsPerDay, 'streams'));
    // What is deleted was made nevertheless; administrators have no such limit.
    const { streams } = await as('ann').get('streams');
    const ofIvy = (streams as JsonObject[]).filter(({ name }) => String(name).startsWith('reed'));
    await as('ann').delete(`streams/${String(ofIvy[0]?.['stream_id'])}`);
    expect((await subscribe(ivy, ['reed 99'])).status).toBe(400);
    expect((await subscribe(as('ann'), ['fen 0', 'fen 1'])).status).toBe(200);
    expect((await subscribe(ivy, ['fen 0'])).status).toBe(200);
    const principals = (['bob', 'cat', 'gil', 'bobBot'] as const).map((who) =>
      organization.id(who),
    );
    const others = await statusesOf(
      ofIvy.slice(1, 8).map(({ name }) => subscribe(ivy, [String(name)], { principals })),
    );
    // Ten of her own before, and four at a time up to thirty.
    expect(others).toEqual([200, 200, 200, 200, 200, 400, 400]);
    expect(await outcome(subscribe(ivy, ['fen 1']))).toEqual(
      tooMuch(subscriptionsPerDay, 'subscriptions'),
    );
    await organization.cluster.advance(86_400_000);
    expect((await subscribe(ivy, ['reed 99'])).status).toBe(200);
  });

  test('has a limit for bots that were made and deactivated', async () => {
    const { person } = await organization.makePersonWithBot('kim');
    const kim = organization.clientOf(person);
    for (let n = 0; n < 2 * botsMax; n += 1) {
      const { body } = await createBot(kim);
      await kim.delete(`bots/${String(body['user_id'])}`);
    }
    expect(await outcome(createBot(kim))).toEqual(tooMuch(2 * botsMax, 'bots'));
  });

  test('has a limit for texts: a sixteenth of those of a list', async () => {
    const long = (name: string): Promise<Answer> =>
      as('cat').request('POST', 'users/me/subscriptions', {
        subscriptions: [{ name, description: 'x'.repeat(1024) }],
      });
    expect((await long('sedge 0')).status).toBe(200);
    const full = tooMuch(textsMaxBytes / 16, 'bytes of texts of streams');
    expect(await outcome(long('sedge 1'))).toEqual(full);
  });

  test('is asked for many long descriptions before they are rendered, without those of streams that the caller sees', async () => {
    const { person } = await organization.makePersonWithBot('lea');
    const lea = organization.clientOf(person);
    const ann = as('ann');
    const join = (names: readonly string[]): Promise<Answer> =>
      lea.request('POST', 'users/me/subscriptions', {
        subscriptions: names.map((name) => ({ name, description: 'x'.repeat(1024) })),
      });
    const names = (what: string): string[] => [1, 2, 3, 4].map((n) => `${what} ${n}`);
    for (const name of names('seen')) await ann.subscribe(name);
    for (const name of names('unseen')) await ann.subscribe(name, { invite_only: true });
    const full = tooMuch(textsMaxBytes / 16, 'bytes of texts of streams');
    expect((await join(names('seen'))).status).toBe(200);
    expect(await outcome(join(names('free')))).toEqual(full);
    // As if they were free.
    expect(await outcome(join(names('unseen')))).toEqual(full);
    expect((await join(['seen 1', 'free 1'])).status).toBe(200);
    expect(await outcome(join(['free 2', 'free 3', 'seen 2']))).toEqual(full);
  });
});

describe('lists that everybody gets', () => {
  const full = (what: string): object =>
    refused(`An organization may have at most ${elementsMax} ${what}.`);
  const ann = (
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    parameters = {},
  ): Promise<Answer> => as('ann').request(method, path, parameters);
  const fill = (text: string): Promise<unknown> => organization.pool.query({ text });
  const fillAccounts = (botType: string): string =>
    `INSERT INTO users (email, email_folded, full_name, full_name_folded, short_name, is_active, bot_type, bot_owner_id)
      SELECT n || '@fill.example', n || '@fill.example', n, n, n, false, ${botType}, (SELECT id FROM users WHERE email_folded = 'cat@example.com')
      FROM generate_series(1, ${elementsMax} - (SELECT count(*) FROM users WHERE NOT is_system AND (${botType} IS NULL OR bot_type IS NOT NULL))) n`;
  beforeAll(() =>
    as('ann')
      .subscribe('brook')
      .then(() => as('ann').subscribe('weir')),
  );
  const accountsGo = `DELETE FROM users WHERE email LIKE '%@fill.example'`;

  test.each([
    {
      what: 'streams',
      fill: `INSERT INTO streams (name, name_folded, email_token) SELECT 'fill ' || n, 'fill ' || n, '' FROM generate_series(1, ${elementsMax} - (
          SELECT count(*) FROM streams WHERE NOT is_deactivated)) n`,
      empty: `DELETE FROM streams WHERE name LIKE 'fill %'`,
      request: () => subscribe(as('ann'), ['one more']),
    },
    {
      what: 'subscriptions',
      fill: `INSERT INTO subscriptions (user_id, stream_id, is_active, color) SELECT 1000000 + n, 1, true, '' FROM generate_series(1, ${elementsMax} - (
          SELECT count(*) FROM subscriptions WHERE is_active)) n`,
      empty: 'DELETE FROM subscriptions WHERE user_id > 1000000',
      request: () => subscribe(as('ann'), ['reed 2']),
    },
    {
      what: 'people and bots',
      fill: fillAccounts('NULL'),
      empty: accountsGo,
      request: () =>
        ann('POST', 'users', {
          email: 'new@example.com',
          full_name: 'New',
          short_name: 'new',
          password: 'kR7#vQp2tide',
        }),
    },
    {
      what: 'bots',
      fill: fillAccounts('1'),
      empty: accountsGo,
      request: () => ann('POST', 'bots', { full_name: 'One more', short_name: 'more' }),
    },
  ])('have at most as many $what as a setting says', async ({ what, request, ...sql }) => {
    await fill(sql.fill);
    expect(await outcome(request())).toEqual(
      what === 'bots' ? full('people and bots') : full(what),
    );
    await fill(sql.empty);
    expect((await request()).status).toBe(200);
  });

  const big = `repeat('x', ${textsMaxBytes})`;
  const brook = async (parameters: object): Promise<Answer> =>
    ann('PATCH', `streams/${await as('ann').streamId('brook')}`, parameters);
  const field = { name: 'Team', hint: 'of one' };

  test.each([
    {
      what: 'streams',
      fill: `UPDATE streams SET description = ${big} WHERE name = 'weir'`,
      grow: () => brook({ description: 'By the water' }),
      shrink: () => brook({ description: '' }),
      empty: `UPDATE streams SET description = '' WHERE name = 'weir'`,
    },
    {
      what: 'default streams',
      fill: `UPDATE streams SET description = ${big}, is_default = true WHERE name = 'weir'`,
      grow: () => ann('POST', 'default_streams', { stream_name: 'brook' }),
      shrink: () => ann('DELETE', 'default_streams', { stream_name: 'weir' }),
      empty: `UPDATE streams SET description = '' WHERE name = 'weir'`,
    },
    {
      what: 'default stream groups',
      fill: `INSERT INTO default_stream_groups (name, description, stream_ids)
        SELECT 'big', ${big}, ARRAY[s.id] FROM streams s WHERE s.name = 'weir'`,
      grow: () =>
        ann('POST', 'default_stream_groups/create', {
          group_name: 'Water',
          description: '',
          stream_names: ['fen 1'],
        }),
      shrink: () => brook({ description: '' }),
      empty: 'DELETE FROM default_stream_groups',
    },
    {
      what: 'people and bots',
      fill: `UPDATE users SET full_name = ${big} WHERE email = 'gil@example.com'`,
      grow: () => ann('PATCH', `users/${organization.id('cat')}`, { full_name: 'Catherine Moe' }),
      shrink: () => ann('PATCH', `users/${organization.id('gil')}`, { full_name: 'Gil Fox' }),
      empty: 'SELECT 1',
    },
    {
      what: 'bots',
      fill: `INSERT INTO bot_services (bot_id, name, base_url) SELECT id, 'big', ${big} FROM users WHERE email = 'bob-bot@example.com'`,
      grow: () =>
        ann('POST', 'bots', {
          full_name: 'Caller',
          short_name: 'caller',
          bot_type: 3,
          payload_url: JSON.stringify('https://hooks.example/'),
        }),
      shrink: () => createBot(as('ann')),
      empty: `DELETE FROM bot_services WHERE name = 'big'`,
    },
    {
      what: 'profile fields',
      fill: `INSERT INTO custom_profile_fields (name, type, hint, display_order) VALUES ('Big', 1, ${big}, 1)`,
      grow: () => ann('POST', 'realm/profile_fields', { ...field, field_type: 1 }),
      empty: `DELETE FROM custom_profile_fields`,
    },
    {
      what: 'profiles',
      fill: `WITH f AS (INSERT INTO custom_profile_fields (id, name, type, display_order) VALUES (77, 'Big', 1, 1), (78, 'Small', 1, 2) RETURNING id)
        INSERT INTO custom_profile_values (user_id, field_id, value) SELECT (SELECT id FROM users WHERE email = 'gil@example.com'), f.id, ${big} FROM f WHERE f.id = 77`,
      grow: () => ann('PATCH', 'users/me/profile_data', { data: [{ id: 78, value: 'new' }] }),
      shrink: () => ann('DELETE', 'users/me/profile_data', { data: [78] }),
      empty: 'DELETE FROM custom_profile_values',
    },
    {
      what: 'user groups',
      fill: `INSERT INTO user_groups (name, description) VALUES ('big', ${big})`,
      grow: () => ann('POST', 'user_groups/create', { name: 'crew', description: '', members: [] }),
      empty: 'DELETE FROM user_groups',
    },
    {
      what: 'filters',
      fill: `INSERT INTO linkifiers (pattern, url_format) VALUES ('big', ${big})`,
      grow: () =>
        ann('POST', 'realm/filters', {
          pattern: '#(?P<id>[0-9]+)',
          url_format_string: 'https://tickets.example/%(id)s',
        }),
      empty: 'DELETE FROM linkifiers',
    },
  ])('have texts of $what of as many bytes as a setting says', async (list) => {
    await fill(list.fill);
    expect(await outcome(list.grow())).toEqual(
      refused(`The texts of all ${list.what} may have at most ${textsMaxBytes} bytes together.`),
    );
    if (list.shrink !== undefined)
      expect((await list.shrink()).body).toMatchObject({ result: 'success' });
    await fill(list.empty);
    expect((await list.grow()).body).toMatchObject({ result: 'success' });
  });
});
