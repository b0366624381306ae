import type { HangUpSignal } from '@parley/api';
import { pauseShortly } from '@parley/clock';
import pg from 'pg';

import { inTransaction } from './pool.ts';
import type { Client, Pool } from './pool.ts';
import type { Queryable, Statement } from './queryable.ts';

/** If a statement was cancelled before it reached Postgres, the cancellation is repeated after this time. */
const cancelAgainMs = 100;

/** The caller no longer waits for the result. */
export class CallerLeft extends Error {
  override readonly name = 'AbortError';
}

/**
 * Reads for one caller. If the caller disconnects, the running statement is cancelled and no more are sent. Use it only for reads, because
 * the outcome of a cancelled change would be unknown, and not for reads that several callers share.
 *
 * A connection returns to its pool only after its cancellations were answered, so that none can hit the next caller's statement. If that is
 * not known, the connection is closed.
 */
export class CallerReads implements Queryable {
  readonly #pool: Pool;
  readonly #signal: HangUpSignal;
  readonly #inUse = new Set<CallerConnection>();
  // The signal keeps one listener, and several statements may run at once.
  readonly #onLeave = (): void => {
    for (const connection of this.#inUse) connection.leave();
  };

  /** @param signal of the request; one of these at a time may listen to it */
  constructor(pool: Pool, signal: HangUpSignal) {
    this.#pool = pool;
    this.#signal = signal;
  }

  /** @throws CallerLeft when the caller no longer waits */
  query<Row extends pg.QueryResultRow>(statement: Statement): Promise<pg.QueryResult<Row>> {
    return this.#use((connection) => connection.query<Row>(statement));
  }

  /**
   * Runs several reads in one snapshot.
   *
   * @throws CallerLeft when nobody waits any more
   */
  snapshot<Result>(read: (snapshot: Queryable) => Promise<Result>): Promise<Result> {
    return this.#use((connection) => connection.snapshot(read));
  }

  async #use<Result>(work: (connection: CallerConnection) => Promise<Result>): Promise<Result> {
    if (this.#signal.aborted) throw new CallerLeft();
    const client = await this.#pool.connect();
    const connection = new CallerConnection(this.#pool, client, this.#signal);
    if (this.#inUse.size === 0) this.#signal.addEventListener('abort', this.#onLeave);
    this.#inUse.add(connection);
    try {
      return await work(connection);
    } finally {
      this.#inUse.delete(connection);
      if (this.#inUse.size === 0) this.#signal.removeEventListener('abort', this.#onLeave);
      client.release(connection.isBroken);
    }
  }
}

/** A connection while the caller uses it. */
class CallerConnection implements Queryable {
  readonly #pool: Pool;
  readonly #client: Client;
  readonly #signal: HangUpSignal;
  #running: Promise<unknown> | undefined;
  #cancelling: Promise<void> | undefined;
  /** Whether it must not be used again. */
  isBroken = false;

  constructor(pool: Pool, client: Client, signal: HangUpSignal) {
    this.#pool = pool;
    this.#client = client;
    this.#signal = signal;
  }

  async query<Row extends pg.QueryResultRow>(statement: Statement): Promise<pg.QueryResult<Row>> {
    if (this.#signal.aborted) throw new CallerLeft();
    const running = this.#client.query<Row>(statement);
    this.#running = running;
    try {
      return await running;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) this.isBroken = true;
      throw this.#signal.aborted ? new CallerLeft('', { cause: error }) : error;
    } finally {
      this.#running = undefined;
      await this.#cancelling;
    }
  }

  snapshot<Result>(read: (snapshot: Queryable) => Promise<Result>): Promise<Result> {
    return inTransaction(
      this.#pool,
      this.#client,
      'snapshot',
      () => read(this),
      () => {
        this.isBroken = true;
      },
    );
  }

  /** Called once, when the caller no longer waits. */
  leave(): void {
    if (this.#running !== undefined) this.#cancelling = this.#cancel(this.#running);
  }

  async #cancel(running: Promise<unknown>): Promise<void> {
    const over = running.then(
      () => undefined,
      () => undefined,
    );
    try {
      while (this.#running === running) {
        await this.#pool.cancel(this.#client);
        await Promise.race([over, pauseShortly(this.#pool.clock, cancelAgainMs)]);
      }
    } catch {
      this.isBroken = true;
    }
  }
}
