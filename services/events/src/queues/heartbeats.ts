/**
 * The heartbeats of all readers of a node. Due heartbeats are sent together, a few times a second, because each one alone would wake this
 * process and a gateway, which costs many times more than the heartbeat. Scanning all waiters is cheaper than a timer for each.
 */

import type { Clock, Timer } from '@parley/clock';

/** A reader that waits for a heartbeat. */
export type HeartbeatWaiter = {
  /** In the milliseconds of `Clock.elapsedMs`. */
  heartbeatDueAtMs: number;
  /** Its index in `Heartbeats`. */
  heartbeatIndex: number;
  /** Called at that time; the waiter removes itself then, or is called again. */
  readonly onHeartbeatDue: () => void;
};

const stepMostMs = 250;
const stepLeastMs = 10;
const stepsInShortestWait = 20;

export class Heartbeats {
  readonly #clock: Clock;
  readonly #earliestDueMs: number;
  readonly #latestDueMs: number;
  readonly #stepMs: number;
  /** An array with known indexes, because deleted elements of a long-lived set stay until the next full garbage collection. */
  readonly #waiters: HeartbeatWaiter[] = [];
  #timer: Timer | undefined;

  /** @param bounds how long a reader waits by the settings: no longer, and at most a step less */
  constructor(clock: Clock, { minMs, maxMs }: { readonly minMs: number; readonly maxMs: number }) {
    this.#clock = clock;
    this.#stepMs = Math.min(Math.max(minMs / stepsInShortestWait, stepLeastMs), stepMostMs);
    this.#latestDueMs = maxMs - this.#stepMs;
    this.#earliestDueMs = Math.min(minMs, this.#latestDueMs);
  }

  /** @returns after how many milliseconds of waiting a heartbeat is due: drawn, so that they spread */
  draw(): number {
    return this.#earliestDueMs + Math.random() * (this.#latestDueMs - this.#earliestDueMs);
  }

  /** After how many milliseconds of waiting one is due at the latest; it comes at most a step later. */
  get latestDueMs(): number {
    return this.#latestDueMs;
  }

  /** Calls the waiter when it is due, or at most a step later, until it is removed. */
  add(waiter: HeartbeatWaiter, dueAtMs: number): void {
    waiter.heartbeatDueAtMs = dueAtMs;
    waiter.heartbeatIndex = this.#waiters.push(waiter) - 1;
    this.#timer ??= this.#clock.every(this.#stepMs, () => this.#notifyDue());
  }

  /** Removes a waiter. */
  remove(waiter: HeartbeatWaiter): void {
    const last = this.#waiters.pop();
    if (last === undefined || last === waiter) return;
    this.#waiters[waiter.heartbeatIndex] = last;
    last.heartbeatIndex = waiter.heartbeatIndex;
  }

  #notifyDue(): void {
    // Only when empty: a woken waiter waits again at once, and a timer that restarted each time would never fire.
    if (this.#waiters.length === 0) {
      this.#timer?.cancel();
      this.#timer = undefined;
      return;
    }
    const nowMs = this.#clock.elapsedMs();
    const due = this.#waiters.filter(({ heartbeatDueAtMs }) => heartbeatDueAtMs <= nowMs);
    for (const waiter of due) waiter.onHeartbeatDue();
  }
}
