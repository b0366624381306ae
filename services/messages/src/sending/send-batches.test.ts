import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { SendBatches } from './send-batches.ts';

const gatherMs = 6;
let batches: SendBatches;
let entered: number;

beforeEach(() => {
  vi.useFakeTimers();
  batches = new SendBatches({ busySends: 3, gatherMs, sendsMax: 5 });
  entered = 0;
});

afterEach(() => {
  vi.useRealTimers();
});

function enter(sends: number): void {
  for (let send = 0; send < sends; send += 1) void batches.enter().then(() => (entered += 1));
}

/** Lets what is due now happen. */
async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

test('without load a send is written at once, even right after another', async () => {
  for (let send = 1; send <= 3; send += 1) {
    enter(1);
    await settle();
    expect(entered).toBe(send);
  }
});

test('after a busy batch sends are gathered and written together', async () => {
  enter(3);
  await settle();
  expect(entered).toBe(3);
  enter(1);
  await vi.advanceTimersByTimeAsync(gatherMs / 2);
  enter(1);
  await settle();
  expect(entered).toBe(3);
  await vi.advanceTimersByTimeAsync(gatherMs / 2);
  expect(entered).toBe(5);
});

test('a small batch ends the gathering', async () => {
  enter(3);
  await settle();
  enter(2);
  await vi.advanceTimersByTimeAsync(gatherMs);
  expect(entered).toBe(5);
  enter(1);
  await settle();
  expect(entered).toBe(6);
});

test('a finished busy batch delays nobody', async () => {
  enter(3);
  await vi.advanceTimersByTimeAsync(gatherMs);
  enter(1);
  await settle();
  expect(entered).toBe(4);
});

test('a full batch starts at once, and the rest goes with the next', async () => {
  enter(4);
  await settle();
  enter(7);
  await settle();
  expect(entered).toBe(9);
  await vi.advanceTimersByTimeAsync(gatherMs);
  expect(entered).toBe(11);
});
