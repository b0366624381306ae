import type { Caller } from '@parley/api';
import { readServiceConfig } from '@parley/config';
import type { Client, Pool, Queryable } from '@parley/database';
import { connectMaker, makeMessages } from '@parley/demo';
import type { ConnectedMaker } from '@parley/demo';
import { accountPeriodsOf, createUsers, findAccountsByKeys, findApiKeys } from '@parley/store';
import type { NewUser } from '@parley/store';
import { createRedisPrefix, createTestDatabase, getTestStores } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createPerson } from '@parley/people';

let database: TestDatabase;
let connected: ConnectedMaker;
beforeAll(async () => {
  database = await createTestDatabase();
  connected = connectMaker({
    databaseUrl: database.url,
    redisUrl: getTestStores().redisUrl,
    redisPrefix: createRedisPrefix(),
    keySecret: 'a secret of more than thirty-two characters',
  });
  await connected.maker.makeRealm({ name: 'Example', stringId: 'example' });
});
afterAll(async () => {
  await connected.close();
  await database.drop();
});

test('accounts are created in the given order, bots with owners of the same call, all with keys and periods', async () => {
  const { maker } = connected;
  const made = await maker.makeAccounts([
    { email: 'first-bot@example.com', fullName: 'First', botType: 1, ownerEmail: 'z@example.com' },
    { email: 'z@example.com', fullName: 'Z', role: 'administrator' },
    { email: 'a@example.com', fullName: 'A', role: 'guest' },
  ]);
  expect(made.map(({ user }) => user.email)).toEqual([
    'first-bot@example.com',
    'z@example.com',
    'a@example.com',
  ]);
  const ids = made.map(({ user }) => user.id);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  expect(made[0]?.user.botOwnerId).toBe(ids[1]);
  const keys = await findApiKeys(maker.pool, maker.keySecrets, ids);
  for (const { user, apiKey } of made) {
    expect(keys.get(user.id)).toBe(apiKey);
    const found = await findAccountsByKeys(maker.pool, maker.keySecrets, [apiKey]);
    expect(found.get(apiKey)).toMatchObject({
      userId: user.id,
      role: user.role,
    });
  }
  const periods = await accountPeriodsOf(maker.pool, ids);
  expect(periods.map(({ role, isActive }) => [role, isActive])).toEqual([
    ['member', true],
    ['administrator', true],
    ['guest', true],
  ]);
});

test('a hundred accounts take as many statements as one', async () => {
  const { maker } = connected;
  const statementsFor = async (count: number): Promise<number> =>
    maker.eventLog.transaction(async (client) => {
      let statements = 0;
      const counting: Queryable = {
        query: async (statement: never) => {
          statements += 1;
          return client.query(statement);
        },
      } as Queryable;
      const users: NewUser[] = Array.from({ length: count }, (_, n) => ({
        email: `crowd${count}-${n}@example.com`,
        fullName: `Crowd ${n}`,
      }));
      const made = await createUsers(counting, maker.keySecrets, users, 1_000_000 + count);
      expect(made.map(({ user }) => user.email)).toEqual(users.map(({ email }) => email));
      return { result: statements };
    });
  expect(await statementsFor(100)).toBe(await statementsFor(1));
});

test('a taken address undoes all of them', async () => {
  const { maker } = connected;
  const before = await maker.pool.query('SELECT count(*) FROM users');
  await expect(
    maker.makeAccounts([
      { email: 'new@example.com', fullName: 'New' },
      { email: 'Z@EXAMPLE.com', fullName: 'Again' },
    ]),
  ).rejects.toMatchObject({ code: '23505' });
  expect(await maker.pool.query('SELECT count(*) FROM users')).toMatchObject({ rows: before.rows });
});

/** Counts the statements of all connections that are taken from a pool from now on. */
function countStatements(pool: Pool): { count: number } {
  const statements = { count: 0 };
  const counted = new WeakSet<Client>();
  pool.on('acquire', (client) => {
    if (counted.has(client)) return;
    counted.add(client);
    const query = client.query.bind(client) as (...parts: unknown[]) => unknown;
    Reflect.set(client, 'query', (...parts: unknown[]) => {
      statements.count += 1;
      return query(...parts);
    });
  });
  return statements;
}

test('the backlog of many streams and messages takes as many statements as that of one stream', async () => {
  const { maker } = connected;
  const { pool, eventLog, keySecrets } = maker;
  const publicUrl = 'http://parley.example.com';
  const secret = 'a secret of more than thirty-two characters';
  const { lists } = readServiceConfig(
    {
      DATABASE_URL: database.url,
      REDIS_URL: getTestStores().redisUrl,
      PARLEY_INTERNAL_SECRET: secret,
      PARLEY_KEY_SECRET: secret,
    },
    'people',
  );
  const accounts = await maker.makeAccounts([
    { email: 'ada@example.com', fullName: 'Ada', role: 'administrator' },
  ]);
  const ids = accounts.map(({ user }) => user.id);
  const [userId = 0] = ids;
  const caller: Caller = {
    userId,
    email: 'ada@example.com',
    role: 'administrator',
    botType: null,
    botOwnerId: null,
  };
  /** Creates default streams with everything that matters for a backlog: more messages than stay unread, and wildcard mentions. */
  const talkIn = async (names: readonly string[], messages: number): Promise<void> => {
    const made = await maker.makeStreams(names.map((name) => ({ name, isDefault: true })));
    for (const { id } of made) await maker.subscribe(id, ids);
    await makeMessages(
      { pool, eventLog, publicUrl },
      Array.from({ length: messages }, (_, n) => ({
        senderId: userId,
        streamName: names[n % names.length] ?? '',
        topic: 'lately',
        content: '@**all** look',
        sentAtSecs: Math.floor(Date.now() / 1_000) - messages + n,
      })),
    );
  };
  const statements = countStatements(pool);
  /** @returns the number of statements that create a new person, and of the past periods that the person got */
  const createNew = async (shortName: string): Promise<{ count: number; periods: number }> => {
    const before = statements.count;
    const email = `${shortName}@example.com`;
    const person = { email, password: 'kR7#vQp2tide', fullName: shortName, shortName };
    const { id } = await createPerson(
      { pool, eventLog, keySecrets, publicUrl, lists },
      caller,
      person,
    );
    const count = statements.count - before;
    const { rows } = await pool.query<{ periods: number }>(
      'SELECT count(*) AS periods FROM membership_periods WHERE user_id = $1 AND is_backlog',
      [id],
    );
    return { count, periods: rows[0]?.periods ?? 0 };
  };

  await talkIn(['first'], 21);
  const ofOne = await createNew('early');
  expect(ofOne.periods).toBe(1);
  const others = Array.from({ length: 30 }, (_, n) => `other ${n}`);
  await talkIn(others, 600);
  expect(await createNew('late')).toEqual({ count: ofOne.count, periods: 31 });
});
