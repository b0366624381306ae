import { connectMaker } from '@parley/demo';
import type { ConnectedMaker } from '@parley/demo';
import type { Queryable } from '@parley/database';
import { accountPeriodsOf, createUsers, findAccountsByKeys, findApiKeys } from '@parley/store';
import type { NewUser } from '@parley/store';
import { createTestDatabase, createRedisPrefix, getTestStores } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

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

test('accounts are made in the given order, bots with owners of the same call, all with keys and periods', async () => {
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

test('a taken address takes all of them back', async () => {
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
