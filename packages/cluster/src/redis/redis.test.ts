import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

import { systemClock } from '@parley/clock';
import { readServiceConfig } from '@parley/config';
import { createLogger } from '@parley/telemetry/logging';
import { describe, expect, it } from 'vitest';

import { connectForRequests, connectForSubscriptions, reconnectDelayMs } from './connect.ts';
import { keyNames } from './key-names.ts';

const quiet = createLogger({ service: 'test', nodeId: 'test', level: 'silent' });

function configFor(port: number, form = 'redis') {
  const config = readServiceConfig(
    {
      DATABASE_URL: 'postgres://127.0.0.1/none',
      REDIS_URL: `${form}://127.0.0.1:${port}${form.endsWith('sentinel') ? '/main' : ''}`,
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

const forms = ['redis', 'redis+sentinel', 'redis+cluster'];

describe.each(forms)('connectForRequests to %s', (form) => {
  it('refuses commands at once while Redis is down', async () => {
    const redis = connectForRequests(configFor(await closedPort(), form), quiet, systemClock);
    await expect(redis.get('x')).rejects.toThrow(/writeable|closed|max retries|isn't ready/i);
    redis.disconnect();
  });

  it('gives up on a server that accepts connections and never answers', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined)).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const connected = once(server, 'connection');
    const redis = connectForRequests(
      configFor((server.address() as AddressInfo).port, form),
      quiet,
      systemClock,
    );
    await connected;
    await expect(redis.get('x')).rejects.toThrow(/writeable|timed out|isn't ready/i);
    redis.disconnect();
    server.close();
  });
});

describe.each(forms)('connectForSubscriptions to %s', (form) => {
  it('keeps trying', async () => {
    const seen = { attempts: 0 };
    const server = createServer((socket) => {
      seen.attempts += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = (server.address() as AddressInfo).port;
    const redis = connectForSubscriptions(configFor(port, form), quiet, systemClock);
    redis.subscribe('x').catch(() => undefined);
    await expect.poll(() => seen.attempts, { timeout: 10_000 }).toBeGreaterThan(4);
    redis.disconnect();
    server.close();
  });
});

it('a subscriber that is closed while it subscribes again leaves no failure unhandled', async () => {
  const subscribed: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (commands) => {
      for (const [, name] of commands.toString().matchAll(/^\*\d+\r\n\$\d+\r\n(\w+)/gm)) {
        if (name?.toLowerCase() !== 'subscribe') socket.write('+OK\r\n');
        // Only the first one is answered, and its connection is lost.
        else if (subscribed.push(name) === 1)
          socket.end('*3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n');
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const redis = connectForSubscriptions(
    configFor((server.address() as AddressInfo).port),
    quiet,
    systemClock,
  );
  await redis.subscribe('x');
  await once(redis, 'ready');
  const again = redis.subscribe('x').catch(() => 'failed');
  await expect.poll(() => subscribed.length, { timeout: 10_000 }).toBeGreaterThan(1);
  redis.disconnect();
  expect(await again).toBe('failed');
  server.close();
});

describe('reconnectDelayMs', () => {
  it('grows to a second and stays there', () => {
    const delays = [1, 2, 3, 4, 5, 6, 1000].map((attempt) => reconnectDelayMs(attempt, () => 1));
    expect(delays).toEqual([50, 100, 200, 400, 800, 1000, 1000]);
    expect(reconnectDelayMs(6, () => 0)).toBe(800);
  });
});

describe('keyNames', () => {
  const person = { userId: 1, ownerId: 1 };
  const namesOn = (isCluster: boolean) => {
    const { rateLimit, rateLimitOfOwner, failedLogins, loginsUnderway, botOwnerNotice, ...texts } =
      keyNames('p', { isCluster });
    const bot = { userId: 3, ownerId: 1 };
    const together = [
      [
        rateLimit(person, 60),
        rateLimit(person, 3600),
        rateLimit(bot, 60),
        rateLimitOfOwner(person, 60),
        rateLimitOfOwner(person, 3600),
      ],
      [
        rateLimit({ ...person, counted: 'files' }, 60),
        rateLimitOfOwner({ ...person, counted: 'files' }, 60),
      ],
      [
        failedLogins('key', 'address:x', 60),
        failedLogins('key', 'account:y', 60),
        loginsUnderway('key', 'address:x'),
        loginsUnderway('key', 'account:y'),
      ],
      [texts.presence, texts.presenceChanges],
      [`${texts.jobsPrefix}:side-effects:wait`, `${texts.jobsPrefix}:side-effects:active`],
    ];
    return {
      together,
      all: [...together.flat(), rateLimit({ userId: 2, ownerId: 2 }, 60), botOwnerNotice(1)],
    };
  };

  it('puts everything below the prefix', () => {
    const { all } = namesOn(false);
    expect(new Set(all).size).toBe(all.length);
    expect(all.every((name) => name.startsWith('p:'))).toBe(true);
  });

  it('puts keys that are used together into one slot of a cluster, and spreads the rest', () => {
    const { all, together } = namesOn(true);
    expect(new Set(all).size).toBe(all.length);
    expect(all.every((name) => /^\{?p:/.test(name))).toBe(true);
    // The hash covers the part in the first braces, or the whole name (Redis cluster specification, hash tags).
    const slotted = (name: string): string => /\{([^}]+)\}/.exec(name)?.[1] ?? name;
    for (const names of together) expect(new Set(names.map(slotted)).size).toBe(1);
    expect(new Set(all.map(slotted)).size).toBe(together.length + 2);
  });

  it('changes no name without a cluster, so that an upgrade loses nothing', () => {
    const names = keyNames('p', { isCluster: false });
    expect(names).toMatchObject({
      presence: 'p:presence',
      presenceChanges: 'p:presence-changes',
      jobsPrefix: 'p:jobs',
    });
    expect([
      names.rateLimit(person, 60),
      names.failedLogins('key', 'address:x', 60),
      names.loginsUnderway('key', 'address:x'),
      names.botOwnerNotice(1),
    ]).toEqual([
      'p:rate:1:60',
      'p:failed-logins:key:address:x:60',
      'p:logins-underway:key:address:x',
      'p:bot-owner-notice:1',
    ]);
  });
});
