/** A read in Postgres ends when its caller has left, and no other caller notices. */
import { CallerLeft, CallerReads } from '@parley/database';
import type { Pool } from '@parley/database';
import { createTestDatabase, openTestPool, waitUntil } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';

let database: TestDatabase;
let pool: Pool;
let observer: Pool;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url);
  observer = openTestPool(database.url);
});

afterEach(async () => {
  await pool.end();
  await observer.end();
  await database.drop();
});

const endless = { text: 'SELECT pg_sleep(600)' };

async function pidOf(db: Pick<Pool, 'query'>): Promise<number> {
  const { rows } = await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

async function countEndless(): Promise<number> {
  const { rows } = await observer.query<{ count: number }>(
    `SELECT count(*) AS count FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND query = 'SELECT pg_sleep(600)'`,
  );
  return rows[0]?.count ?? 0;
}

/** Postgres tells of a cancellation a moment before its list of statements shows it. */
async function hasEnded(): Promise<void> {
  await waitUntil('the statement has ended', async () => (await countEndless()) === 0);
}

test('a statement of a disconnected caller is cancelled, and its connection is reused', async () => {
  const pid = await pidOf(pool);
  const caller = new AbortController();
  const reading = new CallerReads(pool, caller.signal).query(endless);
  await waitUntil('it runs', async () => (await countEndless()) === 1);
  caller.abort();
  await expect(reading).rejects.toThrow(CallerLeft);
  await hasEnded();
  expect(await pidOf(pool)).toBe(pid);
});

test('a snapshot ends when its caller disconnects, also between two statements', async () => {
  const pid = await pidOf(pool);
  for (const during of [true, false]) {
    const caller = new AbortController();
    const reading = new CallerReads(pool, caller.signal).snapshot(async (snapshot) => {
      await snapshot.query({ text: 'SELECT 1' });
      if (during) setImmediate(() => caller.abort());
      else caller.abort();
      return snapshot.query(endless);
    });
    await expect(reading).rejects.toThrow(CallerLeft);
    await hasEnded();
    expect(await pidOf(pool)).toBe(pid);
    expect((await pool.query('SELECT 2 AS two')).rows).toEqual([{ two: 2 }]);
  }
});

test('no statement runs for a disconnected caller, also after waiting for a connection', async () => {
  const caller = new AbortController();
  const reads = new CallerReads(pool, caller.signal);
  const client = await pool.connect();
  const waiting = reads.query({ text: 'CREATE TABLE asked ()' });
  caller.abort();
  client.release();
  await expect(waiting).rejects.toThrow(CallerLeft);
  await expect(reads.query({ text: 'CREATE TABLE asked ()' })).rejects.toThrow(CallerLeft);
  const { rows } = await pool.query(`SELECT to_regclass('asked') AS asked`);
  expect(rows).toEqual([{ asked: null }]);
});

test("no cancellation hits another caller's statement", async () => {
  const shared = openTestPool(database.url, 3);
  let isOver = false;
  const others = Array.from({ length: 3 }, async () => {
    for (let n = 0; !isOver; n += 1) {
      const { rows } = await shared.query('SELECT $1::integer AS n, pg_sleep(0.0005)', [n]);
      expect(rows).toMatchObject([{ n }]);
    }
  });
  try {
    for (let round = 0; round < 300; round += 1) {
      const caller = new AbortController();
      const reads = new CallerReads(shared, caller.signal);
      const reading = reads.query({ text: 'SELECT pg_sleep($1)', values: [(round % 7) / 2_000] });
      for (let turns = round % 11; turns > 0; turns -= 1)
        await new Promise((resolve) => setImmediate(resolve));
      caller.abort();
      await reading.catch((error: unknown) => expect(error).toBeInstanceOf(CallerLeft));
    }
  } finally {
    isOver = true;
    await Promise.all(others);
    await shared.end();
  }
});

test('other errors are those of the statement', async () => {
  const reads = new CallerReads(pool, new AbortController().signal);
  const pid = await pidOf(pool);
  await expect(reads.query({ text: 'SELECT 1 / 0' })).rejects.toMatchObject({ code: '22012' });
  await expect(
    reads.snapshot((snapshot) => snapshot.query({ text: 'SELECT 1 / 0' })),
  ).rejects.toMatchObject({ code: '22012' });
  expect(await pidOf(pool)).toBe(pid);
});

test('a statement with more values than the protocol supports is not sent', async () => {
  const values = Array.from({ length: 65_536 }, (_, n) => n);
  const text = `SELECT ${values.map((n) => `$${n + 1}::integer`).join(' + ')}`;
  const client = await pool.connect();
  const pid = await pidOf(client);
  await expect(client.query({ text, values })).rejects.toMatchObject({ code: '54023' });
  expect(await pidOf(client)).toBe(pid);
  client.release();
  await expect(pool.query({ text, values })).rejects.toMatchObject({ code: '54023' });
});

test('a failed statement is named in its error, with its beginning only', async () => {
  const long = ` + ${Array(1_000).fill('1').join(' + ')}`;
  const faults: [statement: string | { name?: string; text: string }, shown: unknown][] = [
    [{ name: 'a-name', text: 'SELECT 1 / 0' }, 'a-name'],
    [
      { text: `SELECT 1 /\n  0${long}` },
      expect.stringMatching(/^SELECT 1 \/ 0 \+ [1 +]{100,190}$/),
    ],
    [`SELECT 1 / 0, 'written by somebody'`, 'SELECT 1 / 0,'],
    ['SELECT 1 / 0, $e0$written by somebody$e0$', 'SELECT 1 / 0,'],
  ];
  for (const [statement, shown] of faults) {
    const error = await pool.query(statement).catch((fault: unknown) => fault);
    expect(error).toMatchObject({ code: '22012', statement: shown });
    expect(JSON.stringify(error)).not.toContain('somebody');
  }
});
