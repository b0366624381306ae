import { setImmediate as nextTurn } from 'node:timers/promises';

import { MovedClock, pause } from '@parley/clock';
import { createLogger } from '@parley/telemetry/logging';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';

import { GatheredRuns } from './gathered-runs.ts';

const gatherMs = 200;
const log = createLogger({ service: 'test', nodeId: 'test', level: 'silent' });

let clock: MovedClock;

beforeEach(() => {
  clock = new MovedClock();
});

/** Lets the time pass after what was requested has begun. */
async function pass(ms: number): Promise<void> {
  await nextTurn();
  await clock.advance(ms);
  await nextTurn();
}

/** Work that records when it ran, and for how many requests. */
class NotedWork {
  readonly beganAt: number[] = [];
  readonly endedAt: number[] = [];
  readonly sizes: number[] = [];
  readonly runs: GatheredRuns;
  #waiting = 0;

  constructor(tookMs = 0, fails = false) {
    const run = async (): Promise<void> => {
      this.beganAt.push(clock.elapsedMs());
      this.sizes.push(this.#waiting);
      this.#waiting = 0;
      if (tookMs > 0) await pause(clock, tookMs);
      this.endedAt.push(clock.elapsedMs());
      if (fails) throw new Error('a store is away');
    };
    this.runs = new GatheredRuns({ clock, gatherMs, run, log, name: 'noting' });
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
    await pass(0);
    expect(work.sizes).toHaveLength(n);
    await pass(gatherMs);
  }
});

test('requests of one turn share a run, and so do all within the time after a run', async () => {
  const work = new NotedWork();
  for (let n = 0; n < 3; n += 1) work.request();
  await pass(0);
  for (let n = 0; n < 4; n += 1) {
    work.request();
    await pass(10);
  }
  expect(work.sizes).toEqual([3]);
  await pass(gatherMs);
  expect(work.sizes).toEqual([3, 4]);
});

test('after a failed run the next one waits as well', async () => {
  const work = new NotedWork(0, true);
  work.request();
  await pass(0);
  work.request();
  await pass(gatherMs - 1);
  expect(work.sizes).toEqual([1]);
  await pass(1);
  expect(work.sizes).toEqual([1, 1]);
});

test('stop runs requested work after the current run, and nothing later', async () => {
  const work = new NotedWork(20);
  work.request();
  await pass(10);
  work.request();
  const stopped = work.runs.stop();
  await pass(30);
  await stopped;
  expect(work.sizes).toEqual([1, 1]);
  work.request();
  await pass(gatherMs * 2);
  expect(work.sizes).toEqual([1, 1]);
  expect(clock.nextInMs).toBeUndefined();
});

test('it is settled when no run is requested or under way, without waiting for more requests', async () => {
  const work = new NotedWork();
  expect(await work.runs.settle()).toBe(true);
  work.request();
  expect(await work.runs.settle()).toBe(false);
  expect(work.sizes).toEqual([1]);
  expect(await work.runs.settle()).toBe(true);
  work.request();
  work.request();
  expect(await work.runs.settle()).toBe(false);
  expect([work.sizes, clock.elapsedMs()]).toEqual([[1, 2], 0]);
  expect(await work.runs.settle()).toBe(true);
});

test('it is not settled before a run that is under way has ended', async () => {
  const work = new NotedWork(20);
  work.request();
  await pass(10);
  work.request();
  const settled = work.runs.settle();
  await pass(10);
  expect([work.endedAt, work.beganAt]).toEqual([[20], [0, 20]]);
  await pass(20);
  expect([await settled, work.sizes]).toEqual([false, [1, 1]]);
});

test('whatever the requests, each gets a run soon, and runs keep their distance', async () => {
  const waits = fc.array(fc.integer({ min: 0, max: 3 * gatherMs }), { maxLength: 30 });
  const duration = fc.integer({ min: 0, max: 2 * gatherMs });
  await fc.assert(
    fc.asyncProperty(waits, duration, async (waitsMs, tookMs) => {
      const work = new NotedWork(tookMs);
      const askedAt: number[] = [];
      for (const waitMs of waitsMs) {
        await pass(waitMs);
        askedAt.push(clock.elapsedMs());
        work.request();
      }
      // One run may be in progress, and the time after it.
      const latestMs = tookMs + gatherMs;
      await pass(latestMs + tookMs);
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
