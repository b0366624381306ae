import { describe, expect, it } from 'vitest';

import { BatchedReads } from './batched-reads.ts';

type Read = {
  readonly keys: readonly number[];
  readonly answer: (found: ReadonlyMap<number, string>) => void;
  readonly fail: (error: Error) => void;
};

function openReads(bounds = { keysPerRead: 3, readsAtOnce: 1 }): {
  readonly reads: BatchedReads<number, string>;
  readonly nextRead: () => Promise<Read>;
} {
  const begun: Read[] = [];
  const waiting: ((read: Read) => void)[] = [];
  const reads = new BatchedReads<number, string>(
    (keys) =>
      new Promise((answer, fail) => {
        const read = { keys, answer, fail };
        const next = waiting.shift();
        if (next === undefined) begun.push(read);
        else next(read);
      }),
    bounds,
  );
  const nextRead = async (): Promise<Read> =>
    begun.shift() ?? new Promise((resolve) => waiting.push(resolve));
  return { reads, nextRead };
}

describe('reads in batches', () => {
  it('requests of one turn share a read, and each gets its own result', async () => {
    const { reads, nextRead } = openReads();
    const answers = Promise.all([1, 2, 2].map((key) => reads.find(key)));
    const read = await nextRead();
    expect(read.keys).toEqual([1, 2]);
    read.answer(new Map([[2, 'two']]));
    expect(await answers).toEqual([undefined, 'two', 'two']);
  });

  it('requests during a read wait for the next one, also for a key that is being read', async () => {
    const { reads, nextRead } = openReads();
    const early = reads.find(1);
    const first = await nextRead();
    const late = reads.find(1);
    first.answer(new Map([[1, 'old']]));
    const second = await nextRead();
    expect(second.keys).toEqual([1]);
    second.answer(new Map([[1, 'new']]));
    expect(await Promise.all([early, late])).toEqual(['old', 'new']);
  });

  it('a read has a limit, and the rest goes into others', async () => {
    const { reads, nextRead } = openReads({ keysPerRead: 2, readsAtOnce: 2 });
    const answers = Promise.all([1, 2, 3, 4, 5].map((key) => reads.find(key)));
    const sizes: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      const read = await nextRead();
      sizes.push(read.keys.length);
      read.answer(new Map(read.keys.map((key) => [key, `${key}`])));
    }
    expect(sizes).toEqual([2, 2, 1]);
    expect(await answers).toEqual(['1', '2', '3', '4', '5']);
  });

  it('a failed read fails its own callers, and the next one runs', async () => {
    const { reads, nextRead } = openReads();
    const failed = reads.find(1);
    const first = await nextRead();
    const later = reads.find(2);
    first.fail(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    (await nextRead()).answer(new Map([[2, 'two']]));
    expect(await later).toBe('two');
  });
});
