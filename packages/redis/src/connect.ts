import type { ConnectionOptions } from 'node:tls';

import { parseRedisAddress } from '@parley/config';
import type { RedisAddress, RedisConfig } from '@parley/config';
import type { Logger } from '@parley/logging';
import { Cluster, Redis as SingleRedis } from 'ioredis';
import type { ClusterOptions, RedisOptions } from 'ioredis';

import { anyNodeConnector } from './any-node-connector.ts';
import type { Redis } from './redis-client.ts';

/**
 * The ways to talk to Redis, in each form of its address. A request must not wait for a hint, so its connection fails at once; a
 * subscriber and a worker have nothing better to do than to come back.
 */

/** Longest pause between two attempts to connect. Redis that came back is in use again within it. */
const reconnectDelayMaxMs = 1000;

/** A connection whose peer vanished without a word is found by the kernel's probes, the first after so long. */
const keepAliveMs = 5_000;

const requestConnectTimeoutMs = 1_000;
const patientConnectTimeoutMs = 2_000;
const sentinelAnswerTimeoutMs = 1_000;

/**
 * A connection on which nothing was answered for as many times the longest wait is given up: while something is unacknowledged the
 * kernel does not probe, and would take a quarter of an hour.
 */
const silentWaits = 4;

/** How often a cluster is asked for its nodes where no command notices that they changed. */
const nodesReadIntervalMs = 5_000;

/** A command of a request follows a slot that moved, or a node that was lost, so often and so quickly; in all a tenth of a second. */
const requestRedirections = 3;
const requestRedirectionPauseMs = 40;

const loggedLossIntervalMs = 60_000;

/** Doubles from 50 ms to the longest pause, with a fifth of jitter so that processes do not return in step. */
export function reconnectDelayMs(attempt: number, random: () => number = Math.random): number {
  const delay = Math.min(50 * 2 ** Math.min(attempt - 1, 10), reconnectDelayMaxMs);
  return Math.round(delay * (0.8 + 0.2 * random()));
}

/** Which shape replies have is no option of ours. */
type ServerOptions = Omit<RedisOptions, 'replyMapping' | 'himportFieldsets'>;

/** What a use of Redis asks of its connections, whatever form the address has. */
type Use = {
  readonly connection: Pick<
    RedisOptions,
    | 'autoResubscribe'
    | 'commandTimeout'
    | 'connectTimeout'
    | 'enableAutoPipelining'
    | 'maxRetriesPerRequest'
    | 'socketTimeout'
  >;
  readonly queuesOffline: boolean;
  readonly cluster: Pick<
    ClusterOptions,
    | 'maxRedirections'
    | 'retryDelayOnClusterDown'
    | 'retryDelayOnFailover'
    | 'retryDelayOnTryAgain'
    | 'slotsRefreshTimeout'
  >;
};

function tlsOptions(
  { servername }: RedisAddress,
  ca: string | undefined,
): ConnectionOptions & { readonly ca?: string } {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(servername === undefined ? {} : { servername }),
  };
}

/** @returns what reaches Redis as one server: itself, or the primary that sentinels name */
function serverOptions(
  address: Exclude<RedisAddress, { kind: 'cluster' }>,
  tls: ConnectionOptions,
): ServerOptions {
  if (address.kind === 'single') {
    const { server, db, family } = address;
    return { ...server, db, ...(family === undefined ? {} : { family }) };
  }
  return {
    sentinels: address.sentinels.map((sentinel) => ({ ...sentinel })),
    name: address.setName,
    db: address.db,
    enableTLSForSentinelMode: address.tls,
    sentinelUsername: address.sentinelUser,
    sentinelPassword: address.sentinelPassword,
    ...(address.sentinelTls ? { sentinelTLS: tls } : {}),
    sentinelRetryStrategy: (attempt) => reconnectDelayMs(attempt),
    sentinelCommandTimeout: sentinelAnswerTimeoutMs,
  };
}

