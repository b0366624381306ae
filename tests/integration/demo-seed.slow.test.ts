/** The command that seeds the demo, run as a separate process. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { Pool } from '@parley/database';
import { demoAccounts, demoExample, demoStreams, people } from '@parley/demo';
import type { Seeded } from '@parley/demo';
import {
  createRedisPrefix,
  createTestDatabase,
  getTestStores,
  openTestPool,
} from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { deriveKeySecrets, verifyPassword } from '@parley/auth/secrets';
import { findAccountsByKeys, findSignInAccount, findUserByEmail, unreadState } from '@parley/store';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const seedMain = fileURLToPath(new URL('seed-main.ts', import.meta.resolve('@parley/demo')));
const keySecret = 'k'.repeat(32);

let database: TestDatabase;
let pool: Pool;
let folder: string;
let first: Seeded;

async function seed(environment: Readonly<Record<string, string>> = {}): Promise<Seeded> {
  const { stdout } = await run(process.execPath, [seedMain, '--json', '--data', folder], {
    env: {
      PATH: process.env['PATH'],
      PARLEY_MODE: 'development',
      DATABASE_URL: database.url,
      REDIS_URL: getTestStores().redisUrl,
      PARLEY_REDIS_PREFIX: createRedisPrefix(),
      PARLEY_INTERNAL_SECRET: 'i'.repeat(32),
      PARLEY_KEY_SECRET: keySecret,
      ...environment,
    },
  });
  return JSON.parse(stdout) as Seeded;
}

async function countRows(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ['users', 'streams', 'subscriptions', 'messages', 'log_entries']) {
    const { rows } = await pool.query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`);
    counts[table] = rows[0]?.count ?? 0;
  }
  return counts;
}

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, 2);
  folder = await mkdtemp(join(tmpdir(), 'parley-demo-'));
  first = await seed();
});

afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

test('all accounts have keys that authenticate, and people have passwords', async () => {
  expect(first.accounts.map(({ email }) => email)).toEqual(demoAccounts.map(({ email }) => email));
  expect(first.accounts.map(({ role, is_bot: isBot }) => (isBot ? 'bot' : role))).toEqual([
    'administrator',
    'member',
    'member',
    'member',
    'guest',
    'bot',
  ]);
  const secrets = deriveKeySecrets(keySecret);
  for (const account of first.accounts) {
    const found = await findAccountsByKeys(pool, secrets, [account.api_key]);
    expect(found.get(account.api_key)?.email).toBe(account.email);
    const { passwordHash } = (await findSignInAccount(pool, account.email)) ?? {};
    // A bot has neither; a person's password matches the stored hash.
    expect(account.password === undefined).toBe(account.is_bot);
    expect(passwordHash === null).toBe(account.is_bot);
    expect(await verifyPassword(account.password ?? '', passwordHash)).toBe(!account.is_bot);
  }
});

test('the example names a stream of the demo', () => {
  expect(first.example).toEqual(demoExample);
  expect(demoStreams.map(({ name }) => name)).toContain(first.example.stream);
});

test('streams have a description as HTML', async () => {
  const { rows } = await pool.query<{ name: string; html: string }>(
    'SELECT name, rendered_description AS html FROM streams',
  );
  expect(rows).toHaveLength(demoStreams.length);
  for (const { name, description } of demoStreams) {
    expect(rows).toContainEqual({ name, html: `<p>${description}</p>` });
  }
});

test('the conversation has history, unread messages, mentions and searchable words', async () => {
  const newest = await pool.query<{ sent_at: Date }>(
    'SELECT sent_at FROM messages ORDER BY id DESC LIMIT 1',
  );
  expect(Date.now() - (newest.rows[0]?.sent_at.getTime() ?? 0)).toBeLessThan(3_600_000);
  const maren = await findUserByEmail(pool, people.maren);
  expect((await unreadState(pool, maren?.id ?? 0)).count).toBeGreaterThan(1);
  const mentions = await pool.query(
    'SELECT FROM message_flags WHERE user_id = $1 AND set_bits & 8 <> 0',
    [maren?.id],
  );
  expect(mentions.rowCount).toBeGreaterThan(1);
  const found = await pool.query(
    "SELECT FROM messages WHERE search @@ plainto_tsquery('english', 'keel bolts')",
  );
  expect(found.rowCount).toBeGreaterThan(1);
  // The server's own texts have no punctuation beyond ASCII, which Postgres would treat as letters.
  const words = await pool.query(
    "SELECT word FROM ts_stat('SELECT search FROM messages') WHERE word ~ '[°×]'",
  );
  expect(words.rows).toEqual([]);
  const rendered = await pool.query<{ rendered_content: string }>(
    "SELECT rendered_content FROM messages WHERE content LIKE '%keel bolt |%'",
  );
  expect(rendered.rows[0]?.rendered_content).toContain('<table>');
});

test('a second run returns the same accounts and writes nothing', async () => {
  const before = await countRows();
  expect(await seed()).toEqual(first);
  expect(await countRows()).toEqual(before);
});

test('passwords are readable only by their owner', async () => {
  const path = join(folder, 'demo-accounts.json');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const kept = JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
  expect(kept[people.maren]).toBe(first.accounts[0]?.password);
});

test('nothing is created in production mode', async () => {
  await expect(seed({ PARLEY_MODE: 'production' })).rejects.toThrow('development mode only');
});
