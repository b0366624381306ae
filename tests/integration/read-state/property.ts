/**
 * Random histories of joins, leaves, sends, moves, reads and bulk marking, in real SQL, against a model with one row per user and
 * message.
 */
import type { Pool } from '@parley/database';
import { listSizes } from '@parley/store';
import { createTestDatabase, openTestPool } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';

import { seedsOf } from '../../support/seeds.ts';
import { checkAll } from './check-all.ts';
import { history } from './histories.ts';
import { Model } from './model.ts';
import { apply, joining } from './operations.ts';
import { createWorld } from './world.ts';

const sizes = { ...listSizes };
// With these sizes even short histories reach the last way of finding a message.
const smallSizes: typeof listSizes = {
  nearIds: 2,
  nearOfLimit: 0,
  nearForRange: 0,
  wholeMax: 1,
  wholePagesMax: 1_000,
  rangesBeforeWhole: 1,
  firstOfRange: 1,
  firstPartOfLimit: 1_000_000,
  unmutedTopicsMax: 1,
  conversationsAtOnce: 2,
  conversationsPartOfLimit: 1_000_000,
  windowIds: 2,
  windowOfLimit: 0,
  movedMax: 1,
  unreadBeforeWords: 2,
  manyStreams: 1,
};

/**
 * Defines the property as a test of the calling file.
 *
 * @param defaultRuns histories to try for each seed; `PARLEY_PROPERTY_RUNS` overrides it
 */
export function testReadState(defaultRuns: number): void {
  const runs = Number(process.env['PARLEY_PROPERTY_RUNS'] ?? defaultRuns);

  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openTestPool(database.url);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  test.each(seedsOf('read state'))(
    `unread counts, flags and first unread agree with one row per user and message (seed %i, ${runs} histories)`,
    async (seed) => {
      const client = await pool.connect();
      try {
        await fc.assert(
          fc.asyncProperty(history, async ({ members, operations, isNarrow }) => {
            Object.assign(listSizes, isNarrow ? smallSizes : sizes);
            // Ends a transaction that a failed history left open. Plans are made once and not for each of thousands of histories.
            await client.query('ROLLBACK');
            await client.query('SET plan_cache_mode = force_generic_plan');
            const world = await createWorld(client);
            const model = new Model();
            for (const [user, streamIndex] of members)
              await joining(world, model, user, streamIndex);
            for (const next of operations) await apply(world, model, next);
            await checkAll(world, model);
          }),
          { numRuns: runs, seed },
        );
      } finally {
        // Files share their process, and the plans of another one are judged by the real sizes.
        Object.assign(listSizes, sizes);
        client.release();
      }
    },
    // A history takes most of a second on a busy machine with two cores; this limit only ends a run that hangs.
    60_000 + runs * 4_000,
  );
}