function open(config: RedisConfig, { connection, queuesOffline, cluster }: Use) {
  const address = parseRedisAddress(config.url.reveal());
  const tls = tlsOptions(address, config.ca);
  const common: ServerOptions = {
    ...connection,
    keepAlive: keepAliveMs,
    ...(address.user === undefined ? {} : { username: address.user }),
    ...(address.password === undefined ? {} : { password: address.password }),
    ...(address.tls ? { tls } : {}),
  };
  if (address.kind !== 'cluster') {
    return new SingleRedis({
      ...common,
      ...serverOptions(address, tls),
      enableOfflineQueue: queuesOffline,
      retryStrategy: (attempt) => reconnectDelayMs(attempt),
      // A primary that was demoted goes on to answer.
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
    });
  }
  return new Cluster(
    address.nodes.map((node) => ({ ...node })),
    {
      ...cluster,
      // Commands that wait for a pipeline to their node have no time limit, and the client wants all slots known for it.
      redisOptions: { ...common, enableAutoPipelining: false },
      enableOfflineQueue: queuesOffline,
      clusterRetryStrategy: (attempt) => reconnectDelayMs(attempt),
      slotsRefreshInterval: nodesReadIntervalMs,
      // Names stay names, as certificates hold them.
      dnsLookup: (host, done) => done(null, host),
    },
  );
}

function logStateChanges(redis: Redis, log: Logger, role: string): void {
  // Each failed attempt emits an error; one line per outage is enough.
  let isAway = false;
  redis.on('error', (error: unknown) => {
    if (!isAway) log.warn({ err: error, role }, 'redis is away');
    isAway = true;
  });
  redis.on('ready', () => {
    if (isAway) log.info({ role }, 'redis is back');
    isAway = false;
  });
  if (!(redis instanceof Cluster)) return;
  let loggedAtMs = -Infinity;
  redis.on('-node', ({ options: { host, port } }: SingleRedis) => {
    // Each command that is sent to a dead node loses it anew until another takes over.
    if (performance.now() - loggedAtMs < loggedLossIntervalMs) return;
    loggedAtMs = performance.now();
    log.warn({ role, node: `${host}:${port}` }, 'a node of the redis cluster is away');
  });
}

/**
 * A connection for request paths: every command is answered or refused within about `commandTimeoutMs`, and refused at once
 * while there is no connection. It goes on trying to connect in the background.
 */
export function connectForRequests(config: RedisConfig, log: Logger): Redis {
  const redis = open(config, {
    connection: {
      connectTimeout: requestConnectTimeoutMs,
      commandTimeout: config.commandTimeoutMs,
      socketTimeout: config.commandTimeoutMs * silentWaits,
      maxRetriesPerRequest: 0,
      enableAutoPipelining: true,
    },
    queuesOffline: false,
    cluster: {
      maxRedirections: requestRedirections,
      retryDelayOnFailover: requestRedirectionPauseMs,
      retryDelayOnClusterDown: requestRedirectionPauseMs,
      retryDelayOnTryAgain: requestRedirectionPauseMs,
      slotsRefreshTimeout: requestConnectTimeoutMs,
    },
  });
  logStateChanges(redis, log, 'requests');
  return redis;
}

/**
 * A connection for subscribers: reconnects for ever and subscribes again. What was published meanwhile is lost; on every
 * `ready` event the subscriber re-reads from the log what it may have missed. Of a cluster it is a connection to any one node.
 */
export function connectForSubscriptions(config: RedisConfig, log: Logger): Redis {
  const use = {
    connection: {
      connectTimeout: patientConnectTimeoutMs,
      maxRetriesPerRequest: null,
      autoResubscribe: true,
    },
    queuesOffline: true,
    cluster: {},
  };
  const address = parseRedisAddress(config.url.reveal());
  const redis =
    address.kind === 'cluster'
      ? new SingleRedis({
          ...use.connection,
          Connector: anyNodeConnector(
            address.nodes,
            address.tls ? tlsOptions(address, config.ca) : undefined,
          ),
          keepAlive: keepAliveMs,
          username: address.user,
          password: address.password,
          retryStrategy: (attempt: number) => reconnectDelayMs(attempt),
        })
      : open(config, use);
  logStateChanges(redis, log, 'subscriptions');
  return redis;
}

/**
 * A connection for the queue of jobs, which says nothing of outages: the other connections of the process do.
 *
 * @param side `adding` fails at once while Redis is away; `working` waits for it and goes on
 */
export function connectForJobs(
  config: RedisConfig,
  side: 'adding' | 'working',
): SingleRedis | Cluster {
  const failsAtOnce = side === 'adding';
  const redis = open(config, {
    connection: {
      connectTimeout: patientConnectTimeoutMs,
      maxRetriesPerRequest: failsAtOnce ? 0 : null,
    },
    queuesOffline: !failsAtOnce,
    cluster: {},
  });
  redis.on('error', () => undefined);
  return redis;
}
