import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Clock, Timer } from './clock.ts';
import { systemClock } from './system-clock.ts';

type Arranged = { atMs: number; readonly everyMs: number | undefined; readonly run: () => void };

const flowStepMs = 20;

/** How far an interval is moved so that it is due next after a time, in its rhythm. */
function passedMs(atMs: number, everyMs: number, afterMs: number): number {
  return everyMs * (Math.floor((afterMs - atMs) / everyMs) + 1);
}

/** A clock for tests: it stands at the time at which it was made, until it is moved. */
export class MovedClock implements Clock {
  readonly runs = false;
  readonly shortly: Clock['shortly'] = systemClock.shortly;
  #beganAtMs: number;
  #elapsedMs = 0;
  #flowing: Timer | undefined;
  /** In the order in which they were arranged. */
  readonly #arranged = new Set<Arranged>();

  constructor(timeOfDayMs: number = systemClock.nowMs()) {
    this.#beganAtMs = Math.floor(timeOfDayMs);
  }

  readonly nowMs = (): number => this.#beganAtMs + this.#elapsedMs;

  readonly elapsedMs = (): number => this.#elapsedMs;

  readonly after = (ms: number, run: () => void): Timer => this.#arrange(ms, undefined, run);

  readonly every = (ms: number, run: () => void): Timer =>
    this.#arrange(Math.max(ms, 1), Math.max(ms, 1), run);

  /** How long until the next timer; `undefined` if there is none. */
  get nextInMs(): number | undefined {
    const next = this.#findNext();
    return next === undefined ? undefined : next.atMs - this.#elapsedMs;
  }

  /**
   * Moves the time forward. What becomes due runs at its own time, each in a turn of the event loop of its own.
   *
   * @param settle awaited after each, if what it begins takes longer than a turn
   */
  async advance(ms: number, settle: () => Promise<unknown> = nextTurn): Promise<void> {
    const untilMs = this.#elapsedMs + ms;
    await nextTurn();
    for (;;) {
      const next = this.#findNext();
      if (next === undefined || next.atMs > untilMs) break;
      this.#elapsedMs = Math.max(this.#elapsedMs, next.atMs);
      if (next.everyMs === undefined) this.#arranged.delete(next);
      else next.atMs += next.everyMs;
      next.run();
      await settle();
    }
    this.#elapsedMs = Math.max(this.#elapsedMs, untilMs);
  }

  /**
   * Moves the time forward at once, as for a process that was paused meanwhile: the clock shows the time at its end when what has become due
   * runs, in the order of its times, each in a turn of its own. What repeats runs once, and what is arranged meanwhile waits from then on: no
   * limit is reached of what has only just begun.
   */
  async leap(ms: number): Promise<void> {
    await nextTurn();
    this.#elapsedMs += ms;
    const due = [...this.#arranged]
      .filter(({ atMs }) => atMs <= this.#elapsedMs)
      .toSorted((a, b) => a.atMs - b.atMs);
    for (const arranged of due) {
      if (!this.#arranged.has(arranged)) continue;
      if (arranged.everyMs === undefined) this.#arranged.delete(arranged);
      else arranged.atMs += passedMs(arranged.atMs, arranged.everyMs, this.#elapsedMs);
      arranged.run();
      await nextTurn();
    }
  }

  /** Sets the time of day, as an administrator sets that of a machine. Nothing becomes due by it. */
  setTimeOfDay(ms: number): void {
    this.#beganAtMs = Math.floor(ms) - this.#elapsedMs;
  }

  /**
   * Lets the time pass by itself, for tests of what takes real time. It passes in small steps, and not while this process is busy: no limit
   * is reached because the process computed or waited for a processor.
   *
   * @returns a function after which it flows as before this call: no longer, if it stood
   */
  flow(): () => void {
    if (this.#flowing !== undefined) return () => undefined;
    this.#flowing = systemClock.every(flowStepMs, () => void this.advance(flowStepMs)).unref();
    return () => this.stand();
  }

  stand(): void {
    this.#flowing?.cancel();
    this.#flowing = undefined;
  }

  #arrange(ms: number, everyMs: number | undefined, run: () => void): Timer {
    const arranged = { atMs: this.#elapsedMs + Math.max(ms, 0), everyMs, run };
    this.#arranged.add(arranged);
    const timer: Timer = { cancel: () => this.#arranged.delete(arranged), unref: () => timer };
    return timer;
  }

  #findNext(): Arranged | undefined {
    let next: Arranged | undefined;
    for (const arranged of this.#arranged)
      if (next === undefined || arranged.atMs < next.atMs) next = arranged;
    return next;
  }
}

/** One whose short waits stand too, for tests of those. */
export class WhollyMovedClock extends MovedClock {
  override readonly shortly: Clock['shortly'] = this.after;
}
