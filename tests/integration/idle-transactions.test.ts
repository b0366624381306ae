/** Postgres ends transactions whose process does nothing, but only where others may wait for them. */
import { systemClock } from '@parley/clock';
import { createPool, snapshot, transaction } from '@parley/database';
import type { Pool, Queryable } from '@parley/database';
import { createTestDatabase, openTestPool, waitUntil } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';

const idleMaxMs = 50;

let database: TestDatabase;
let pool: Pool;
let observer: Pool;

beforeEach(async () => {
  database = await createTestDatabase();
  observer = openTestPool(database.url);
  await observer.query(`CREATE TABLE boats AS SELECT 'Old' AS name`);
  pool = createPool({
    databaseUrl: database.url,
    clock: systemClock,
    applicationName: 'test',
    connectionsMax: 1,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 60_000,
    idleInTransactionMaxMs: idleMaxMs,
    onError: () => undefined,
  });
});

afterEach(async () => {
  await pool.end();
  await observer.end();
  await database.drop();
});

async function processOf(connection: Queryable): Promise<number> {
  const { rows } = await connection.query<{ pid: number }>({
    text: 'SELECT pg_backend_pid() AS pid',
  });
  return rows[0]?.pid ?? 0;
}

async function readName(connection: Queryable): Promise<string | undefined> {
  const { rows } = await connection.query<{ name: string }>({ text: 'SELECT name FROM boats' });
  return rows[0]?.name;
}

/** @returns for how long the transaction of a connection has been idle; undefined once the connection is closed */
async function findIdleMs(pid: number): Promise<number | undefined> {
  const { rows } = await observer.query<{ ms: number }>(
    `SELECT (1000 * extract(epoch FROM clock_timestamp() - state_change))::integer AS ms
       FROM pg_stat_activity WHERE pid = $1`,
    [pid],
  );
  return rows[0]?.ms;
}

test('a change that is idle too long is undone', async () => {
  const changing = transaction(pool, async (client) => {
    await client.query(`UPDATE boats SET name = 'Half done'`);
    const pid = await processOf(client);
    await waitUntil('it is ended', async () => (await findIdleMs(pid)) === undefined);
    await client.query('SELECT 1');
  });
  await expect(changing).rejects.toThrow('connection');
  expect(await readName(pool)).toBe('Old');
});

test('a snapshot that is idle for as long continues, as of the same moment', async () => {
  const names = await snapshot(pool, async (reads) => {
    const before = await readName(reads);
    const pid = await processOf(reads);
    await observer.query(`UPDATE boats SET name = 'New'`);
    await waitUntil(
      'it has been idle for long',
      async () => Number(await findIdleMs(pid)) > 10 * idleMaxMs,
    );
    return [before, await readName(reads), await readName(observer)];
  });
  expect(names).toEqual(['Old', 'Old', 'New']);
  const { rows } = await pool.query('SHOW idle_in_transaction_session_timeout');
  expect(rows).toEqual([{ idle_in_transaction_session_timeout: `${idleMaxMs}ms` }]);
});
