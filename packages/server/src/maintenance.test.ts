import { createLogger } from '@parley/logging';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { startMaintenance } from './maintenance.ts';

const intervalMs = 1_000;

let lines: string[];
let runs: PromiseWithResolvers<void>[];
let dispose: () => Promise<void> | void;

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  runs = [];
  startMaintenance(
    {
      log: createLogger(
        { service: 'test', nodeId: 'test', level: 'debug' },
        { write: (line: string) => lines.push(line) },
      ),
      onDispose: (_name, run) => {
        dispose = run;
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
    ],
  );
});
afterEach(() => {
  vi.useRealTimers();
});

it('starts no run while the last one runs', async () => {
  await vi.advanceTimersByTimeAsync(3 * intervalMs);
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await vi.advanceTimersByTimeAsync(intervalMs);
  expect(runs).toHaveLength(2);
});

it('logs a failed run, and continues', async () => {
  await vi.advanceTimersByTimeAsync(intervalMs);
  runs[0]?.reject(new Error('away'));
  await vi.advanceTimersByTimeAsync(intervalMs);
  expect(runs).toHaveLength(2);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ level: 'warn', msg: 'the sweep failed; it is tried again' }),
  ]);
});

it('is released when the current run has ended, and starts nothing more', async () => {
  await vi.advanceTimersByTimeAsync(intervalMs);
  let isReleased = false;
  const released = Promise.resolve(dispose()).then(() => {
    isReleased = true;
  });
  await vi.advanceTimersByTimeAsync(5 * intervalMs);
  expect([isReleased, runs.length]).toEqual([false, 1]);
  runs[0]?.resolve();
  await released;
  await vi.advanceTimersByTimeAsync(5 * intervalMs);
  expect(runs).toHaveLength(1);
});
