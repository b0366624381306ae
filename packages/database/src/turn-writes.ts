import type { Writable } from 'node:stream';

import type pg from 'pg';

import type { Queryable, Statement } from './queryable.ts';

/**
 * A connection that sends the statements of one turn of the event loop in one write. A write and the wake-up that follows it cost as much as
 * a small statement. So reads that do not depend on each other are started together.
 */
export class TurnWrites implements Queryable {
  readonly #connection: Queryable;
  readonly #stream: Pick<Writable, 'cork' | 'uncork'>;
  #isCorked = false;

  /** @param stream that the connection writes to */
  constructor(connection: Queryable, stream: Pick<Writable, 'cork' | 'uncork'>) {
    this.#connection = connection;
    this.#stream = stream;
  }

  query<Row extends pg.QueryResultRow>(statement: Statement): Promise<pg.QueryResult<Row>> {
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#stream.cork();
      // Runs when no promise of this turn is left that could request another statement.
      queueMicrotask(() => process.nextTick(this.#uncork));
    }
    return this.#connection.query<Row>(statement);
  }

  readonly #uncork = (): void => {
    this.#isCorked = false;
    this.#stream.uncork();
  };
}
