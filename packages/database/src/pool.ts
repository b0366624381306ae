import { findTracer } from '@parley/tracing';
import pg from 'pg';

import { traceStatements } from './trace-statements.ts';

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

/**
 * So long after Postgres should have given a statement up, its connection counts as cut off: one that was lost without a word
 * answers nothing, not even that.
 */
const answerSlackMs = 2_000;

export type Pool = pg.Pool;
export type Client = pg.PoolClient;

const int8Oid = 20;
const int8ArrayOid = 1016;

function readInt8(text: string): number {
  const value = Number(text);
  // Positions and ids stay below 2^53; a larger one would be silently rounded.
  if (!Number.isSafeInteger(value))
    throw new Error(`integer ${text} is beyond what this process can hold exactly`);
  return value;
}

const readers = new Map<number, (text: string) => unknown>([
  [int8Oid, readInt8],
  [int8ArrayOid, (text) => text.slice(1, -1).split(',').filter(Boolean).map(readInt8)],
]);

// The list of type numbers that node-pg's types know leaves out bigint[], so the readers are chosen here.
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format): unknown => readers.get(oid) ?? pg.types.getTypeParser(oid, format),
};

/**
 * A statement that takes a list is planned anew at each call while the plan for its length looks cheaper than one for any, as it does
 * in tables that were never analyzed; planning costs more than running it. A plan that is kept must not be one for small tables.
 */
const plannedForKeys =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

/** A paused process never holds the head of the log for longer. */
const idleInTransactionUsualMs = 1_000;

/**
 * Opens a pool. Connections give up a transaction that idles.
 *
 * @param options.connectionsMax most connections at once
 * @param options.connectTimeoutMs how long a request waits for a connection before it fails
 * @param options.statementTimeoutMs after so long Postgres gives a statement up; 0 for never
 * @param options.idleInTransactionMaxMs after so long a transaction in which nothing is asked is given up; a second by default
 * @param options.looksUpByKey for statements that look everything up by key, whatever is in the tables: they are planned once per
 *   connection, and never to read a whole table
 * @param options.onError called for faults of idle connections (the server went away); must not throw
 */
export function createPool(options: {
  readonly databaseUrl: string;
  readonly applicationName: string;
  readonly connectionsMax: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly idleInTransactionMaxMs?: number;
  readonly looksUpByKey?: boolean;
  readonly onError: (error: Error) => void;
}): Pool {
  const { connectTimeoutMs, statementTimeoutMs } = options;
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    application_name: options.applicationName,
    // Compiling a plan takes a tenth of a second; our statements take a thousandth.
    options: options.looksUpByKey === true ? `-c jit=off ${plannedForKeys}` : '-c jit=off',
    max: options.connectionsMax,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    ...(statementTimeoutMs === 0 ? {} : { query_timeout: statementTimeoutMs + answerSlackMs }),
    idle_in_transaction_session_timeout: options.idleInTransactionMaxMs ?? idleInTransactionUsualMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    types,
  });
  if (findTracer() !== undefined) traceStatements(pool);
  pool.on('error', options.onError);
  // A connection in use that the server ends (an idle transaction, a restart) fails its next statement, and that is where the
  // fault is handled. Without a listener the event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

const queryCanceled = '57014';

/** Tells whether Postgres gave up a statement that took longer than its connection allows. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === queryCanceled;
}

/**
 * Runs `work` in one READ COMMITTED transaction (or the given isolation) and commits. Whatever `work` throws rolls back and
 * is thrown on.
 */
export async function transaction<Result>(
  pool: Pool,
  work: (client: Client) => Promise<Result>,
  isolation: 'READ COMMITTED' | 'REPEATABLE READ, READ ONLY' = 'READ COMMITTED',
): Promise<Result> {
  const client = await pool.connect();
  let isBroken = false;
  try {
    await client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
    try {
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {
        isBroken = true;
      });
      throw error;
    }
  } finally {
    client.release(isBroken);
  }
}
