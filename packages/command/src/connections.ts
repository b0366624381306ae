/** The stores for commands: those of the services, on separate connections that wait longer. */
import { systemClock } from '@parley/clock';
import { readDatabaseConfig, readServiceConfig } from '@parley/config';
import type { DatabaseConfig, Environment, ServiceConfig } from '@parley/config';
import { checkSchemaVersion, createPool } from '@parley/database';
import type { Pool } from '@parley/database';
import { EventLog } from '@parley/event-log';
import { openFileStore } from '@parley/files';
import type { FileStore } from '@parley/files';
import { createLogger } from '@parley/telemetry/logging';
import type { Logger } from '@parley/telemetry/logging';
import { createPeopleContext } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { connectForRequests } from '@parley/cluster/redis';
import type { Redis } from '@parley/cluster/redis';
import { findRealm } from '@parley/store';

import { CommandFault } from './faults.ts';

const connectionsMax = 3;

/** Nobody repeats a command that a busy machine made fail. */
const connectTimeoutMinMs = 60_000;

/** Faults outside of the command's own work, such as a missing Redis, are written to standard error. */
export function commandLogger(): Logger {
  return createLogger(
    { service: 'command', nodeId: `command-${process.pid}`, level: 'error' },
    { write: (line) => process.stderr.write(line) },
  );
}

/** @param config.statementTimeoutMs 0 for work without a time limit */
export function openPool(
  config: Pick<DatabaseConfig, 'url' | 'connectTimeoutMs' | 'statementTimeoutMs'>,
): Pool {
  return createPool({
    databaseUrl: config.url.reveal(),
    clock: systemClock,
    applicationName: 'parley command',
    connectionsMax,
    connectTimeoutMs: Math.max(config.connectTimeoutMs, connectTimeoutMinMs),
    statementTimeoutMs: config.statementTimeoutMs,
    onError: () => undefined,
  });
}

/**
 * Runs work that needs only the database and no other setting.
 *
 * @throws ConfigError, UnusableSchema
 */
export async function withDatabase<Result>(
  env: Environment,
  work: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  const pool = openPool(readDatabaseConfig(env));
  try {
    await checkSchemaVersion(pool);
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Reads the configuration as a service does. */
export function readConfig(env: Environment): ServiceConfig {
  return readServiceConfig(env, 'command');
}

/** @throws CommandFault if no place for files is configured */
export async function openFiles(config: ServiceConfig): Promise<FileStore> {
  const { files } = config.uploads;
  if (files === undefined)
    throw new CommandFault(
      'PARLEY_UPLOADS_DIR or PARLEY_S3_BUCKET is required: where uploaded files are',
    );
  return openFileStore(files, systemClock);
}

/** Sends pending hints, so that services learn of a change at once; a missing Redis costs half a second. */
async function closeRedis(redis: Redis): Promise<void> {
  await redis.quit().catch(() => undefined);
  redis.disconnect();
}

/** A connection that is still being opened refuses commands, so the first hint would be lost. */
async function awaitRedis(redis: Redis, timeoutMs: number): Promise<void> {
  if (redis.status === 'ready') return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = systemClock.after(timeoutMs, resolve);
  redis.once('ready', resolve);
  await promise;
  timer.cancel();
}

/**
 * Runs work with the context of operations on people, bots and the organization, so that a command makes changes by the rules of the
 * endpoints, with log entries and events.
 *
 * @throws ConfigError, UnusableSchema, FileStoreFault
 */
export async function withPeople<Result>(
  env: Environment,
  work: (context: PeopleContext, config: ServiceConfig) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(env);
  const log = commandLogger();
  const files = await openFiles(config);
  const pool = openPool(config.database);
  const redis = connectForRequests(config.redis, log, systemClock);
  try {
    await checkSchemaVersion(pool);
    await awaitRedis(redis, config.redis.commandTimeoutMs);
    const shared = { clock: systemClock, pool, log };
    const eventLog = new EventLog({ ...shared, redis, keyPrefix: config.redis.prefix });
    return await work(createPeopleContext({ ...shared, config, eventLog, files }), config);
  } finally {
    await closeRedis(redis);
    await pool.end();
    files.close();
  }
}

/** The same for work on an existing organization. */
export async function withOrganization<Result>(
  env: Environment,
  work: (context: PeopleContext, config: ServiceConfig) => Promise<Result>,
): Promise<Result> {
  return withPeople(env, async (context, config) => {
    if ((await findRealm(context.pool)) === undefined)
      throw new CommandFault(
        'There is no organization in this database yet: make one with parley organization create',
      );
    return work(context, config);
  });
}
