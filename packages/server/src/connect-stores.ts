import type { Pool } from '@parley/database';
import { checkSchemaVersion, createPool } from '@parley/database';
import { EventLog } from '@parley/event-log';
import { noteAccountChanges } from './account-changes.ts';
import { awaitStore } from './await-store.ts';
import type { ServiceFrame } from './service-frame.ts';
import type { Redis } from '@parley/cluster/redis';
import { connectForRequests } from '@parley/cluster/redis';

import { registerStoreMetrics } from './store-metrics.ts';

/** The stores that every service uses. */
export type Stores = {
  readonly pool: Pool;
  /** For requests: fails at once while Redis is down. */
  readonly redis: Redis;
  readonly keyPrefix: string;
  readonly eventLog: EventLog;
};

/**
 * Connects a service to Postgres, for which it waits, and Redis, refuses a schema it cannot use, and registers the release of both and the readiness
 * check on the frame. It succeeds without Redis.
 *
 * @throws UnusableSchema, or what Postgres throws when it cannot be reached
 */
export async function connectStores(frame: ServiceFrame): Promise<Stores> {
  const { clock, config, log } = frame;
  const pool = openPool(frame, config.service, config.database.poolMax);
  await awaitStore(frame, 'Postgres', () => checkSchemaVersion(pool));
  frame.addReadinessCheck('postgres', async () => {
    await pool.query('SELECT 1');
  });
  const redis = connectForRequests(config.redis, log, clock);
  registerStoreMetrics(frame.metrics.registry, pool, redis);
  frame.onDispose('redis', () => redis.disconnect());
  return {
    pool,
    redis,
    keyPrefix: config.redis.prefix,
    eventLog: new EventLog({
      pool,
      redis,
      keyPrefix: config.redis.prefix,
      clock,
      log,
      onAccountsChanged: noteAccountChanges,
    }),
  };
}

/**
 * Opens another pool, released with the service, for work that must not wait for requests.
 *
 * @param options.looksUpByKey as for `createPool`
 * @param options.statementTimeoutMs by default that of the configuration
 * @param options.idleInTransactionMaxMs as for `createPool`
 */
export function openPool(
  frame: ServiceFrame,
  purpose: string,
  connectionsMax: number,
  options: {
    readonly looksUpByKey?: boolean;
    readonly statementTimeoutMs?: number;
    readonly idleInTransactionMaxMs?: number;
  } = {},
): Pool {
  const { clock, config, log } = frame;
  const { idleInTransactionMaxMs } = options;
  const pool = createPool({
    databaseUrl: config.database.url.reveal(),
    clock,
    applicationName: `parley ${purpose}`,
    connectionsMax,
    looksUpByKey: options.looksUpByKey ?? false,
    connectTimeoutMs: config.database.connectTimeoutMs,
    statementTimeoutMs: options.statementTimeoutMs ?? config.database.statementTimeoutMs,
    ...(idleInTransactionMaxMs !== undefined && { idleInTransactionMaxMs }),
    onError: (error) => log.warn({ err: error }, 'an idle connection to Postgres was lost'),
  });
  frame.onDispose(`pool for ${purpose}`, () => pool.end());
  return pool;
}
