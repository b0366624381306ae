import { MovedClock } from '@parley/clock';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { Heartbeats } from './heartbeats.ts';
import type { HeartbeatWaiter } from './heartbeats.ts';

class Waiter implements HeartbeatWaiter {
  heartbeatDueAtMs = 0;
  heartbeatIndex = 0;
  readonly loggedAtMs: number[] = [];
  readonly #clock: MovedClock;
  readonly #heartbeats: Heartbeats;

  constructor(clock: MovedClock, heartbeats: Heartbeats) {
    this.#clock = clock;
    this.#heartbeats = heartbeats;
  }

  onHeartbeatDue(): void {
    this.loggedAtMs.push(this.#clock.elapsedMs());
    this.#heartbeats.remove(this);
  }
}

test.each([
  { minMs: 45_000, maxMs: 55_000 },
  { minMs: 300, maxMs: 600 },
  { minMs: 50, maxMs: 50 },
])(
  'a reader gets a heartbeat after $minMs to $maxMs ms, or a step less',
  async ({ minMs, maxMs }) => {
    const clock = new MovedClock();
    const heartbeats = new Heartbeats(clock, { minMs, maxMs });
    const waiters = Array.from({ length: 100 }, () => new Waiter(clock, heartbeats));
    for (const waiter of waiters) {
      heartbeats.add(waiter, clock.elapsedMs() + heartbeats.draw());
      await clock.advance(1);
    }
    await clock.advance(maxMs * 1.1 + 20);
    for (const [addedAtMs, { loggedAtMs }] of waiters.entries()) {
      expect(loggedAtMs).toHaveLength(1);
      const waitedMs = (loggedAtMs[0] ?? 0) - addedAtMs;
      const stepMs = Math.min(Math.max(minMs / 20, 10), 250);
      expect(waitedMs).toBeGreaterThanOrEqual(Math.min(minMs, maxMs - stepMs));
      expect(waitedMs).toBeLessThanOrEqual(maxMs);
    }
    expect(clock.nextInMs, 'nothing runs while nobody waits').toBeUndefined();
  },
);

test('a heartbeat comes when it is due, and not a millisecond before', async () => {
  const clock = new MovedClock();
  const heartbeats = new Heartbeats(clock, { minMs: 1_000, maxMs: 2_000 });
  const waiter = new Waiter(clock, heartbeats);
  heartbeats.add(waiter, 1_500);
  await clock.advance(1_499);
  expect(waiter.loggedAtMs).toEqual([]);
  await clock.advance(1);
  expect(waiter.loggedAtMs).toEqual([1_500]);
});

test('readers that are due at about the same time get theirs in one turn', async () => {
  const clock = new MovedClock();
  const heartbeats = new Heartbeats(clock, { minMs: 45_000, maxMs: 55_000 });
  const waiters = Array.from({ length: 100 }, () => new Waiter(clock, heartbeats));
  for (const [n, waiter] of waiters.entries()) heartbeats.add(waiter, 45_001 + n);
  await clock.advance(60_000);
  expect(new Set(waiters.flatMap(({ loggedAtMs }) => loggedAtMs)).size).toBe(1);
});

test('a removed reader gets none, and the others get theirs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 30 }), async (stays) => {
      const clock = new MovedClock();
      const heartbeats = new Heartbeats(clock, { minMs: 1_000, maxMs: 2_000 });
      const waiters = stays.map(() => new Waiter(clock, heartbeats));
      for (const waiter of waiters) heartbeats.add(waiter, clock.elapsedMs() + heartbeats.draw());
      for (const [n, waiter] of waiters.entries()) if (stays[n] !== true) heartbeats.remove(waiter);
      await clock.advance(2_200);
      expect(waiters.map(({ loggedAtMs }) => loggedAtMs.length > 0)).toEqual(stays);
      expect(clock.nextInMs).toBeUndefined();
    }),
  );
});

test('a reader that is woken all the time gets its heartbeat on time', async () => {
  const clock = new MovedClock();
  const heartbeats = new Heartbeats(clock, { minMs: 1_000, maxMs: 2_000 });
  const waiter = new Waiter(clock, heartbeats);
  heartbeats.add(waiter, 1_500);
  for (let ms = 0; ms < 2_000 && waiter.loggedAtMs.length === 0; ms += 10) {
    heartbeats.remove(waiter);
    heartbeats.add(waiter, 1_500);
    await clock.advance(10);
  }
  expect(waiter.loggedAtMs).toEqual([1_500]);
});
