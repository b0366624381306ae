import { systemClock } from '@parley/clock';
import type { Clock } from '@parley/clock';
import { Secret } from '@parley/config';
import { createPool } from '@parley/database';
import { EventLog } from '@parley/event-log';
import { createLogger } from '@parley/telemetry/logging';
import { connectForRequests } from '@parley/cluster/redis';
import { deriveKeySecrets } from '@parley/auth/secrets';

import { OrganizationMaker } from './organization-maker.ts';

/** The stores that a maker uses: the same as those of the services of its system. */
export type MakerStores = {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** The time of the system; by default that of the machine. */
  readonly clock?: Clock;
  readonly redisPrefix: string;
  /** Like `ca` of the configuration. */
  readonly redisCa?: string | undefined;
  /** The text of PARLEY_KEY_SECRET. */
  readonly keySecret: string;
  /** The text of PARLEY_KEY_SECRET_PREVIOUS, if there is one. */
  readonly keySecretPrevious?: string | undefined;
};

/** A maker with its own connections. */
export type ConnectedMaker = {
  readonly maker: OrganizationMaker;
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const redisCommandTimeoutMs = 1_000;

/**
 * Connects a maker to a system's stores. Its log goes to standard error.
 */
export function connectMaker(
  stores: MakerStores,
  options: { readonly connectionsMax?: number } = {},
): ConnectedMaker {
  const { clock = systemClock } = stores;
  const log = createLogger(
    { service: 'demo', nodeId: `demo-${process.pid}`, level: 'warn' },
    { write: (line) => process.stderr.write(line) },
  );
  const pool = createPool({
    databaseUrl: stores.databaseUrl,
    clock,
    applicationName: 'parley demo',
    connectionsMax: options.connectionsMax ?? 2,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 60_000,
    // A tool that makes much in one transaction may be delayed between two statements on a busy machine.
    idleInTransactionMaxMs: 60_000,
    onError: (error) => log.warn({ err: error }, 'an idle connection to Postgres was lost'),
  });
  const redis = connectForRequests(
    {
      url: new Secret(stores.redisUrl),
      prefix: stores.redisPrefix,
      commandTimeoutMs: redisCommandTimeoutMs,
      ca: stores.redisCa,
    },
    log,
    clock,
  );
  const eventLog = new EventLog({ clock, pool, redis, keyPrefix: stores.redisPrefix, log });
  const close = async (): Promise<void> => {
    redis.disconnect();
    await pool.end();
  };
  return {
    maker: new OrganizationMaker({
      pool,
      eventLog,
      keySecrets: deriveKeySecrets(stores.keySecret, stores.keySecretPrevious),
    }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
