import type { ConnectionOptions } from 'node:tls';

import { Patience, limitMs } from '@parley/clock';
import type { Clock, Timer } from '@parley/clock';
import { parseRedisAddress } from '@parley/config';
import type { RedisAddress, RedisConfig } from '@parley/config';
import type { Logger } from '@parley/telemetry/logging';
import { Cluster, Redis as SingleRedis } from 'ioredis';
import type { ClusterOptions, RedisOptions } from 'ioredis';

import { anyNodeConnector } from './any-node-connector.ts';
import type { Redis } from './redis-client.ts';

/**
 * Connections to Redis for each use, with every form of its address. A request must not wait for a hint, so its connection fails at once;
 * the connections of subscribers and workers wait and reconnect.
 */

/** The longest pause between two attempts to connect. After an outage Redis is in use again within it. */
const reconnectDelayMaxMs = 1000;

/** The kernel's probes find a connection whose peer vanished. The first comes after this time. */
const keepAliveMs = 5_000;

const requestConnectTimeoutMs = 1_000;
const patientConnectTimeoutMs = 2_000;
const sentinelAnswerTimeoutMs = 1_000;

/**
 * A connection without an answer for this many times the longest wait is closed. While data is unacknowledged the kernel does not probe,
 * and would take a quarter of an hour.
 */
const silentWaits = 4;

/** The interval at which a cluster is asked for its nodes, in case no command notices that they changed. */
const nodesReadIntervalMs = 5_000;

/** How often a command of a request follows a moved slot or a lost node, quickly: a tenth of a second in all. */
const requestRedirections = 3;
const requestRedirectionPauseMs = 40;

/** ioredis leaves a rejection unhandled, which ends the process, if it is closed while it subscribes again by itself. */
const autoResubscribe = false;

const loggedLossIntervalMs = 60_000;

/** The client's words for a server that says nothing. */
const isLate = /^(?:connect ETIMEDOUT|Socket timeout)/;

/** A connection that lasts for this long was not opened in vain. */
const steadyAfterMs = 60_000;

/**
 * Gives each connection after one that was late twice the time, to open and to answer, until one lasts. Commands have the same time
 * limit as before, so no request waits longer.
 */
function growTimeLimits(redis: SingleRedis, clock: Clock): void {
  const { connectTimeout = 0, socketTimeout } = redis.options;
  if (connectTimeout === 0) return;
  const patience = new Patience(connectTimeout);
  let allowedMs = connectTimeout;
  const allow = (ms: number): void => {
    allowedMs = ms;
    redis.options.connectTimeout = ms;
    if (socketTimeout !== undefined)
      redis.options.socketTimeout = Math.round((socketTimeout * ms) / connectTimeout);
  };
  let steady: Timer | undefined;
  redis.on('error', ({ message }: Error) => {
    if (!isLate.test(message)) return;
    patience.noteLate(allowedMs);
    allow(patience.nextMs());
  });
  redis.on('close', () => steady?.cancel());
  redis.on('ready', () => {
    steady?.cancel();
    steady = clock
      .after(steadyAfterMs, () => {
        patience.noteSuccess();
        allow(connectTimeout);
      })
      .unref();
  });
}

/** Doubles from 50 ms to the longest pause, with a fifth of jitter so that processes do not return in step. */
export function reconnectDelayMs(attempt: number, random: () => number = Math.random): number {
  const delay = Math.min(50 * 2 ** Math.min(attempt - 1, 10), reconnectDelayMaxMs);
  return Math.round(delay * (0.8 + 0.2 * random()));
}

/** Without the options for the shape of replies, which is fixed. */
type ServerOptions = Omit<RedisOptions, 'replyMapping' | 'himportFieldsets'>;

/** The requirements of one use of Redis, for every form of its address. */
type Use = {
  readonly connection: Pick<
    RedisOptions,
    | 'autoPipeliningIgnoredCommands'
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

/** @returns the options for Redis as one server: that server itself, or the primary that sentinels name */
function serverOptions(
  address: Exclude<RedisAddress, { kind: 'cluster' }>,
  tls: ConnectionOptions,
  clock: Clock,
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
    ...(clock.runs && { sentinelCommandTimeout: sentinelAnswerTimeoutMs }),
  };
}

