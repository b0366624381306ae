import type { Logger } from '@parley/logging';

/**
 * Runs a piece of work when it is asked for, and for all who ask within a while after that once more at its end: how frequent soft
 * events become few entries of the log, and a rare one is not late. One run at a time.
 */
export class GatheredRuns {
  readonly #options: {
    readonly gatherMs: number;
    readonly run: () => Promise<void>;
    readonly log: Logger;
    /** What a failed run is called in the log. */
    readonly name: string;
  };
  #turn: NodeJS.Immediate | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;

  /** @param options.gatherMs from the end of a run, also of one that failed, to the next */
  constructor(options: {
    readonly gatherMs: number;
    readonly run: () => Promise<void>;
    readonly log: Logger;
    readonly name: string;
  }) {
    this.#options = options;
  }

  /** Asks for a run. */
  request(): void {
    this.#isWanted = true;
    const isBusy = (this.#turn ?? this.#running ?? this.#gathering) !== undefined;
    if (isBusy || this.#isStopped) return;
    // Requests that came in one read of a socket are gathered too.
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      this.#running = this.#run();
    });
  }

  /** Runs what is wanted at once, and nothing after it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearImmediate(this.#turn);
    clearTimeout(this.#gathering);
    await this.#running;
    if (this.#isWanted) await this.#options.run();
  }

  async #run(): Promise<void> {
    this.#isWanted = false;
    try {
      await this.#options.run();
    } catch (error) {
      this.#options.log.warn({ err: error }, `${this.#options.name} failed`);
    } finally {
      this.#running = undefined;
      if (!this.#isStopped) this.#gather();
    }
  }

  #gather(): void {
    this.#gathering = setTimeout(() => {
      this.#gathering = undefined;
      if (this.#isWanted) this.#running = this.#run();
    }, this.#options.gatherMs);
  }
}
