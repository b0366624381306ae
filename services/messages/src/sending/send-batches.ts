export type SendBatchesOptions = {
  /** From so many sends on, the batch after this one lets more gather. */
  readonly busySends: number;
  /** So long after a busy batch the next one begins. */
  readonly gatherMs: number;
  /** With so many a batch begins at once. */
  readonly sendsMax: number;
};

/**
 * Lets sends go on in batches, so that those of one batch are looked up by one statement and written by another. What a statement
 * costs before it does anything is a multiple of what a send adds to it, and statements alone make small batches where Postgres
 * answers quickly: whoever is busy then spends most on beginnings.
 *
 * Without load nobody waits: a batch begins in the turn of its first send, unless the batch before it had many and began less than
 * `gatherMs` ago.
 */
export class SendBatches {
  readonly #options: SendBatchesOptions;
  #waiting: (() => void)[] = [];
  #beginsAtMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  constructor(options: SendBatchesOptions) {
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
    const waitMs = this.#beginsAtMs - performance.now();
    if (waitMs > 0) this.#timer = setTimeout(() => this.#begin(), waitMs);
    // What arrives in the same turn goes along.
    else this.#immediate = setImmediate(() => this.#begin());
  }

  #begin(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    const { busySends, gatherMs } = this.#options;
    const entered = this.#waiting;
    this.#waiting = [];
    this.#beginsAtMs = entered.length < busySends ? -Infinity : performance.now() + gatherMs;
    for (const resolve of entered) resolve();
  }
}
