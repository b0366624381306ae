import { Patience, limitMs } from '@parley/clock';
import type { Clock } from '@parley/clock';
import { findTracer } from '@parley/telemetry/tracing';
import pg from 'pg';

import { checkStatements } from './check-statements.ts';
import { commitThroughGate } from './commit-gate.ts';
import type { Queryable } from './queryable.ts';
import { tellTime } from './tell-time.ts';
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

type ConnectCallback = (
  error: Error | undefined,
  client: Client | undefined,
  release: (error?: Error | boolean) => void,
) => void;

/** The first attempt to open a connection gets as many times what a request waits for one. */
const attemptWaits = 2;

/** The driver's words for an attempt that used up its time. */
const attemptIsLate = 'timeout expired';

/**
 * @param opening gets the connections that are being opened
 * @returns a class of connections; an attempt to open one gets the time that patience says
 */
function patientClient(patience: Patience, opening: Set<pg.Client>): typeof pg.Client {
  return class extends pg.Client {
    readonly #allowedMs: number;

    constructor(config?: string | pg.ClientConfig) {
      const allowedMs = patience.nextMs();
      super({ ...(config as pg.ClientConfig), connectionTimeoutMillis: allowedMs });
      this.#allowedMs = allowedMs;
    }

    override connect(): Promise<this>;
    override connect(callback: (error: Error | null) => void): void;
    override connect(callback?: (error: Error | null) => void): Promise<this> | undefined {
      if (callback === undefined)
        throw new TypeError('pools open their connections with callbacks');
      opening.add(this);
      super.connect((error: Error | null) => {
        opening.delete(this);
        if (error === null) patience.noteSuccess();
        else if (error.message === attemptIsLate) patience.noteLate(this.#allowedMs);
        callback(error);
      });
      return undefined;
    }
  };
}

/** Connections to Postgres, and one more that is opened to cancel statements, because the others may all be busy. */
export class Pool extends pg.Pool {
  readonly clock: Clock;
  /** How long a snapshot may be idle; 0 for any time. */
  readonly idleInSnapshotMaxMs: number;
  readonly #cancels: pg.Pool;
  readonly #connectTimeoutMs: number;
  readonly #opening: Set<pg.Client>;

  constructor(config: pg.PoolConfig, clock: Clock, onError: (error: Error) => void) {
    const { connectionTimeoutMillis: connectTimeoutMs = 0, ...others } = config;
    const opening = new Set<pg.Client>();
    super({
      ...others,
      ...(connectTimeoutMs > 0 && {
        Client: patientClient(new Patience(connectTimeoutMs * attemptWaits), opening),
      }),
    });
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#opening = opening;
    this.clock = clock;
    this.idleInSnapshotMaxMs = limitMs(
      clock,
      Math.max(config.idle_in_transaction_session_timeout ?? 0, idleInSnapshotUsualMs),
    );
    this.#cancels = new pg.Pool({
      connectionString: config.connectionString,
      application_name: 'parley cancels',
      max: 1,
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: limitMs(clock, cancelTimeoutMs),
      query_timeout: limitMs(clock, cancelTimeoutMs),
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
    if (!clock.runs) tellTime(this, clock);
  }

  /**
   * Cancels the running statement of a connection of this pool, if there is one. After this resolves, the cancellation cannot hit a later
   * statement: Postgres has signalled the backend, which handles the signal before it reads on.
   */
  async cancel(client: Client): Promise<void> {
    const processId = 'processID' in client ? client.processID : null;
    await this.#cancels.query('SELECT pg_cancel_backend($1)', [processId]);
  }

  /**
   * Takes a connection. Whoever waits too long fails; a connection that is opened later stays, so that what is slow is not repeated.
   */
  override connect(): Promise<Client>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<Client> | undefined {
    if (callback !== undefined) {
      this.#connectInTime(callback);
      return undefined;
    }
    const { promise, resolve, reject } = Promise.withResolvers<Client>();
    this.#connectInTime((error, client) => {
      if (client === undefined) reject(error ?? new Error('the pool gave no connection'));
      else resolve(client);
    });
    return promise;
  }

  #connectInTime(callback: ConnectCallback): void {
    if (this.#connectTimeoutMs === 0) {
      super.connect(callback);
      return;
    }
    let isLate = false;
    const settle: ConnectCallback = (error, client, release) => {
      timer.cancel();
      if (isLate) client?.release();
      else callback(error, client, release);
    };
    const timer = this.clock.after(this.#connectTimeoutMs, () => {
      isLate = true;
      this.#leaveQueue(settle);
      callback(new Error('timeout exceeded when trying to connect'), undefined, () => undefined);
    });
    super.connect(settle);
  }

  /** The driver's own time limit does the same, but ends the attempt to open a connection too. */
  #leaveQueue(waiting: ConnectCallback): void {
    const queue = Reflect.get(this, '_pendingQueue') as { readonly callback: ConnectCallback }[];
    const index = queue.findIndex(({ callback }) => callback === waiting);
    if (index >= 0) queue.splice(index, 1);
  }

  override async end(): Promise<void> {
    for (const client of this.#opening) client.connection.stream.destroy();
    await super.end();
    await this.#cancels.end();
  }
}

/**
 * Opens a pool. Its connections end idle transactions. Where time stands there are no limits, and each connection is told the time.
 *
 * @param options.clock the time, for `parley_now()` too
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
  readonly clock: Clock;
  readonly applicationName: string;
  readonly connectionsMax: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly idleInTransactionMaxMs?: number;
  readonly looksUpByKey?: boolean;
  readonly onError: (error: Error) => void;
}): Pool {
  const { clock } = options;
  const statementTimeoutMs = limitMs(clock, options.statementTimeoutMs);
  const pool = new Pool(
    {
      connectionString: options.databaseUrl,
      application_name: options.applicationName,
      // Compiling a plan takes a tenth of a second, and the statements here a thousandth.
      options: options.looksUpByKey === true ? `-c jit=off ${plannedForKeys}` : '-c jit=off',
      max: options.connectionsMax,
      connectionTimeoutMillis: limitMs(clock, options.connectTimeoutMs),
      statement_timeout: statementTimeoutMs,
      ...(statementTimeoutMs === 0 ? {} : { query_timeout: statementTimeoutMs + answerSlackMs }),
      idle_in_transaction_session_timeout: limitMs(
        clock,
        options.idleInTransactionMaxMs ?? idleInTransactionUsualMs,
      ),
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      // A statement does not wait for the answer to the previous one (`runTogether`).
      pipeline: true,
      types,
    },
    clock,
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
    await (kind === 'snapshot'
      ? client.query('COMMIT')
      : commitThroughGate(() => client.query('COMMIT')));
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
