/** Stored sessions of browsers: what ends them, whichever release changes the account, and how they are found. */
import { connectMaker } from '@parley/demo';
import type { ConnectedMaker } from '@parley/demo';
import type { Queryable } from '@parley/database';
import { deriveKeySecrets, makeSessionToken } from '@parley/auth/secrets';
import {
  findAccountsBySessions,
  insertSession,
  noteSessionUses,
  renewStoredSecrets,
  setApiKey,
} from '@parley/store';
import { createRedisPrefix, createTestDatabase, getTestStores } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

const [firstText, secondText] = ['first-'.padEnd(40, 'x'), 'second-'.padEnd(40, 'y')];
const idleMaxSecs = 30 * 86_400;

let database: TestDatabase;
let connected: ConnectedMaker;
let userId: number;
let token: string;
let sessionId: number;

beforeAll(async () => {
  database = await createTestDatabase();
  connected = connectMaker({
    databaseUrl: database.url,
    redisUrl: getTestStores().redisUrl,
    redisPrefix: createRedisPrefix(),
    keySecret: firstText,
  });
  await connected.maker.makeRealm({ name: 'Example', stringId: 'example' });
  const [made] = await connected.maker.makeAccounts([
    { email: 'ann@example.com', fullName: 'Ann' },
  ]);
  userId = made?.user.id ?? 0;
});
afterAll(async () => {
  await connected.close();
  await database.drop();
});

beforeEach(async () => {
  token = makeSessionToken();
  ({ id: sessionId } = await insertSession(
    pool(),
    { userId, token, by: undefined, device: 'x' },
    idleMaxSecs,
  ));
});

const pool = (): Queryable => connected.maker.pool;

async function find(): Promise<{ readonly isUseDue: boolean } | undefined> {
  return (await findAccountsBySessions(pool(), [token, makeSessionToken()], idleMaxSecs)).get(
    token,
  );
}

test.each([
  ['a name', 'UPDATE users SET full_name = full_name WHERE id = $1'],
  ['an address', "UPDATE users SET email = 'new@example.com' WHERE id = $1"],
  ['a role', "UPDATE users SET role = 'guest' WHERE id = $1"],
  ['a reactivation', 'UPDATE users SET is_active = true WHERE id = $1'],
])('a session outlives %s', async (_what, text) => {
  await pool().query({ text, values: [userId] });
  expect(await find()).toMatchObject({ userId, sessionId });
});

test('a session outlives a key that is encrypted under another secret, and not a new key', async () => {
  const switched = deriveKeySecrets(secondText, firstText);
  const { renewed } = await renewStoredSecrets(pool(), switched);
  expect(renewed).toBeGreaterThan(0);
  expect(await find()).toMatchObject({ userId, sessionId });
  await setApiKey(pool(), switched, userId);
  expect(await find()).toBeUndefined();
});

test.each([
  ['a password', "UPDATE users SET password_hash = 'other' WHERE id = $1"],
  ['a deactivation', 'UPDATE users SET is_active = false WHERE id = $1'],
])('%s ends a session in its own transaction', async (_what, text) => {
  await pool().query({ text, values: [userId] });
  expect(await find()).toBeUndefined();
});

test('a use is written only after some minutes, and not at all for a session that is being changed', async () => {
  expect(await find()).toMatchObject({ isUseDue: false });
  await pool().query({
    text: "UPDATE sessions SET last_used_at = parley_now() - interval '6 minutes' WHERE id = $1",
    values: [sessionId],
  });
  expect(await find()).toMatchObject({ isUseDue: true });
  const other = await connected.maker.pool.connect();
  try {
    await other.query('BEGIN');
    await other.query('SELECT id FROM sessions WHERE id = $1 FOR UPDATE', [sessionId]);
    await noteSessionUses(pool(), [sessionId]);
    expect(await find()).toMatchObject({ isUseDue: true });
    await other.query('ROLLBACK');
  } finally {
    other.release();
  }
  await noteSessionUses(pool(), [sessionId, 999_999]);
  expect(await find()).toMatchObject({ isUseDue: false });
});

test('a session is found by its index', async () => {
  await pool().query({
    text: `INSERT INTO sessions (user_id, token_hash, device)
      SELECT $1, sha256(n::text::bytea), '' FROM generate_series(1, 2000) n`,
    values: [userId],
  });
  await pool().query({ text: 'ANALYZE sessions' });
  const { rows } = await pool().query<{ 'QUERY PLAN': string }>({
    text: 'EXPLAIN SELECT id FROM sessions s WHERE s.token_hash = ANY ($1::bytea[])',
    values: [[Buffer.alloc(32)]],
  });
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/sessions_token_hash_key/);
});
