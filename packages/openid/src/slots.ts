import type { Clock } from '@parley/clock';

import { ProviderUnavailable } from './provider-faults.ts';

/** Bounds how much work is done at a time; the rest waits in order. */
export class Slots {
  readonly #atOnceMax: number;
  readonly #waitingMax: number;
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(atOnceMax: number, waitingMax: number, clock: Clock) {
    this.#atOnceMax = atOnceMax;
    this.#waitingMax = waitingMax;
    this.#clock = clock;
  }

  /**
   * Runs work when there is room for it.
   *
   * @param timeoutMs for waiting and work together; work that takes longer keeps its room until it ends
   * @throws ProviderUnavailable if it was not done in this time, or too much waits; any error of the work
   */
  async run<Result>(timeoutMs: number, work: () => Promise<Result>): Promise<Result> {
    const late = Promise.withResolvers<never>();
    const timer = this.#clock.after(timeoutMs, () =>
      late.reject(new ProviderUnavailable('it took too long')),
    );
    try {
      await this.#enter(late.promise);
      return await Promise.race([late.promise, work().finally(() => this.#leave())]);
    } finally {
      timer.cancel();
    }
  }

  async #enter(late: Promise<never>): Promise<void> {
    if (this.#running < this.#atOnceMax) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.size >= this.#waitingMax)
      throw new ProviderUnavailable('too many people wait for it');
    const turn = Promise.withResolvers<void>();
    this.#waiting.add(turn.resolve);
    try {
      await Promise.race([turn.promise, late]);
    } catch (error) {
      // Its turn may have come at the same moment.
      if (!this.#waiting.delete(turn.resolve)) this.#leave();
      throw error;
    }
  }

  /** The longest waiting work takes over the room. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
