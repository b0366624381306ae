import { Patience } from '@parley/clock';

import type { Pool } from './pool.ts';
import type { Queryable } from './queryable.ts';

/**
 * Reads that are repeated often, on a pool of their own, whose answers are worth nothing after a short time. A connection that was silently
 * lost never answers, so it is closed after that time. But if new ones are late as well, Postgres is slow and not away: they get more and more
 * time, in which nothing else is asked on them.
 */
export class TimelyReads {
  readonly #pool: Pool;
  readonly #timeoutMs: number;
  readonly #patience: Patience;

  /** @param timeoutMs after it a read has failed; the statement timeout of the pool is for Postgres alone, and longer */
  constructor(pool: Pool, timeoutMs: number) {
    this.#pool = pool;
    this.#timeoutMs = timeoutMs;
    this.#patience = new Patience(timeoutMs);
  }

  /** @throws Error if there is no connection or no answer in time; any error of the read */
  async read<Result>(read: (database: Queryable) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    const { clock } = this.#pool;
    const allowedMs = this.#patience.nextMs();
    const outcome = Promise.withResolvers<Result>();
    let isReleased = false;
    const release = (isLost: boolean): void => {
      if (!isReleased) client.release(isLost);
      isReleased = true;
    };
    const timers = [
      clock.after(this.#timeoutMs, () =>
        outcome.reject(new Error(`Postgres did not answer within ${this.#timeoutMs} ms`)),
      ),
      clock.after(allowedMs, () => {
        this.#patience.noteLate(allowedMs);
        release(true);
      }),
    ];
    void read(client)
      .then(
        (result) => {
          this.#patience.noteSuccess();
          release(false);
          outcome.resolve(result);
        },
        (error: unknown) => {
          release(true);
          outcome.reject(error);
        },
      )
      .finally(() => {
        for (const timer of timers) timer.cancel();
      });
    return outcome.promise;
  }
}
