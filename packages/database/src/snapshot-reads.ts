import type pg from 'pg';

import type { Queryable, Statement } from './queryable.ts';

/**
 * Reads of one snapshot for several readers: a statement with the same values runs once, because it would find the same rows. All readers
 * share the rows and the values made from them, and must not change them.
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
   * @param key names the value; the same key always means the same type
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
