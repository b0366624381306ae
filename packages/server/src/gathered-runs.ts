import type { Clock, Timer } from '@parley/clock';
import type { Logger } from '@parley/telemetry/logging';

/** A longer time of gathering can be noticed, so it is measured by the clock. */
const unnoticedMs = 100;

/**
 * Runs work at once when it is requested, and once more for all requests within a time after that. So what happens often is written
 * a few times, and what is rare is not late. There is one run at a time.
 */
export class GatheredRuns {
  readonly #options: {
    readonly clock: Clock;
    readonly gatherMs: number;
    readonly run: () => Promise<void>;
    readonly log: Logger;
    /** The name of the work in the log. */
    readonly name: string;
  };
  #turn: NodeJS.Immediate | undefined;
  #gathering: Timer | undefined;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;

  /** @param options.gatherMs from the end of a run, also of one that failed, to the next */
  constructor(options: {
    readonly clock: Clock;
    readonly gatherMs: number;
    readonly run: () => Promise<void>;
    readonly log: Logger;
    readonly name: string;
  }) {
    this.#options = options;
  }

  /** Requests a run. */
  request(): void {
    this.#isWanted = true;
    const isBusy = (this.#turn ?? this.#running ?? this.#gathering) !== undefined;
    if (isBusy || this.#isStopped) return;
    // Requests that one read of a socket delivers also share a run.
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      this.#running = this.#run();
    });
  }

  /**
   * Runs requested work without gathering more.
   *
   * @returns whether none was requested
   */
  async settle(): Promise<boolean> {
    if (!this.#isWanted && this.#running === undefined) return true;
    await this.#running;
    if (!this.#isWanted || this.#running !== undefined) return false;
    clearImmediate(this.#turn);
    this.#turn = undefined;
    this.#gathering?.cancel();
    this.#gathering = undefined;
    this.#running = this.#run();
    await this.#running;
    return false;
  }

  /** Runs pending work at once, and nothing after that. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearImmediate(this.#turn);
    this.#gathering?.cancel();
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
    const { clock, gatherMs } = this.#options;
    const wait = gatherMs > unnoticedMs ? clock.after : clock.shortly;
    this.#gathering = wait(gatherMs, () => {
      this.#gathering = undefined;
      if (this.#isWanted) this.#running = this.#run();
    });
  }
}
