import { expect, test } from 'vitest';

import { findSpoolParent } from './spool-folder.ts';

/** A memory disk of every Linux, and folders of which the one can be written and the other cannot. */
const [memory, disk, missing] = ['/dev/shm', import.meta.dirname, '/nowhere'];

test('the first folder on a disk that can be written is taken', async () => {
  expect(await findSpoolParent([missing, memory, disk])).toBe(disk);
});

test('without such a folder the refusal says why of each, once, and what to do', async () => {
  await expect(findSpoolParent([memory, missing, memory])).rejects.toThrow(
    '/dev/shm is in memory, and /nowhere cannot be written. Name one with --spool',
  );
});
