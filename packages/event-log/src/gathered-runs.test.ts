import { createLogger } from '@parley/logging';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { GatheredRuns } from './gathered-runs.ts';

const gatherMs = 100;
const log = createLogger({ service: 'test', nodeId: 'test', level: 'silent' });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Work that records when it ran, and for how many requests. */
class NotedWork {
  readonly beganAt: number[] = [];
  readonly endedAt: number[] = [];
  readonly sizes: number[] = [];
  readonly runs: GatheredRuns;
  #waiting = 0;

  constructor(tookMs = 0, fails = false) {
    const run = async (): Promise<void> => {
      this.beganAt.push(Date.now());
      this.sizes.push(this.#waiting);
      this.#waiting = 0;
      if (tookMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, tookMs));
      this.endedAt.push(Date.now());
      if (fails) throw new Error('a store is away');
    };
    this.runs = new GatheredRuns({ gatherMs, run, log, name: 'noting' });
  }

  request(): void {
    this.#waiting += 1;
    this.runs.request();
  }
}

test('the first request runs at once, and so does one long after another', async () => {
  const work = new NotedWork();
  for (let n = 1; n <= 2; n += 1) {
    work.request();
    await vi.advanceTimersByTimeAsync(0);
    expect(work.sizes).toHaveLength(n);
    await vi.advanceTimersByTimeAsync(gatherMs);
  }
});

test('requests of one turn share a run, and so do all within the time after a run', async () => {
  const work = new NotedWork();
  for (let n = 0; n < 3; n += 1) work.request();
  await vi.advanceTimersByTimeAsync(0);
  for (let n = 0; n < 4; n += 1) {
    work.request();
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(work.sizes).toEqual([3]);
  await vi.advanceTimersByTimeAsync(gatherMs);
  expect(work.sizes).toEqual([3, 4]);
});

test('after a failed run the next one waits as well', async () => {
  const work = new NotedWork(0, true);
  work.request();
  await vi.advanceTimersByTimeAsync(0);
  work.request();
  await vi.advanceTimersByTimeAsync(gatherMs - 1);
  expect(work.sizes).toEqual([1]);
  await vi.advanceTimersByTimeAsync(1);
  expect(work.sizes).toEqual([1, 1]);
});

test('stop runs requested work after the current run, and nothing later', async () => {
  const work = new NotedWork(20);
  work.request();
  await vi.advanceTimersByTimeAsync(10);
  work.request();
  const stopped = work.runs.stop();
  await vi.advanceTimersByTimeAsync(30);
  await stopped;
  expect(work.sizes).toEqual([1, 1]);
  work.request();
  await vi.advanceTimersByTimeAsync(gatherMs * 2);
  expect(work.sizes).toEqual([1, 1]);
  expect(vi.getTimerCount()).toBe(0);
});

test('whatever the requests, each gets a run soon, and runs keep their distance', async () => {
  const waits = fc.array(fc.integer({ min: 0, max: 3 * gatherMs }), { maxLength: 30 });
  const duration = fc.integer({ min: 0, max: 2 * gatherMs });
  await fc.assert(
    fc.asyncProperty(waits, duration, async (waitsMs, tookMs) => {
      const work = new NotedWork(tookMs);
      const askedAt: number[] = [];
      for (const waitMs of waitsMs) {
        await vi.advanceTimersByTimeAsync(waitMs);
        askedAt.push(Date.now());
        work.request();
      }
      // One run may be in progress, and the time after it.
      const latestMs = tookMs + gatherMs;
      await vi.advanceTimersByTimeAsync(latestMs + tookMs);
      const ranAt = work.sizes.flatMap((size, run) =>
        Array<number>(size).fill(work.beganAt[run] ?? 0),
      );
      expect(ranAt).toHaveLength(askedAt.length);
      for (const [n, at] of ranAt.entries()) {
        expect(at).toBeGreaterThanOrEqual(askedAt[n] ?? 0);
        expect(at).toBeLessThanOrEqual((askedAt[n] ?? 0) + latestMs);
      }
      for (const [n, beganAt] of work.beganAt.slice(1).entries())
        expect(beganAt).toBeGreaterThanOrEqual((work.endedAt[n] ?? 0) + gatherMs);
      await work.runs.stop();
    }),
  );
});
