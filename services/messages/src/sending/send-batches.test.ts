import { setImmediate as nextTurn } from 'node:timers/promises';

import { MovedClock, WhollyMovedClock } from '@parley/clock';
import { beforeEach, expect, test } from 'vitest';

import { SendBatches } from './send-batches.ts';

const gatherMs = 6;
let clock: MovedClock;
let batches: SendBatches;
let entered: number;

beforeEach(() => {
  clock = new WhollyMovedClock();
  batches = new SendBatches(clock, { busySends: 3, gatherMs, sendsMax: 5 });
  entered = 0;
});

function enter(sends: number): void {
  for (let send = 0; send < sends; send += 1) void batches.enter().then(() => (entered += 1));
}

test('without load a send is written at once, even right after another', async () => {
  for (let send = 1; send <= 3; send += 1) {
    enter(1);
    await nextTurn();
    expect(entered).toBe(send);
  }
});

test('after a busy batch sends are gathered and written together', async () => {
  enter(3);
  await nextTurn();
  expect(entered).toBe(3);
  enter(1);
  await clock.advance(gatherMs - 1);
  enter(1);
  await nextTurn();
  expect(entered).toBe(3);
  await clock.advance(1);
  expect(entered).toBe(5);
});

test('a small batch ends the gathering', async () => {
  enter(3);
  await nextTurn();
  enter(2);
  await clock.advance(gatherMs);
  expect(entered).toBe(5);
  enter(1);
  await nextTurn();
  expect(entered).toBe(6);
});

test('a finished busy batch delays nobody', async () => {
  enter(3);
  await nextTurn();
  await clock.advance(gatherMs);
  enter(1);
  await nextTurn();
  expect(entered).toBe(4);
});

test('a full batch starts at once, and the rest goes with the next', async () => {
  enter(4);
  await nextTurn();
  enter(7);
  await nextTurn();
  expect(entered).toBe(9);
  await clock.advance(gatherMs);
  expect(entered).toBe(11);
});
