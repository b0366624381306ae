import type { RedisConfig } from '@parley/config';
import type { Logger } from '@parley/logging';
import { Redis } from 'ioredis';

/**
 * The two ways to talk to Redis. A request must not wait for a hint, so its connection fails at once; a subscriber has
 * nothing better to do than to come back.
 */

export type { Redis } from 'ioredis';

/** Longest pause between two attempts to connect. Redis that came back is in use again within it. */
const reconnectDelayMaxMs = 1000;

/** Doubles from 50 ms to the longest pause, with a fifth of jitter so that processes do not return in step. */
export function reconnectDelayMs(attempt: number, random: () => number = Math.random): number {
  const delay = Math.min(50 * 2 ** Math.min(attempt - 1, 10), reconnectDelayMaxMs);
  return Math.round(delay * (0.8 + 0.2 * random()));
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
}

/**
 * A connection for request paths: every command is answered or refused within `commandTimeoutMs`, and refused at once
 * while there is no connection. It goes on trying to connect in the background.
 */
export function connectForRequests(config: RedisConfig, log: Logger): Redis {
  const redis = new Redis(config.url.reveal(), {
    connectTimeout: 1000,
    commandTimeout: config.commandTimeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableAutoPipelining: true,
    retryStrategy: (attempt) => reconnectDelayMs(attempt),
  });
  logStateChanges(redis, log, 'requests');
  return redis;
}

/**
 * A connection for subscribers: reconnects for ever and subscribes again. What was published meanwhile is lost; on every
 * `ready` event the subscriber re-reads from the log what it may have missed.
 */
export function connectForSubscriptions(config: RedisConfig, log: Logger): Redis {
  const redis = new Redis(config.url.reveal(), {
    connectTimeout: 2000,
    maxRetriesPerRequest: null,
    autoResubscribe: true,
    // A connection whose peer vanished without a word is found by the kernel's probes.
    keepAlive: 5000,
    retryStrategy: (attempt) => reconnectDelayMs(attempt),
  });
  logStateChanges(redis, log, 'subscriptions');
  return redis;
}
