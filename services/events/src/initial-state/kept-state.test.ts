import { SnapshotReads } from '@parley/database';
import { beforeEach, expect, test } from 'vitest';

import { KeptState } from './kept-state.ts';

let versions: Record<string, string | null>;
let made: number;
let kept: KeptState;

beforeEach(() => {
  versions = { users: '700 701', streams: null };
  made = 0;
  kept = new KeptState();
});

/** @returns a snapshot of this moment */
function snapshot(): SnapshotReads {
  return new SnapshotReads({
    query: async () => ({
      rows: [{ ...versions } as never],
      command: '',
      rowCount: 1,
      oid: 0,
      fields: [],
    }),
  });
}

/** @returns the number of the making that is read */
function read(epoch = 1): Promise<number> {
  return kept.at(snapshot(), epoch).read('people', ['users'], async () => (made += 1));
}

test('a value is kept while the rows of its tables are the same, whatever happens to others', async () => {
  expect(await read()).toBe(1);
  versions['streams'] = '702';
  expect(await read()).toBe(1);
});

test('other rows, fewer rows, no rows, and another epoch replace it', async () => {
  expect(await read()).toBe(1);
  versions['users'] = '700 703';
  expect(await read()).toBe(2);
  versions['users'] = '700';
  expect(await read()).toBe(3);
  versions['users'] = null;
  expect(await read()).toBe(4);
  expect(await read(2)).toBe(5);
  expect(await read(2)).toBe(5);
});

test('a failure is not kept', async () => {
  const failing = kept.at(snapshot(), 1).read('people', ['users'], async () => {
    throw new Error('Postgres went away');
  });
  await expect(failing).rejects.toThrow('Postgres went away');
  expect(await read()).toBe(1);
});
