import { FairLine, TurnMissed } from '@parley/clock';
import type { Clock } from '@parley/clock';

import { ProviderUnavailable } from './provider-faults.ts';

/** Bounds how much work is done at a time; the rest waits in order. */
export class ProviderLine {
  readonly #clock: Clock;
  readonly #line: FairLine<'anybody'>;

  constructor(atOnceMax: number, waitingMax: number, clock: Clock) {
    this.#clock = clock;
    this.#line = new FairLine(clock, { atOnceMax, waitingMax });
  }

  /**
   * Runs work when there is room for it.
   *
   * @param timeoutMs for waiting and work together; work that takes longer keeps its room until it ends
   * @throws ProviderUnavailable if it was not done in this time, or too much waits; any error of the work
   */
  async run<Result>(timeoutMs: number, work: () => Promise<Result>): Promise<Result> {
    const beganAtMs = this.#clock.elapsedMs();
    await this.#enter(timeoutMs);
    const working = work().finally(() => this.#line.leave('anybody'));
    const late = Promise.withResolvers<never>();
    const timer = this.#clock.after(timeoutMs - (this.#clock.elapsedMs() - beganAtMs), () =>
      late.reject(new ProviderUnavailable('it took too long')),
    );
    try {
      return await Promise.race([late.promise, working]);
    } finally {
      timer.cancel();
    }
  }

  async #enter(maxMs: number): Promise<void> {
    try {
      await this.#line.enter('anybody', { maxMs });
    } catch (error) {
      if (!(error instanceof TurnMissed)) throw error;
      throw new ProviderUnavailable(
        error.reason === 'full' ? 'too many people wait for it' : 'it took too long',
      );
    }
  }
}
