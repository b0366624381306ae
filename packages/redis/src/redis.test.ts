import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

import { readServiceConfig } from '@parley/config';
import { createLogger } from '@parley/logging';
import { describe, expect, it } from 'vitest';

import { connectForRequests, connectForSubscriptions, reconnectDelayMs } from './connect.ts';
import { keyNames } from './key-names.ts';

const quiet = createLogger({ service: 'test', nodeId: 'test', level: 'silent' });

function configFor(port: number) {
  const config = readServiceConfig(
    {
      DATABASE_URL: 'postgres://127.0.0.1/none',
      REDIS_URL: `redis://127.0.0.1:${port}`,
      PARLEY_INTERNAL_SECRET: 'i'.repeat(32),
      PARLEY_KEY_SECRET: 'k'.repeat(32),
      PARLEY_REDIS_COMMAND_TIMEOUT_SECS: '0.1',
    },
    'test',
  );
  return config.redis;
}

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('connectForRequests', () => {
  it('refuses commands at once while Redis is away', async () => {
    const redis = connectForRequests(configFor(await closedPort()), quiet);
    await expect(redis.get('x')).rejects.toThrow(/writeable|closed|max retries/i);
    redis.disconnect();
  });

  it('gives up on a server that accepts and never answers', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined)).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const redis = connectForRequests(configFor((server.address() as AddressInfo).port), quiet);
    await once(redis, 'connect');
    await expect(redis.get('x')).rejects.toThrow(/writeable|timed out/i);
    redis.disconnect();
    server.close();
  });
});

describe('connectForSubscriptions', () => {
  it('goes on trying', async () => {
    const redis = connectForSubscriptions(configFor(await closedPort()), quiet);
    let attempts = 0;
    redis.on('reconnecting', () => {
      attempts += 1;
    });
    await expect.poll(() => attempts, { timeout: 10_000 }).toBeGreaterThan(2);
    redis.disconnect();
  });
});

describe('reconnectDelayMs', () => {
  it('grows to a second and stays there', () => {
    const delays = [1, 2, 3, 4, 5, 6, 1000].map((attempt) => reconnectDelayMs(attempt, () => 1));
    expect(delays).toEqual([50, 100, 200, 400, 800, 1000, 1000]);
    expect(reconnectDelayMs(6, () => 0)).toBe(800);
  });
});

describe('keyNames', () => {
  it('puts everything below the prefix', () => {
    const { rateLimit, failedLogins, loginsUnderway, botOwnerNotice, ...texts } = keyNames('p');
    const all = [
      ...Object.values(texts),
      rateLimit(1, 60),
      failedLogins('key', 'address:x', 60),
      loginsUnderway('key', 'address:x'),
      botOwnerNotice(1),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(all.every((name) => name.startsWith('p:'))).toBe(true);
  });
});
