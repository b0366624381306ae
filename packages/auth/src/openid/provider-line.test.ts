import { setImmediate as nextTurn } from 'node:timers/promises';

import { MovedClock } from '@parley/clock';
import { beforeEach, expect, test } from 'vitest';

import { ProviderUnavailable } from './provider-faults.ts';
import { ProviderLine } from './provider-line.ts';

const timeoutMs = 10_000;
let clock: MovedClock;
let line: ProviderLine;

beforeEach(() => {
  clock = new MovedClock();
  line = new ProviderLine(1, 1, clock);
});

/** Work that ends when the test says so. */
function startWork(): { readonly outcome: () => unknown; readonly end: () => void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  let outcome: unknown;
  line
    .run(timeoutMs, () => promise)
    .then(
      (result) => {
        outcome = result;
      },
      (error: unknown) => {
        outcome = error;
      },
    );
  return { outcome: () => outcome, end: () => resolve('done') };
}

test('work that takes longer is given up, and keeps its room until it ends', async () => {
  const slow = startWork();
  await clock.advance(timeoutMs - 1);
  expect(slow.outcome()).toBeUndefined();
  await clock.advance(1);
  expect(slow.outcome()).toBeInstanceOf(ProviderUnavailable);
  const waiting = startWork();
  waiting.end();
  await nextTurn();
  expect(waiting.outcome()).toBeUndefined();
  slow.end();
  await nextTurn();
  expect(waiting.outcome()).toBe('done');
});

test('the wait for room counts too, and nobody waits beyond the bound', async () => {
  const [running, waiting, refused] = [startWork(), startWork(), startWork()];
  await nextTurn();
  expect(refused.outcome()).toBeInstanceOf(ProviderUnavailable);
  await clock.advance(timeoutMs - 1);
  expect(waiting.outcome()).toBeUndefined();
  await clock.advance(1);
  expect(waiting.outcome()).toBeInstanceOf(ProviderUnavailable);
  running.end();
  const next = startWork();
  next.end();
  await nextTurn();
  expect(next.outcome()).toBe('done');
});
