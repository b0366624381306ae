import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { deadline, limitMs, pause, pauseShortly } from './clock.ts';
import type { Clock } from './clock.ts';
import { MovedClock } from './moved-clock.ts';
import { systemClock } from './system-clock.ts';

const beganAtMs = Date.UTC(2030, 0, 2);

/** Records when something ran. */
function watch(clock: Clock): { readonly atMs: number[]; readonly run: () => void } {
  const atMs: number[] = [];
  return { atMs, run: () => void atMs.push(clock.elapsedMs()) };
}

describe('a clock that is moved', () => {
  test('stands until then', () => {
    const clock = new MovedClock(beganAtMs);
    expect([clock.runs, clock.nowMs(), clock.elapsedMs()]).toEqual([false, beganAtMs, 0]);
    expect(clock.nextInMs).toBeUndefined();
  });

  test('shows the time by which it was moved', async () => {
    const clock = new MovedClock(beganAtMs);
    await clock.advance(2_500);
    await clock.advance(0);
    expect([clock.nowMs(), clock.elapsedMs()]).toEqual([beganAtMs + 2_500, 2_500]);
  });

  test('runs what is due at its exact time, and nothing one step before', async () => {
    const clock = new MovedClock();
    const { atMs, run } = watch(clock);
    clock.after(1_500, run);
    await clock.advance(1_499);
    expect([atMs, clock.nextInMs]).toEqual([[], 1]);
    await clock.advance(1);
    expect([atMs, clock.nextInMs]).toEqual([[1_500], undefined]);
    await clock.advance(10_000);
    expect(atMs).toEqual([1_500]);
  });

  test('runs in the order of times, then in that of arranging, whatever the step', async () => {
    const clock = new MovedClock();
    const ran: string[] = [];
    for (const [name, ms] of [
      ['late', 700],
      ['early', 10],
      ['late too', 700],
      ['at once', -5],
    ] as const)
      clock.after(ms, () => ran.push(`${name} ${clock.elapsedMs()}`));
    await clock.advance(1_000);
    expect(ran).toEqual(['at once 0', 'early 10', 'late 700', 'late too 700']);
  });

  test('gives each a turn of its own, and runs within the same move what that arranges', async () => {
    const clock = new MovedClock();
    const ran: string[] = [];
    clock.after(100, () => {
      ran.push('first');
      void Promise.resolve().then(() => {
        ran.push('what it caused');
        clock.after(100, () => ran.push(`arranged by it at ${clock.elapsedMs()}`));
      });
    });
    clock.after(150, () => ran.push('second'));
    await clock.advance(1_000);
    expect(ran).toEqual(['first', 'what it caused', 'second', 'arranged by it at 200']);
  });

  test('does not run what was cancelled', async () => {
    const clock = new MovedClock();
    const { atMs, run } = watch(clock);
    const once = clock.after(100, run);
    const often = clock.every(100, run);
    clock.after(50, () => once.cancel());
    often.unref().cancel();
    await clock.advance(1_000);
    expect([atMs, clock.nextInMs]).toEqual([[], undefined]);
  });

  test('does not take back the time of day, and nothing is due because it was set', async () => {
    const clock = new MovedClock(beganAtMs);
    const { atMs, run } = watch(clock);
    clock.after(1_000, run);
    await clock.advance(400);
    clock.setTimeOfDay(beganAtMs + 86_400_000);
    expect([clock.nowMs(), clock.elapsedMs()]).toEqual([beganAtMs + 86_400_000, 400]);
    clock.setTimeOfDay(0);
    expect([clock.nowMs(), clock.elapsedMs(), clock.nextInMs]).toEqual([0, 400, 600]);
    await clock.advance(599);
    expect(atMs).toEqual([]);
    await clock.advance(1);
    expect([atMs, clock.nowMs()]).toEqual([[1_000], 600]);
  });

  test('lets waits within one piece of work pass by themselves', async () => {
    const clock = new MovedClock();
    await pauseShortly(clock, 1);
    expect(clock.elapsedMs()).toBe(0);
  });
});

describe('an interval', () => {
  test('runs each time when steps are no longer than it', async () => {
    const clock = new MovedClock();
    const { atMs, run } = watch(clock);
    const interval = clock.every(1_500, run);
    await clock.advance(1_499);
    expect(atMs).toEqual([]);
    await clock.advance(4_501);
    expect([atMs, clock.nextInMs]).toEqual([[1_500, 3_000, 4_500, 6_000], 1_500]);
    interval.cancel();
    await clock.advance(10_000);
    expect(atMs).toHaveLength(4);
  });

  test('that is shorter than the time that passes runs each time', async () => {
    const clock = new MovedClock();
    const { atMs, run } = watch(clock);
    clock.every(300, run);
    await clock.advance(1_000);
    expect([atMs, clock.nextInMs]).toEqual([[300, 600, 900], 200]);
  });

  test('of no length runs every millisecond', async () => {
    const clock = new MovedClock();
    const { atMs, run } = watch(clock);
    clock.every(0, run);
    await clock.advance(3);
    expect(atMs).toEqual([1, 2, 3]);
  });
});

