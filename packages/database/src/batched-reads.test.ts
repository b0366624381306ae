import { setImmediate as nextTurn } from 'node:timers/promises';

import { MovedClock, WhollyMovedClock } from '@parley/clock';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';

import { BatchedReads } from './batched-reads.ts';
import type { ReadBounds } from './batched-reads.ts';

type Read = { readonly keys: readonly number[]; readonly end: (outcome: string | Error) => void };

/** Reads that end when the test says so, with the same text for all their keys; none finds the key 0. */
class HeldReads {
  readonly begun: Read[] = [];
  readonly #reads: BatchedReads<number, string>;

  constructor(bounds: ReadBounds) {
    this.#reads = new BatchedReads(async (keys) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const end = (outcome: string | Error): void =>
        outcome instanceof Error ? reject(outcome) : resolve(outcome);
      this.begun.push({ keys, end });
      const text = await promise;
      return new Map(keys.filter((key) => key !== 0).map((key) => [key, text]));
    }, bounds);
  }

  get sizes(): readonly number[] {
    return this.begun.map(({ keys }) => keys.length);
  }

  /** @returns what was found, or the text of the error */
  find(key: number): Promise<string | undefined> {
    return this.#reads.find(key).catch((error: unknown) => String(error));
  }

  findEach(keys: readonly number[]): Promise<readonly (string | undefined)[]> {
    return Promise.all(keys.map((key) => this.find(key)));
  }

  /** Ends a read, and lets the next one begin. */
  async end(read: number, outcome: string | Error): Promise<void> {
    this.begun[read]?.end(outcome);
    await nextTurn();
    await nextTurn();
  }
}

describe('batched reads', () => {
  it('ask once for what is asked in one turn, and each caller gets what is found for its key', async () => {
    const reads = new HeldReads({ keysPerRead: 3, readsAtOnce: 1 });
    const found = reads.findEach([1, 0, 1]);
    await nextTurn();
    expect(reads.begun.map(({ keys }) => keys)).toEqual([[1, 0]]);
    await reads.end(0, 'one');
    expect(await found).toEqual(['one', undefined, 'one']);
  });

  it('answer nobody by a read that had begun before', async () => {
    const reads = new HeldReads({ keysPerRead: 3, readsAtOnce: 1 });
    const early = reads.find(1);
    await nextTurn();
    const late = reads.findEach([1, 2]);
    await reads.end(0, 'old');
    expect(reads.sizes).toEqual([1, 2]);
    await reads.end(1, 'new');
    expect([await early, ...(await late)]).toEqual(['old', 'new', 'new']);
  });

  it('fail those alone whose read failed', async () => {
    const reads = new HeldReads({ keysPerRead: 1, readsAtOnce: 1 });
    const found = reads.findEach([1, 2]);
    await nextTurn();
    await reads.end(0, new Error('away'));
    await reads.end(1, 'two');
    expect(await found).toEqual(['Error: away', 'two']);
  });

  it('get what must be there, or throw', async () => {
    const reads = new BatchedReads(async () => new Map([[1, 'one']]), {
      keysPerRead: 1,
      readsAtOnce: 1,
    });
    expect(await reads.get(1)).toBe('one');
    await expect(reads.get(2)).rejects.toThrow('did not find');
  });

  it('keep their bounds, whatever is asked and however long reads take', async () => {
    const step = fc.oneof(
      fc.record({ find: fc.integer({ min: 0, max: 6 }) }),
      fc.record({ end: fc.nat(8), fails: fc.boolean() }),
      fc.constant('turn' as const),
    );
    const bound = fc.integer({ min: 1, max: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(step), bound, bound, async (steps, keysPerRead, readsAtOnce) => {
        const reads = new HeldReads({ keysPerRead, readsAtOnce });
        const open = new Set<number>();
        const calls: { readonly key: number; readonly after: number; found?: string }[] = [];
        const noteBegun = (): void => {
          for (let n = 0; n < reads.begun.length; n += 1) if (!ended.has(n)) open.add(n);
          expect(open.size).toBeLessThanOrEqual(readsAtOnce);
        };
        const ended = new Set<number>();
        const end = async (read: number, fails: boolean): Promise<void> => {
          ended.add(read);
          open.delete(read);
          await reads.end(read, fails ? new Error(`${read}`) : `${read}`);
          noteBegun();
        };
        for (const each of steps) {
          if (each === 'turn') await nextTurn();
          else if ('find' in each) {
            const call: (typeof calls)[number] = { key: each.find, after: reads.begun.length };
            calls.push(call);
            void reads.find(each.find).then((found) => (call.found = found ?? 'nothing'));
          } else {
            const read = [...open][each.end % Math.max(open.size, 1)];
            if (read !== undefined) await end(read, each.fails);
          }
          noteBegun();
        }
        await nextTurn();
        noteBegun();
        for (const read of open) await end(read, false);
        for (const { keys } of reads.begun) {
          expect(keys.length).toBeLessThanOrEqual(keysPerRead);
          expect(new Set(keys).size).toBe(keys.length);
        }
        for (const { key, after, found } of calls) {
          if (key === 0) {
            expect(found).toMatch(/^(nothing|Error: \d+)$/);
            continue;
          }
          const read = Number(found?.match(/\d+$/)?.[0]);
          expect(read).toBeGreaterThanOrEqual(after);
          expect(reads.begun[read]?.keys).toContain(key);
        }
      }),
    );
  });
});

describe('reads that gather', () => {
  const ms = 6;
  let clock: MovedClock;
  let reads: HeldReads;
  let asked: number;

  beforeEach(() => {
    asked = 0;
    clock = new WhollyMovedClock();
    const gathering = { clock, busyKeys: 3, ms };
    reads = new HeldReads({ keysPerRead: 5, readsAtOnce: 9, gathering });
  });

  /** Asks for so many new keys. */
  async function ask(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) void reads.find((asked += 1));
    await nextTurn();
  }

  it('let nothing wait without load', async () => {
    for (let n = 1; n <= 3; n += 1) {
      await ask(1);
      expect(reads.sizes).toHaveLength(n);
    }
  });

  it('gather after a busy read, until its time is over', async () => {
    await ask(3);
    await ask(1);
    await clock.advance(ms - 1);
    await ask(1);
    expect(reads.sizes).toEqual([3]);
    await clock.advance(1);
    expect(reads.sizes).toEqual([3, 2]);
    // That one was not busy.
    await ask(1);
    expect(reads.sizes).toEqual([3, 2, 1]);
  });

  it('let nobody wait who comes later', async () => {
    await ask(3);
    await clock.advance(ms);
    await ask(1);
    expect(reads.sizes).toEqual([3, 1]);
  });

  it('begin when they are full, and gather what is left', async () => {
    await ask(4);
    await ask(7);
    expect(reads.sizes).toEqual([4, 5]);
    await clock.advance(ms);
    expect(reads.sizes).toEqual([4, 5, 2]);
  });
});
