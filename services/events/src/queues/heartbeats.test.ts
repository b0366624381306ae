import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Heartbeats } from './heartbeats.ts';
import type { HeartbeatWaiter } from './heartbeats.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

class Waiter implements HeartbeatWaiter {
  heartbeatDueAtMs = 0;
  heartbeatIndex = 0;
  readonly loggedAtMs: number[] = [];
  readonly #heartbeats: Heartbeats;

  constructor(heartbeats: Heartbeats) {
    this.#heartbeats = heartbeats;
  }

  onHeartbeatDue(): void {
    this.loggedAtMs.push(performance.now());
    this.#heartbeats.remove(this);
  }
}

test.each([
  { minMs: 45_000, maxMs: 55_000 },
  { minMs: 300, maxMs: 600 },
  { minMs: 50, maxMs: 50 },
])('a reader gets a heartbeat after $minMs to $maxMs ms, or a step less', ({ minMs, maxMs }) => {
  const heartbeats = new Heartbeats({ minMs, maxMs });
  const waiters = Array.from({ length: 100 }, () => new Waiter(heartbeats));
  for (const waiter of waiters) {
    heartbeats.add(waiter, performance.now() + heartbeats.draw());
    vi.advanceTimersByTime(1);
  }
  const beganAtMs = performance.now() - waiters.length;
  vi.advanceTimersByTime(maxMs * 1.1 + 20);
  for (const [n, { loggedAtMs }] of waiters.entries()) {
    expect(loggedAtMs).toHaveLength(1);
    const waitedMs = (loggedAtMs[0] ?? 0) - beganAtMs - n;
    const stepMs = Math.min(Math.max(minMs / 20, 10), 250);
    expect(waitedMs).toBeGreaterThanOrEqual(Math.min(minMs, maxMs - stepMs));
    // Waits begin between two ticks of the clock here.
    expect(waitedMs).toBeLessThanOrEqual(maxMs + 1);
  }
  expect(vi.getTimerCount(), 'nothing runs while nobody waits').toBe(0);
});

test('readers that are due at about the same time get theirs in one turn', () => {
  const heartbeats = new Heartbeats({ minMs: 45_000, maxMs: 55_000 });
  const waiters = Array.from({ length: 100 }, () => new Waiter(heartbeats));
  for (const [n, waiter] of waiters.entries()) heartbeats.add(waiter, 45_001 + n);
  vi.advanceTimersByTime(60_000);
  expect(new Set(waiters.flatMap(({ loggedAtMs }) => loggedAtMs)).size).toBe(1);
});

test('a removed reader gets none, and the others get theirs', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 30 }), (stays) => {
      const heartbeats = new Heartbeats({ minMs: 1_000, maxMs: 2_000 });
      const waiters = stays.map(() => new Waiter(heartbeats));
      for (const waiter of waiters) heartbeats.add(waiter, performance.now() + heartbeats.draw());
      for (const [n, waiter] of waiters.entries()) if (stays[n] !== true) heartbeats.remove(waiter);
      vi.advanceTimersByTime(2_200);
      expect(waiters.map(({ loggedAtMs }) => loggedAtMs.length > 0)).toEqual(stays);
      expect(vi.getTimerCount()).toBe(0);
    }),
  );
});

test('a reader that is woken all the time gets its heartbeat on time', () => {
  const heartbeats = new Heartbeats({ minMs: 1_000, maxMs: 2_000 });
  const waiter = new Waiter(heartbeats);
  const dueAtMs = performance.now() + 1_500;
  heartbeats.add(waiter, dueAtMs);
  for (let ms = 0; ms < 2_000 && waiter.loggedAtMs.length === 0; ms += 10) {
    heartbeats.remove(waiter);
    heartbeats.add(waiter, dueAtMs);
    vi.advanceTimersByTime(10);
  }
  expect(waiter.loggedAtMs[0]).toBeGreaterThanOrEqual(dueAtMs);
  expect(waiter.loggedAtMs[0]).toBeLessThanOrEqual(dueAtMs + 50);
});
