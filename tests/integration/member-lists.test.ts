/** Cached lists of subscribers equal a read of the same snapshot, whoever changes memberships and whenever it is committed. */
import { SnapshotReads, snapshot } from '@parley/database';
import type { Client, Pool } from '@parley/database';
import { listMemberTexts } from '@parley/store';
import { createTestDatabase, openTestPool } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { MemberLists } from '../../services/events/src/initial-state/member-lists.ts';

const streamIds = [1, 2, 3];

let database: TestDatabase;
let pool: Pool;
let lists: MemberLists;
/** The streams that were read from Postgres. */
let readIds: number[];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, 4, { idleInTransactionMaxMs: 30_000 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  await pool.query('DELETE FROM membership_periods');
  lists = new MemberLists(1_000);
  readIds = [];
});

async function change(streamId: number, userId: number, client: Pool | Client = pool) {
  await client.query(
    `INSERT INTO membership_periods (user_id, stream_id, from_change_id) VALUES (${userId}, ${streamId}, 1)`,
  );
}

/** @returns the lists, after comparing them with those in the same snapshot */
async function read(epoch = 1): Promise<unknown[]> {
  readIds = [];
  return snapshot(pool, async (client) => {
    const reads = new SnapshotReads({
      query: (statement) => {
        if (statement.name === 'store-list-member-texts')
          readIds.push(...(statement.values?.[0] as number[]));
        return client.query(statement);
      },
    });
    const readMembers = await lists.openAt(reads, epoch);
    const found = await readMembers(streamIds);
    expect(found).toEqual(await listMemberTexts(client, streamIds));
    return streamIds.map((id): unknown => JSON.parse(found.get(id) ?? ''));
  });
}

test('only the lists are read anew whose memberships changed', async () => {
  await change(1, 11);
  await change(2, 21);
  expect(await read()).toEqual([[11], [21], []]);
  expect(readIds).toEqual([1, 2, 3]);
  await read();
  expect(readIds).toEqual([]);
  await change(2, 22);
  expect(await read()).toEqual([[11], [21, 22], []]);
  expect(readIds).toEqual([2]);
  await pool.query('UPDATE membership_periods SET until_change_id = 2 WHERE user_id = 11');
  expect(await read()).toEqual([[], [21, 22], []]);
  expect(readIds).toEqual([1]);
  await pool.query('DELETE FROM membership_periods WHERE user_id = 22');
  await change(3, 31);
  expect(await read()).toEqual([[], [21], [31]]);
  expect(readIds).toEqual([2, 3]);
  await read(2);
  expect(readIds).toEqual(streamIds);
});

test('changes count with their commit, in whichever order transactions end', async () => {
  const [first, second] = [await pool.connect(), await pool.connect()];
  try {
    for (const client of [first, second]) await client.query('BEGIN');
    await change(1, 11, first);
    await change(2, 21, second);
    await change(2, 22, second);
    expect(await read()).toEqual([[], [], []]);
    await second.query('COMMIT');
    expect(await read()).toEqual([[], [21, 22], []]);
    await first.query('COMMIT');
    expect(await read()).toEqual([[11], [21, 22], []]);
    await first.query('BEGIN');
    await change(3, 31, first);
    await first.query('ROLLBACK');
    expect(await read()).toEqual([[11], [21, 22], []]);
    expect(readIds).toEqual([]);
  } finally {
    first.release(true);
    second.release(true);
  }
});

test('above their bound the lists that were read first are dropped', async () => {
  lists = new MemberLists('[100001]'.length * 2);
  for (const id of streamIds) await change(id, 100_000 + id);
  await read();
  expect(lists.bytes).toBe('[100001]'.length * 2);
  expect(await read()).toEqual([[100_001], [100_002], [100_003]]);
  expect(readIds).toEqual([1]);
});
