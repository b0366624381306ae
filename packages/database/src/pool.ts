import { findTracer } from '@parley/tracing';
import pg from 'pg';

import { checkStatements } from './check-statements.ts';
import type { Queryable } from './queryable.ts';
import { traceStatements } from './trace-statements.ts';
import { TurnWrites } from './turn-writes.ts';

/**
 * This long after Postgres should have ended a statement, its connection counts as lost, because a silently lost connection never answers.
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

// The types of node-pg lack bigint[], so the parsers are chosen here.
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format): unknown => readers.get(oid) ?? pg.types.getTypeParser(oid, format),
};

/**
 * A statement with a list is planned at each call while the plan for its length looks cheaper than a generic plan, as in tables that were
 * never analyzed. Planning costs more than running it. A cached plan must not be one for small tables.
 */
const plannedForKeys =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

/** A paused process never holds the head of the log for longer. */
const idleInTransactionUsualMs = 1_000;

/**
 * No request waits for a snapshot, so a process may be busy or paused for some time in one. Changes of the schema do wait, and with them
 * every statement behind them.
 */
const idleInSnapshotUsualMs = 10_000;

/** The time limit of a cancellation; the connection for cancellations is kept this long after the last one. */
const cancelTimeoutMs = 2_000;
const cancelIdleMs = 10_000;

/** Connections to Postgres, and one more that is opened to cancel statements, because the others may all be busy. */
export class Pool extends pg.Pool {
  /** How long a snapshot may be idle. */
  readonly idleInSnapshotMaxMs: number;
  readonly #cancels: pg.Pool;

  constructor(config: pg.PoolConfig, onError: (error: Error) => void) {
    super(config);
    this.idleInSnapshotMaxMs = Math.max(
      config.idle_in_transaction_session_timeout ?? 0,
      idleInSnapshotUsualMs,
    );
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
      // If the server ends a connection in use (an idle transaction, a restart), its next statement fails, and the fault is handled there.
      // Without a listener the event would end the process.
      pool.on('connect', (client) => client.on('error', () => undefined));
    }
    this.on('connect', checkStatements);
  }

  /**
   * Cancels the running statement of a connection of this pool, if there is one. After this resolves, the cancellation cannot hit a later
   * statement: Postgres has signalled the backend, which handles the signal before it reads on.
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
 * Opens a pool. Its connections end idle transactions.
 *
 * @param options.connectionsMax most connections at once
 * @param options.connectTimeoutMs how long a request waits for a connection before it fails
 * @param options.statementTimeoutMs after this time Postgres ends a statement; 0 for never
 * @param options.idleInTransactionMaxMs after this time Postgres ends an idle transaction that may change something; a second by default
 * @param options.looksUpByKey for statements that always look up rows by key: they are planned once per connection, and never as a scan of
 *   a whole table
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
      // Compiling a plan takes a tenth of a second, and the statements here a thousandth.
      options: options.looksUpByKey === true ? `-c jit=off ${plannedForKeys}` : '-c jit=off',
      max: options.connectionsMax,
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: statementTimeoutMs,
      ...(statementTimeoutMs === 0 ? {} : { query_timeout: statementTimeoutMs + answerSlackMs }),
      idle_in_transaction_session_timeout:
        options.idleInTransactionMaxMs ?? idleInTransactionUsualMs,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      // A statement does not wait for the answer to the previous one (`runTogether`).
      pipeline: true,
      types,
    },
    options.onError,
  );
  if (findTracer() !== undefined) traceStatements(pool);
  return pool;
}

const queryCanceled = '57014';

/** Whether Postgres ended a statement because it exceeded the time limit of its connection. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === queryCanceled;
}

/** For a change, each statement sees what was committed before it; a snapshot only reads, all as of one moment. */
type TransactionKind = 'change' | 'snapshot';

function beginningOf(kind: TransactionKind, pool: Pool): string {
  return kind === 'change'
    ? 'BEGIN ISOLATION LEVEL READ COMMITTED'
    : `BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL idle_in_transaction_session_timeout = ${pool.idleInSnapshotMaxMs}`;
}

/**
 * Runs `work` in one transaction on a connection and commits. If `work` throws, the transaction is rolled back and the error rethrown.
 *
 * @param onBroken called if it could not be rolled back, so that the connection must not be used again
 */
export async function inTransaction<Result>(
  pool: Pool,
  client: Client,
  kind: TransactionKind,
  work: () => Promise<Result>,
  onBroken: () => void,
): Promise<Result> {
  const begun = client.query(beginningOf(kind, pool));
  // Changes wait for it, because without it each would be committed by itself. Reads do not.
  if (kind === 'snapshot') begun.catch(() => undefined);
  else await begun;
  try {
    const result = await work();
    await begun;
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(onBroken);
    throw error;
  }
}

async function onOneConnection<Result>(
  pool: Pool,
  kind: TransactionKind,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let isBroken = false;
  try {
    return await inTransaction(
      pool,
      client,
      kind,
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
  return onOneConnection(pool, 'change', work);
}

/**
 * Runs several reads in one snapshot, for more than one caller; reads for one caller use `CallerReads`. Reads that are requested in the same
 * turn of the event loop are sent in one write.
 */
export function snapshot<Result>(
  pool: Pool,
  read: (snapshot: Queryable) => Promise<Result>,
): Promise<Result> {
  return onOneConnection(pool, 'snapshot', (client) =>
    read(new TurnWrites(client, client.connection.stream)),
  );
}
