import type { Logger } from '@parley/logging';

/**
 * Runs a piece of work a while after it was first asked for, once for all who asked meanwhile: how frequent soft events become
 * few entries of the log. One run at a time; whoever asks during a run gets another.
 */
export class GatheredRuns {
  readonly #options: {
    readonly gatherMs: number;
    readonly run: () => Promise<void>;
    readonly log: Logger;
    /** What a failed run is called in the log. */
    readonly name: string;
  };
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;

  /** @param options.gatherMs from the first request to the run; also the pause after one that failed */
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
    this.#schedule();
  }

  /** Runs what is wanted at once, and nothing after it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
    if (this.#isWanted) await this.#options.run();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#running !== undefined || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#runOnce();
    }, this.#options.gatherMs);
  }

  async #runOnce(): Promise<void> {
    this.#isWanted = false;
    try {
      await this.#options.run();
    } catch (error) {
      this.#options.log.warn({ err: error }, `${this.#options.name} failed`);
    } finally {
      this.#running = undefined;
      if (this.#isWanted) this.#schedule();
    }
  }
}
