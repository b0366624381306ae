import { findTracer } from '@parley/tracing';
import pg from 'pg';

import { checkStatements } from './check-statements.ts';
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

/** What asks Postgres to cancel a statement has as long as this, and its connection is kept for as long after the last one. */
const cancelTimeoutMs = 2_000;
const cancelIdleMs = 10_000;

/** Connections to Postgres, and one more that is opened where statements have to be cancelled: the others may all be busy with those. */
export class Pool extends pg.Pool {
  readonly #cancels: pg.Pool;

  constructor(config: pg.PoolConfig, onError: (error: Error) => void) {
    super(config);
    this.#cancels = new pg.Pool({
      connectionString: config.connectionString,
      application_name: 'parley cancels',
      max: 1,
      connectionTimeoutMillis: config.connectionTimeoutMillis,
      statement_timeout: cancelTimeoutMs,
      query_timeout: cancelTimeoutMs,
      idleTimeoutMillis: cancelIdleMs,
      keepAlive: true,
    });
    for (const pool of [this, this.#cancels]) {
      pool.on('error', onError);
      // A connection in use that the server ends (an idle transaction, a restart) fails its next statement, and that is where the
      // fault is handled. Without a listener the event would end the process.
      pool.on('connect', (client) => client.on('error', () => undefined));
    }
    this.on('connect', checkStatements);
  }

  /**
   * Cancels what a connection of this pool runs, if it runs anything. Once this resolves nothing that is sent on it later can be met by
   * the cancel: Postgres has signalled the process by then, which sees that before it reads on.
   */
  async cancel(client: Client): Promise<void> {
    const processId = 'processID' in client ? client.processID : null;
    await this.#cancels.query('SELECT pg_cancel_backend($1)', [processId]);
  }

  override async end(): Promise<void> {
    await super.end();
    await this.#cancels.end();
  }
}

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
  const pool = new Pool(
    {
      connectionString: options.databaseUrl,
      application_name: options.applicationName,
      // Compiling a plan takes a tenth of a second; our statements take a thousandth.
      options: options.looksUpByKey === true ? `-c jit=off ${plannedForKeys}` : '-c jit=off',
      max: options.connectionsMax,
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: statementTimeoutMs,
      ...(statementTimeoutMs === 0 ? {} : { query_timeout: statementTimeoutMs + answerSlackMs }),
      idle_in_transaction_session_timeout:
        options.idleInTransactionMaxMs ?? idleInTransactionUsualMs,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      // A statement does not wait for the answer to the one before (`runTogether`).
      pipeline: true,
      types,
    },
    options.onError,
  );
  if (findTracer() !== undefined) traceStatements(pool);
  return pool;
}

const queryCanceled = '57014';

/** Tells whether Postgres gave up a statement that took longer than its connection allows. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === queryCanceled;
}

/** Of transactions that only read: all of it as of one moment. */
export const snapshotIsolation = 'REPEATABLE READ, READ ONLY';

/**
 * Runs `work` in one transaction on a connection and commits. Whatever `work` throws rolls back and is thrown on.
 *
 * @param onBroken told where it could not be rolled back, so that the connection must not be used again
 */
export async function inTransaction<Result>(
  client: Client,
  isolation: 'READ COMMITTED' | typeof snapshotIsolation,
  work: () => Promise<Result>,
  onBroken: () => void,
): Promise<Result> {
  await client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(onBroken);
    throw error;
  }
}

async function onOneConnection<Result>(
  pool: Pool,
  isolation: 'READ COMMITTED' | typeof snapshotIsolation,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let isBroken = false;
  try {
    return await inTransaction(
      client,
      isolation,
      () => work(client),
      () => {
        isBroken = true;
      },
    );
  } finally {
    client.release(isBroken);
  }
}

/** Runs `work` in one READ COMMITTED transaction and commits. Whatever `work` throws rolls back and is thrown on. */
export function transaction<Result>(
  pool: Pool,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  return onOneConnection(pool, 'READ COMMITTED', work);
}

/** Reads all in one snapshot, for nobody's answer alone: what is read for one caller goes through `CallerReads`. */
export function snapshot<Result>(
  pool: Pool,
  read: (snapshot: Queryable) => Promise<Result>,
): Promise<Result> {
  return onOneConnection(pool, snapshotIsolation, read);
}
