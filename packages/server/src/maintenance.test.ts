import { setImmediate as nextTurn } from 'node:timers/promises';

import { MovedClock } from '@parley/clock';
import { createLogger } from '@parley/telemetry/logging';
import { beforeEach, expect, it } from 'vitest';

import { startMaintenance } from './maintenance.ts';

const intervalMs = 1_000;

let lines: string[];
let runs: PromiseWithResolvers<void>[];
let dispose: () => Promise<void> | void;
let settle: () => Promise<boolean> | boolean;
let clock: MovedClock;
/** What is left to do for the task that is settled. */
let left: number;

beforeEach(() => {
  clock = new MovedClock();
  left = 0;
  lines = [];
  runs = [];
  startMaintenance(
    {
      clock,
      log: createLogger(
        { service: 'test', nodeId: 'test', level: 'debug' },
        { write: (line: string) => lines.push(line) },
      ),
      onDispose: (_name, run) => {
        dispose = run;
      },
      onSettle: (_name, given) => {
        settle = given;
      },
    },
    [
      {
        name: 'the sweep',
        intervalMs,
        run: () => {
          const run = Promise.withResolvers<void>();
          runs.push(run);
          return run.promise;
        },
      },
      {
        name: 'the notices',
        intervalMs: 100 * intervalMs,
        run: () => Promise.resolve(),
        settle: () => {
          left = Math.max(0, left - 1);
          return Promise.resolve(left === 0);
        },
      },
    ],
  );
});

it('starts no run before its time, or while the last one runs', async () => {
  await clock.advance(intervalMs - 1);
  expect(runs).toHaveLength(0);
  await clock.advance(1);
  expect(runs).toHaveLength(1);
  await clock.advance(2 * intervalMs);
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await nextTurn();
  await clock.advance(intervalMs);
  expect(runs).toHaveLength(2);
});

it('logs a failed run, and continues', async () => {
  await clock.advance(intervalMs);
  runs[0]?.reject(new Error('away'));
  await nextTurn();
  await clock.advance(intervalMs);
  expect(runs).toHaveLength(2);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ level: 'warn', msg: 'the sweep failed; it is tried again' }),
  ]);
});

it('is settled when no task runs, and those that requests cause have nothing to do', async () => {
  expect(await settle()).toBe(true);
  expect(runs).toHaveLength(0);
  left = 2;
  expect(await settle()).toBe(false);
  expect(await settle()).toBe(true);
  await clock.advance(intervalMs);
  const settled = settle();
  runs[0]?.resolve();
  expect(await settled).toBe(false);
  expect(await settle()).toBe(true);
});

it('is released when the current run has ended, and starts nothing more', async () => {
  await clock.advance(intervalMs);
  let isReleased = false;
  const released = Promise.resolve(dispose()).then(() => {
    isReleased = true;
  });
  await clock.advance(5 * intervalMs);
  expect([isReleased, runs.length]).toEqual([false, 1]);
  runs[0]?.resolve();
  await released;
  await clock.advance(5 * intervalMs);
  expect(runs).toHaveLength(1);
});
