/**
 * The heartbeats of all readers of a node. They are due at times of their own and come a few times a second, those of one moment
 * together: each by itself would wake this process and a gateway, which costs many times what the heartbeat does. One look through all
 * that wait is less than a timer for each.
 */

/** Who waits for a heartbeat. */
export type HeartbeatWaiter = {
  /** On the clock of `performance.now()`. */
  heartbeatDueAtMs: number;
  /** Where `Heartbeats` has it. */
  heartbeatIndex: number;
  /** Told at that time; it takes itself off then, or is told again. */
  readonly onHeartbeatDue: () => void;
};

const stepMostMs = 250;
const stepLeastMs = 10;
const stepsInShortestWait = 20;

export class Heartbeats {
  readonly #earliestDueMs: number;
  readonly #latestDueMs: number;
  readonly #stepMs: number;
  /** Each at its own index: what is taken out of a long-lived set would stay until the next full garbage collection. */
  readonly #waiters: HeartbeatWaiter[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param bounds how long a reader waits, by the settings: no longer, and at most a step less */
  constructor({ minMs, maxMs }: { readonly minMs: number; readonly maxMs: number }) {
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

  /** Tells the waiter at its time, or at most a step later, until it is taken off. */
  add(waiter: HeartbeatWaiter, dueAtMs: number): void {
    waiter.heartbeatDueAtMs = dueAtMs;
    waiter.heartbeatIndex = this.#waiters.push(waiter) - 1;
    this.#timer ??= setInterval(() => this.#notifyDue(), this.#stepMs);
  }

  /** Takes off a waiter that was added. */
  remove(waiter: HeartbeatWaiter): void {
    const last = this.#waiters.pop();
    if (last === undefined || last === waiter) return;
    this.#waiters[waiter.heartbeatIndex] = last;
    last.heartbeatIndex = waiter.heartbeatIndex;
  }

  #notifyDue(): void {
    // Not before: whoever is woken waits again at once, and steps that began anew each time would never end.
    if (this.#waiters.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const nowMs = performance.now();
    const due = this.#waiters.filter(({ heartbeatDueAtMs }) => heartbeatDueAtMs <= nowMs);
    for (const waiter of due) waiter.onHeartbeatDue();
  }
}