describe('a leap', () => {
  test('runs an interval once, which keeps its rhythm', async () => {
    const clock = new MovedClock();
    const { atMs, run } = watch(clock);
    clock.every(300, run);
    await clock.leap(1_000);
    expect([atMs, clock.nextInMs]).toEqual([[1_000], 200]);
    await clock.leap(200);
    expect([atMs, clock.nextInMs]).toEqual([[1_000, 1_200], 300]);
  });

  test('runs what is due in its order, at the end, and what that arranges later', async () => {
    const clock = new MovedClock();
    const { atMs, run } = watch(clock);
    const order: string[] = [];
    clock.after(1_000, () => order.push('second'));
    clock.after(1_001, run);
    clock.after(100, () => {
      order.push('first');
      clock.after(100, run);
    });
    await clock.leap(1_000);
    expect([order, atMs, clock.nextInMs]).toEqual([['first', 'second'], [], 1]);
    await clock.leap(100);
    expect(atMs).toEqual([1_100, 1_100]);
  });

  test('runs nothing that was cancelled by what ran before', async () => {
    const clock = new MovedClock();
    const { atMs, run } = watch(clock);
    clock.after(100, () => later.cancel());
    const later = clock.after(200, run);
    await clock.leap(1_000);
    expect(atMs).toEqual([]);
  });
});

describe('a clock that flows', () => {
  test('passes by itself until it stands again', async () => {
    const clock = new MovedClock();
    clock.flow();
    await pause(clock, 40);
    expect(clock.elapsedMs()).toBeGreaterThanOrEqual(40);
    clock.stand();
    const stoodAtMs = clock.elapsedMs();
    await pause(systemClock, 60);
    expect(clock.elapsedMs()).toBe(stoodAtMs);
    expect(clock.runs).toBe(false);
  });

  test('flows as before once what let it flow has ended', async () => {
    const clock = new MovedClock();
    const outer = clock.flow();
    const inner = clock.flow();
    inner();
    await pause(clock, 40);
    outer();
    const stoodAtMs = clock.elapsedMs();
    await pause(systemClock, 60);
    expect(clock.elapsedMs()).toBe(stoodAtMs);
  });
});

describe('a pause', () => {
  test('ends at its time', async () => {
    const clock = new MovedClock();
    let isOver = false;
    const over = pause(clock, 1_000).then(() => {
      isOver = true;
    });
    await clock.advance(999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    await over;
  });

  test('that is aborted throws the reason, and leaves nothing to run', async () => {
    const clock = new MovedClock();
    const leaving = new AbortController();
    const left = pause(clock, 1_000, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    expect(clock.nextInMs).toBeUndefined();
    await expect(pause(clock, 1_000, leaving.signal)).rejects.toThrow('left');
    expect(clock.nextInMs).toBeUndefined();
  });

  test('ignores what is aborted afterwards', async () => {
    const clock = new MovedClock();
    const leaving = new AbortController();
    const over = pause(clock, 1_000, leaving.signal);
    await clock.advance(1_000);
    leaving.abort(new Error('left'));
    await expect(over).resolves.toBeUndefined();
  });
});

describe('a deadline', () => {
  test('is reached at its time', async () => {
    const clock = new MovedClock();
    const signal = deadline(clock, 1_000);
    await clock.advance(999);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  test('that something else measures is off where time stands', () => {
    expect([limitMs(systemClock, 5_000), limitMs(new MovedClock(), 5_000)]).toEqual([5_000, 0]);
  });
});

describe('the clock of the machine', () => {
  test('passes by itself', async () => {
    expect(systemClock.runs).toBe(true);
    const begunAtMs = systemClock.elapsedMs();
    await pause(systemClock, 2);
    await pauseShortly(systemClock, 2);
    expect(systemClock.elapsedMs()).toBeGreaterThan(begunAtMs);
    expect(Math.abs(systemClock.nowMs() - Date.now())).toBeLessThan(60_000);
  });

  test('runs an interval until it is cancelled, and cancels what is arranged', async () => {
    let runs = 0;
    await new Promise<void>((resolve) => {
      const interval = systemClock.every(1, () => {
        runs += 1;
        if (runs < 3) return;
        interval.cancel();
        resolve();
      });
    });
    const cancelled = systemClock.after(1, () => {
      runs = -1;
    });
    cancelled.cancel();
    await pause(systemClock, 10);
    await nextTurn();
    expect(runs).toBe(3);
  });
});
