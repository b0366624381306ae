import { expect, test } from 'vitest';

import { CoalescedRead } from './coalesced-read.ts';

function controlled(): {
  shared: CoalescedRead<number>;
  started: () => number;
  finish: (outcome?: Error) => void;
} {
  let started = 0;
  let pending: PromiseWithResolvers<number> | undefined;
  const shared = new CoalescedRead(() => {
    started += 1;
    pending = Promise.withResolvers<number>();
    return pending.promise;
  });
  return {
    shared,
    started: () => started,
    finish: (outcome) =>
      outcome === undefined ? pending?.resolve(started) : pending?.reject(outcome),
  };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('callers during a read share the next read', async () => {
  const { shared, started, finish } = controlled();
  const first = shared.get();
  await settle();
  const others = [shared.get(), shared.get()];
  await settle();
  expect(started()).toBe(1);
  finish();
  expect(await first).toBe(1);
  await settle();
  finish();
  expect(await Promise.all(others)).toEqual([2, 2]);
});

test('a failed read fails only its own callers', async () => {
  const { shared, finish } = controlled();
  const first = shared.get();
  await settle();
  const second = shared.get();
  finish(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await settle();
  finish();
  expect(await second).toBe(2);
});
