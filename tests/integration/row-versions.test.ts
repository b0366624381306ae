/** Row versions in real SQL: values cached by version equal a new read. */
import { snapshot } from '@parley/database';
import type { Client, Pool } from '@parley/database';
import { listLinkifiers, readRowVersions } from '@parley/store';
import { createTestDatabase, openTestPool } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, 4, {
    // Writers wait while the machine is busy.
    idleInTransactionMaxMs: 30_000,
  });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

type Snapshot = { readonly version: string | null; readonly rows: string };

function takeSnapshot(): Promise<Snapshot> {
  return snapshot(pool, async (database) => ({
    version: (await readRowVersions(database)).linkifiers,
    rows: JSON.stringify(await listLinkifiers(database)),
  }));
}

const step = fc.record({
  writer: fc.nat({ max: 1 }),
  does: fc.constantFrom('insert', 'update', 'delete', 'commit', 'roll back'),
  row: fc.nat({ max: 2 }),
  value: fc.nat({ max: 1 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Each writer has its own rows, so that none waits for the other. */
async function doStep(writers: readonly Client[], { writer, does, row, value }: Step) {
  const client = writers[writer];
  if (client === undefined) throw new Error('there are two writers');
  if (does === 'commit' || does === 'roll back') {
    await client.query(does === 'commit' ? 'COMMIT' : 'ROLLBACK');
    await client.query('BEGIN');
    return;
  }
  const id = writer * 10 + row;
  const statements = {
    insert: `INSERT INTO linkifiers (id, pattern, url_format) OVERRIDING SYSTEM VALUE VALUES (${id}, 'p${id}', '${value}') ON CONFLICT DO NOTHING`,
    update: `UPDATE linkifiers SET url_format = '${value}' WHERE id = ${id}`,
    delete: `DELETE FROM linkifiers WHERE id = ${id}`,
  };
  await client.query(statements[does]);
}

// Some two thousand consecutive round trips.
const timeoutMs = 120_000;

test(
  'snapshots with equal versions see equal rows, in any order of commits',
  { timeout: timeoutMs },
  async () => {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 40 }),
      async (steps) => {
        const writers = [await pool.connect(), await pool.connect()];
        try {
          for (const writer of writers) await writer.query('BEGIN');
          const seen = new Map<string | null, string>();
          for (const each of steps) {
            await doStep(writers, each);
            const { version, rows } = await takeSnapshot();
            expect(rows).toBe(seen.get(version) ?? rows);
            seen.set(version, rows);
          }
        } finally {
          for (const writer of writers) {
            await writer.query('ROLLBACK');
            writer.release();
          }
        }
      },
    );
    await fc.assert(property, { numRuns: 30 });
  },
);

test('locking rows does not change their versions', async () => {
  await pool.query(
    `INSERT INTO linkifiers (id, pattern, url_format) OVERRIDING SYSTEM VALUE VALUES (100, 'locked', 'x')`,
  );
  const before = await takeSnapshot();
  await pool.query('SELECT * FROM linkifiers FOR UPDATE');
  expect(await takeSnapshot()).toEqual(before);
});
