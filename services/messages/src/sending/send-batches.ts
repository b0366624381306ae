import type { Clock, Timer } from '@parley/clock';

export type SendBatchesOptions = {
  /** If a batch has at least this many sends, the next one waits for more. */
  readonly busySends: number;
  /** The time from a busy batch to the next one. */
  readonly gatherMs: number;
  /** A batch with this many sends begins at once. */
  readonly sendsMax: number;
};

/**
 * Groups sends into batches, so that one statement does the look-ups of a batch and another one writes it. The fixed cost of a statement is
 * many times the cost that a send adds. Without this class batches stay small when Postgres answers quickly, and a busy service spends most
 * of its time on fixed costs.
 *
 * Without load nothing waits: a batch begins in the turn of its first send, unless the previous batch was busy and began less than
 * `gatherMs` ago.
 */
export class SendBatches {
  readonly #clock: Clock;
  readonly #options: SendBatchesOptions;
  #waiting: (() => void)[] = [];
  #beginsAtMs = -Infinity;
  #timer: Timer | undefined;
  #immediate: NodeJS.Immediate | undefined;

  constructor(clock: Clock, options: SendBatchesOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Waits until the next batch begins, `gatherMs` at most. */
  enter(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (this.#waiting.length === 1) this.#schedule();
    else if (this.#waiting.length === this.#options.sendsMax) this.#begin();
    return promise;
  }

  #schedule(): void {
    const waitMs = this.#beginsAtMs - this.#clock.elapsedMs();
    if (waitMs > 0) this.#timer = this.#clock.shortly(waitMs, () => this.#begin());
    // Sends that arrive in the same turn are included.
    else this.#immediate = setImmediate(() => this.#begin());
  }

  #begin(): void {
    this.#timer?.cancel();
    clearImmediate(this.#immediate);
    const { busySends, gatherMs } = this.#options;
    const entered = this.#waiting;
    this.#waiting = [];
    this.#beginsAtMs = entered.length < busySends ? -Infinity : this.#clock.elapsedMs() + gatherMs;
    for (const resolve of entered) resolve();
  }
}
