import type pg from 'pg';

import type { Queryable, Statement } from './pool.ts';

/**
 * Reads of one snapshot for several readers: a statement that was run before with the same values is not run again, since it would
 * find the same. Rows and what is made of them are the same objects for all, and must not be changed.
 *
 * Only for a REPEATABLE READ transaction, and for statements that change nothing.
 */
export class SnapshotReads implements Queryable {
  readonly #snapshot: Queryable;
  readonly #known = new Map<string, Promise<unknown>>();

  constructor(snapshot: Queryable) {
    this.#snapshot = snapshot;
  }

  query<Row extends pg.QueryResultRow>(statement: Statement): Promise<pg.QueryResult<Row>> {
    const { name, text, values } = statement;
    return this.once(JSON.stringify([name ?? text, values]), () =>
      this.#snapshot.query<Row>(statement),
    );
  }

  /**
   * @param key names what is made; the same key always means the same type
   * @param make called for the first reader alone
   */
  once<Made>(key: string, make: () => Promise<Made>): Promise<Made> {
    const known = this.#known.get(key);
    if (known !== undefined) return known as Promise<Made>;
    const made = make();
    this.#known.set(key, made);
    return made;
  }
}