function open(config: RedisConfig, { connection, queuesOffline, cluster }: Use, clock: Clock) {
  const address = parseRedisAddress(config.url.reveal());
  const tls = tlsOptions(address, config.ca);
  const common: ServerOptions = {
    ...connection,
    autoResubscribe,
    keepAlive: keepAliveMs,
    ...(address.user === undefined ? {} : { username: address.user }),
    ...(address.password === undefined ? {} : { password: address.password }),
    ...(address.tls ? { tls } : {}),
  };
  if (address.kind !== 'cluster') {
    const redis = new SingleRedis({
      ...common,
      ...serverOptions(address, tls, clock),
      enableOfflineQueue: queuesOffline,
      retryStrategy: (attempt) => reconnectDelayMs(attempt),
      // A demoted primary continues to answer.
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
    });
    growTimeLimits(redis, clock);
    return redis;
  }
  return new Cluster(
    address.nodes.map((node) => ({ ...node })),
    {
      ...cluster,
      // Commands that wait for a pipeline to their node have no time limit, and the client requires all slots to be known for it.
      redisOptions: { ...common, enableAutoPipelining: false },
      enableOfflineQueue: queuesOffline,
      clusterRetryStrategy: (attempt) => reconnectDelayMs(attempt),
      slotsRefreshInterval: nodesReadIntervalMs,
      // Host names are not resolved here, because certificates contain names.
      dnsLookup: (host, done) => done(null, host),
    },
  );
}

function logStateChanges(redis: Redis, log: Logger, role: string, clock: Clock): void {
  // Each failed attempt emits an error, but one line per outage is enough.
  let isDown = false;
  redis.on('error', (error: unknown) => {
    if (!isDown) log.warn({ err: error, role }, 'Redis is down');
    isDown = true;
  });
  redis.on('ready', () => {
    if (isDown) log.info({ role }, 'Redis is back');
    isDown = false;
  });
  if (!(redis instanceof Cluster)) return;
  let loggedAtMs = -Infinity;
  redis.on('-node', ({ options: { host, port } }: SingleRedis) => {
    // Each command sent to a dead node reports the loss again until another node takes over.
    const nowMs = clock.elapsedMs();
    if (nowMs - loggedAtMs < loggedLossIntervalMs) return;
    loggedAtMs = nowMs;
    log.warn({ role, node: `${host}:${port}` }, 'a node of the Redis cluster is down');
  });
}

/**
 * A connection for requests: every command is answered or refused within about `commandTimeoutMs`, and refused at once while there is no
 * connection. It keeps trying to connect in the background. Where time stands, commands wait for their answers.
 */
export function connectForRequests(config: RedisConfig, log: Logger, clock: Clock): Redis {
  const use: Use = {
    connection: {
      connectTimeout: limitMs(clock, requestConnectTimeoutMs),
      ...(clock.runs && {
        commandTimeout: config.commandTimeoutMs,
        socketTimeout: config.commandTimeoutMs * silentWaits,
      }),
      maxRetriesPerRequest: 0,
      enableAutoPipelining: true,
      // A hint is alone in its turn of the event loop; a pipeline for it costs more than the command.
      autoPipeliningIgnoredCommands: ['publish'],
    },
    queuesOffline: false,
    cluster: {
      maxRedirections: requestRedirections,
      retryDelayOnFailover: requestRedirectionPauseMs,
      retryDelayOnClusterDown: requestRedirectionPauseMs,
      retryDelayOnTryAgain: requestRedirectionPauseMs,
      slotsRefreshTimeout: requestConnectTimeoutMs,
    },
  };
  const redis = open(config, use, clock);
  logStateChanges(redis, log, 'requests', clock);
  return redis;
}

/**
 * A connection for subscribers. It reconnects for ever. On every `ready` event the subscriber must subscribe again, and read from the stores
 * what it may have missed, because messages published meanwhile are lost. For a cluster it is a connection to any one node.
 */
export function connectForSubscriptions(config: RedisConfig, log: Logger, clock: Clock): Redis {
  const use = {
    connection: {
      connectTimeout: limitMs(clock, patientConnectTimeoutMs),
      maxRetriesPerRequest: null,
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
          autoResubscribe,
          username: address.user,
          password: address.password,
          retryStrategy: (attempt: number) => reconnectDelayMs(attempt),
        })
      : open(config, use, clock);
  logStateChanges(redis, log, 'subscriptions', clock);
  return redis;
}

/**
 * A connection for the queue of jobs. It does not report outages, because the other connections of the process do.
 *
 * @param side `adding` fails at once while Redis is down; `working` waits for it and continues
 */
export function connectForJobs(
  config: RedisConfig,
  side: 'adding' | 'working',
  clock: Clock,
): SingleRedis | Cluster {
  const failsAtOnce = side === 'adding';
  const use: Use = {
    connection: {
      connectTimeout: limitMs(clock, patientConnectTimeoutMs),
      maxRetriesPerRequest: failsAtOnce ? 0 : null,
    },
    queuesOffline: !failsAtOnce,
    cluster: {},
  };
  const redis = open(config, use, clock);
  redis.on('error', () => undefined);
  return redis;
}
