/**
 * Random histories of joins, leaves, sends, moves, reads and bulk marking, in real SQL, against a model with one row per user and
 * message. `PARLEY_PROPERTY_RUNS` says how many (default 200), `PARLEY_PROPERTY_SEED` repeats a run.
 */
import { createPool } from '@parley/database';
import type { Pool } from '@parley/database';
import { createTestDatabase } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';

import { checkAll } from './read-state/check-all.ts';
import { history } from './read-state/histories.ts';
import { Model } from './read-state/model.ts';
import { apply, joining } from './read-state/operations.ts';
import { createWorld } from './read-state/world.ts';

const runs = Number(process.env['PARLEY_PROPERTY_RUNS'] ?? 200);
const seed = Number(process.env['PARLEY_PROPERTY_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({
    databaseUrl: database.url,
    applicationName: 'read-state-property',
    connectionsMax: 1,
    onError: () => undefined,
  });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

test(
  `unread counts, flags and first unread agree with one row per user and message (seed ${seed}, ${runs} histories)`,
  async () => {
    const client = await pool.connect();
    try {
      await fc.assert(
        fc.asyncProperty(history, async ({ members, operations }) => {
          // What an earlier history left open when it failed; and plans are made once, not for each of thousands of histories.
          await client.query('ROLLBACK');
          await client.query('SET plan_cache_mode = force_generic_plan');
          const world = await createWorld(client);
          const model = new Model();
          for (const [user, streamIndex] of members) await joining(world, model, user, streamIndex);
          for (const next of operations) await apply(world, model, next);
          await checkAll(world, model);
        }),
        { numRuns: runs, seed },
      );
    } finally {
      client.release();
    }
  },
  60_000 + runs * 1_000,
);
