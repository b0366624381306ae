import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { systemClock } from '@parley/clock';
import pg from 'pg';

import { findFreePort } from './free-port.ts';
import { databaseName, prepareCluster } from './postgres-cluster.ts';
import type { Cluster } from './postgres-cluster.ts';
import { StoreProcess } from './store-process.ts';
import type { RunningStore } from './store-process.ts';
import { StoreFault } from './store-fault.ts';

// Recovery after a crash reads the log since the last checkpoint, at most a gigabyte of it.
const readyWithinMs = 120_000;
const stopPatienceMs = 20_000;
// After its first process was killed, Postgres' other processes notice that and end by themselves.
const leftoverPatienceMs = 15_000;

/** The options of `startPostgres`. */
export type PostgresOptions = {
  /** The folder of this store; made at the first start. */
  dataDir: string;
  /** The port of 127.0.0.1 to listen on; any free one if absent. */
  port?: number;
  /** Receives Postgres' own log and unusual steps, line by line. */
  log: (line: string) => void;
  /** Further settings, over the durable defaults (`{ fsync: 'off' }` for a test's database). */
  settings?: Readonly<Record<string, string>>;
};

function launch(cluster: Cluster, port: number, options: PostgresOptions): Promise<StoreProcess> {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    // Enough for the pools of two or three replicas of each service, their followers, and tools.
    max_connections: '200',
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    logging_collector: 'off',
    log_destination: 'stderr',
    // The sender of a failed statement logs it, and not all of it.
    log_min_error_statement: 'panic',
    timezone: 'UTC',
    ...options.settings,
  };
  return StoreProcess.start({
    name: 'Postgres',
    program: join(cluster.programs, 'bin', 'postgres'),
    args: [
      '-D',
      cluster.folder,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    env: { LC_ALL: 'C', TZ: 'UTC' },
    account: cluster.account,
    log: options.log,
  });
}

async function withClient<Result>(
  cluster: Cluster,
  port: number,
  database: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: databaseName,
    password: cluster.password,
    database,
    connectionTimeoutMillis: 5_000,
  });
  // The running query reports a broken connection.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Whether the started process, and not another one on the port, accepts queries. */
async function answers(cluster: Cluster, port: number, pid: number): Promise<boolean> {
  const lockFile = join(cluster.folder, 'postmaster.pid');
  const holder = await readFile(lockFile, 'utf8').catch(() => '');
  if (Number(holder.split('\n')[0]) !== pid) return false;
  try {
    await withClient(cluster, port, 'postgres', (client) => client.query('SELECT 1'));
    return true;
  } catch (error) {
    // 28P01: the password is not the one that the cluster was made with.
    if (error instanceof pg.DatabaseError && error.code === '28P01') {
      throw new StoreFault(
        'Postgres refuses the password kept in the data folder. Start with --fresh to begin anew, or choose another folder with --data.',
        { cause: error },
      );
    }
    return false;
  }
}

async function makeDatabase(cluster: Cluster, port: number): Promise<void> {
  await withClient(cluster, port, 'postgres', async (client) => {
    const found = await client.query<{ encoding: string; provider: string; locale: string }>(
      `SELECT pg_encoding_to_char(encoding) AS encoding, datlocprovider AS provider, datlocale AS locale
         FROM pg_database WHERE datname = $1`,
      [databaseName],
    );
    const row = found.rows[0];
    if (row === undefined) {
      await client.query(`CREATE DATABASE ${databaseName}`);
    } else if (row.encoding !== 'UTF8' || row.provider !== 'b' || row.locale !== 'C.UTF-8') {
      throw new StoreFault(
        `The database in ${cluster.folder} has the encoding ${row.encoding} and the locale ${row.locale}, not UTF8 and C.UTF-8 of the builtin provider. Start with --fresh to begin anew.`,
      );
    }
  });
}

async function launchUntilReady(
  cluster: Cluster,
  port: number,
  options: PostgresOptions,
): Promise<StoreProcess> {
  const deadlineMs = systemClock.elapsedMs() + leftoverPatienceMs;
  for (;;) {
    const running = await launch(cluster, port, options);
    try {
      await running.waitUntil(() => answers(cluster, port, running.pid), readyWithinMs);
      return running;
    } catch (error) {
      await running.stop(['SIGINT', 'SIGKILL'], stopPatienceMs);
      const words = running.lastLines.join('\n');
      if (
        words.includes('pre-existing shared memory block') &&
        systemClock.elapsedMs() < deadlineMs
      )
        continue;
      if (words.includes('could not bind')) {
        throw new StoreFault(`Port ${port}, which Postgres was to listen on, is in use.`, {
          cause: error,
        });
      }
      if (words.includes('lock file "postmaster.pid" already exists')) {
        throw new StoreFault(
          `Another Postgres runs on ${cluster.folder}. Stop it, or choose another folder with --data.`,
          { cause: error },
        );
      }
      throw error;
    }
  }
}

/**
 * Starts the embedded Postgres on a data folder and waits until it answers. At the first start it makes the data (UTF-8, locale C.UTF-8 of
 * the builtin provider) and a database `parley`. It listens only on 127.0.0.1, with a generated password, in its own process group. For
 * root it runs as a system user; if that user cannot enter the folders, the data and the programs go to `/var/lib/parley`.
 *
 * @throws StoreFault with what to do, if it cannot be started
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningStore> {
  const port = options.port ?? (await findFreePort());
  const cluster = await prepareCluster(options.dataDir, options.log);
  const running = await launchUntilReady(cluster, port, options);
  const stop = (): Promise<void> =>
    // Fast shutdown ends the sessions, and committed data is on disk. The immediate shutdown that follows loses nothing either, because the
    // next start recovers.
    running.stop(['SIGINT', 'SIGQUIT', 'SIGKILL'], stopPatienceMs);
  try {
    await makeDatabase(cluster, port);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `postgres://${databaseName}:${cluster.password}@127.0.0.1:${port}/${databaseName}`,
    port,
    pid: running.pid,
    exited: running.exited,
    lastLines: running.lastLines,
    stop,
  };
}
