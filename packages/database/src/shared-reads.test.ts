import { expect, test } from 'vitest';

import type { Queryable } from './queryable.ts';
import { SnapshotReads } from './snapshot-reads.ts';

test('equal statements with equal values run once, others run separately', async () => {
  const run: unknown[] = [];
  const snapshot: Queryable = {
    query: async ({ name, text, values }) => {
      run.push([name ?? text, values]);
      return { rows: [], command: '', rowCount: run.length, oid: 0, fields: [] };
    },
  };
  const reads = new SnapshotReads(snapshot);
  const counts = await Promise.all(
    [
      { name: 'users', text: 'SELECT users' },
      { name: 'users', text: 'SELECT users' },
      { name: 'user', text: 'SELECT user', values: [1, [2]] },
      { name: 'user', text: 'SELECT user', values: [1, [2]] },
      { name: 'user', text: 'SELECT user', values: [1, 2] },
      { text: 'SELECT user', values: [1, 2] },
    ].map(async (statement) => (await reads.query(statement)).rowCount),
  );
  expect(counts).toEqual([1, 1, 2, 2, 3, 4]);
  expect(run).toEqual([
    ['users', undefined],
    ['user', [1, [2]]],
    ['user', [1, 2]],
    ['SELECT user', [1, 2]],
  ]);
});
