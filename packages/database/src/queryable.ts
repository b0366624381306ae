import type pg from 'pg';

/** Anything that runs one statement: a pool, or a client inside a transaction. */
export type Queryable = {
  query<Row extends pg.QueryResultRow>(statement: Statement): Promise<pg.QueryResult<Row>>;
};

/**
 * A statement with its bound values. With a name it is prepared once per connection: use names for hot paths, and one
 * name for one text only.
 */
export type Statement = {
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
};
