import { once } from 'node:events';

import { connectForRequests, keyNames } from '@parley/cluster/redis';
import type { Redis } from '@parley/cluster/redis';
import { MovedClock } from '@parley/clock';
import { Secret } from '@parley/config';
import { createLogger } from '@parley/telemetry/logging';
import { RateLimiter } from '@parley/server';
import type { RateLimiterOptions } from '@parley/server';
import { createRedisPrefix, getTestStores } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { GatewayUnderTest, authorization } from './support/gateway-under-test.ts';
import type { TestUser } from './support/gateway-under-test.ts';

describe('through the gateway', () => {
  let gateway: GatewayUnderTest;

  beforeAll(async () => {
    gateway = await GatewayUnderTest.start({ PARLEY_RATE_LIMITS: '3600:3' });
    await gateway.addUpstream('people');
  });

  afterAll(async () => {
    await gateway.stop();
  });

  const call = (user: TestUser): Promise<Response> =>
    fetch(`${gateway.url}/api/v1/users`, { headers: authorization(user) });

  it('counts down, then refuses, separately for each user', async () => {
    const user = await gateway.addUser();
    for (const remaining of ['2', '1', '0']) {
      const answer = await call(user);
      expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([
        200,
        remaining,
      ]);
    }
    expect((await call(user)).status).toBe(429);
    expect(await gateway.metric('parley_gateway_rate_limited_total')).toBe(1);
    expect((await call(await gateway.addUser())).status).toBe(200);
  });
});

describe('RateLimiter', () => {
  const person = { userId: 1, botOwnerId: null };
  const log = createLogger({ service: 'gateway', nodeId: 'test', level: 'fatal' });
  const clock = new MovedClock();
  const connections: Redis[] = [];
  const connect = (url: string): Redis => {
    const redis = connectForRequests(
      { url: new Secret(url), prefix: 'unused', commandTimeoutMs: 5_000 },
      log,
      clock,
    );
    connections.push(redis);
    return redis;
  };
  const connectToStore = async (): Promise<Redis> => {
    const redis = connect(getTestStores().redisUrl);
    await once(redis, 'ready');
    return redis;
  };
  const limiterWith = (
    options: Partial<RateLimiterOptions> & Pick<RateLimiterOptions, 'redis'>,
  ): RateLimiter =>
    new RateLimiter({
      clock,
      keyPrefix: createRedisPrefix(),
      limits: [],
      singleSignOnLimits: [],
      strangerLimits: [],
      scimLimits: [],
      budgetsPerOwnerMax: 2,
      onRefused: () => undefined,
      onUncounted: () => undefined,
      ...options,
    });

  afterAll(() => {
    for (const redis of connections) redis.disconnect();
  });

  it('counts requests without an account for the network of their client', async () => {
    const redis = await connectToStore();
    const keyPrefix = createRedisPrefix();
    const limiter = limiterWith({
      redis,
      keyPrefix,
      strangerLimits: [{ windowSecs: 600, requestsMax: 2 }],
    });
    expect(await limiter.countStranger('192.0.2.1', 'a')).toMatchObject({
      'X-RateLimit-Limit': '2',
      'X-RateLimit-Remaining': '1',
    });
    await limiter.countStranger('192.0.2.1', 'b');
    await expect(limiter.countStranger('192.0.2.1', 'c')).rejects.toMatchObject({ status: 429 });
    expect(await limiter.countStranger('192.0.2.2', 'd')).toMatchObject({
      'X-RateLimit-Remaining': '1',
    });
    // Redis gets no addresses.
    expect((await redis.keys(`${keyPrefix}*`)).filter((key) => key.includes('192.0.2'))).toEqual(
      [],
    );
  });

  it('counts requests of each token of SCIM by limits of their own', async () => {
    const redis = await connectToStore();
    const limiter = limiterWith({
      redis,
      limits: [{ windowSecs: 60, requestsMax: 1 }],
      scimLimits: [{ windowSecs: 60, requestsMax: 2 }],
    });
    await limiter.countScim(1, 'a');
    expect(await limiter.countScim(1, 'b')).toMatchObject({ 'X-RateLimit-Remaining': '0' });
    await expect(limiter.countScim(1, 'c')).rejects.toMatchObject({ status: 429 });
    expect(await limiter.countScim(2, 'd')).toMatchObject({ 'X-RateLimit-Remaining': '1' });
  });

  it('counts sign-ins that a network begins by limits of their own', async () => {
    const redis = await connectToStore();
    const keyPrefix = createRedisPrefix();
    const limiter = limiterWith({
      redis,
      keyPrefix,
      singleSignOnLimits: [{ windowSecs: 60, requestsMax: 2 }],
      strangerLimits: [{ windowSecs: 60, requestsMax: 1 }],
    });
    await limiter.countStranger('192.0.2.7', 'a');
    await limiter.countSignIn('192.0.2.7', 'b');
    expect(await limiter.countSignIn('192.0.2.7', 'c')).toMatchObject({
      'X-RateLimit-Remaining': '0',
    });
    await expect(limiter.countSignIn('192.0.2.7', 'd')).rejects.toMatchObject({ status: 429 });
    await expect(limiter.countStranger('192.0.2.7', 'e')).rejects.toMatchObject({ status: 429 });
    await limiter.countSignIn('192.0.2.8', 'f');
    expect((await redis.keys(`${keyPrefix}*`)).filter((key) => key.includes('192.0.2'))).toEqual(
      [],
    );
  });

  it('applies the strictest of several rules, and does not count refused requests', async () => {
    const redis = await connectToStore();
    let refusedCount = 0;
    const limiter = limiterWith({
      redis,
      limits: [
        { windowSecs: 60, requestsMax: 5 },
        { windowSecs: 3600, requestsMax: 2 },
      ],
      onRefused: () => {
        refusedCount += 1;
      },
    });
    expect(await limiter.count(person, 'a')).toMatchObject({
      'X-RateLimit-Limit': '2',
      'X-RateLimit-Remaining': '1',
    });
    expect(await limiter.count(person, 'b')).toMatchObject({ 'X-RateLimit-Remaining': '0' });
    for (const id of ['c', 'd', 'e', 'f', 'g']) {
      await expect(limiter.count(person, id)).rejects.toMatchObject({ status: 429 });
    }
    expect(refusedCount).toBe(5);
  });

  it('returns when to retry, and accepts the retry', async () => {
    const redis = await connectToStore();
    const limiter = limiterWith({ redis, limits: [{ windowSecs: 60, requestsMax: 2 }] });
    const beganAtSecs = Math.ceil(clock.nowMs() / 1_000);
    await limiter.count(person, 'a');
    await clock.advance(20_000);
    await limiter.count(person, 'b');
    await expect(limiter.count(person, 'c')).rejects.toMatchObject({
      status: 429,
      headers: { 'Retry-After': '40', 'X-RateLimit-Reset': String(beganAtSecs + 80) },
    });
    await clock.advance(39_999);
    await expect(limiter.count(person, 'c')).rejects.toMatchObject({ status: 429 });
    await clock.advance(1);
    expect(await limiter.count(person, 'c')).toMatchObject({ 'X-RateLimit-Remaining': '0' });
  });

  it('counts an owner and the bots together too, and others separately', async () => {
    const redis = await connectToStore();
    const limiter = limiterWith({
      redis,
      limits: [{ windowSecs: 60, requestsMax: 2 }],
    });
    const botOf = (botOwnerId: number, userId: number) => ({ userId, botOwnerId });
    for (const [n, userId] of [11, 12, 11].entries())
      await limiter.count(botOf(1, userId), `bot ${n}`);
    expect(await limiter.count(person, 'own')).toMatchObject({
      'X-RateLimit-Limit': '4',
      'X-RateLimit-Remaining': '0',
    });
    for (const caller of [person, botOf(1, 12), botOf(1, 13)])
      await expect(limiter.count(caller, 'more')).rejects.toMatchObject({
        status: 429,
        headers: { 'X-RateLimit-Limit': '4' },
      });
    expect(await limiter.count(botOf(2, 14), 'other')).toMatchObject({ 'X-RateLimit-Limit': '2' });
  });

  it('permits requests, and reports it, while Redis is down', async () => {
    const redis = connect('redis://127.0.0.1:1');
    let uncounted = 0;
    const limiter = limiterWith({
      redis,
      limits: [{ windowSecs: 60, requestsMax: 1 }],
      onUncounted: () => {
        uncounted += 1;
      },
    });
    expect(await limiter.count(person, 'a')).toEqual({});
    expect(await limiter.count(person, 'b')).toEqual({});
    expect(uncounted).toBe(2);
  });

  it('permits requests, and reports why, if Redis refuses to count', async () => {
    const redis = await connectToStore();
    const keyPrefix = createRedisPrefix();
    await redis.set(
      keyNames(keyPrefix, redis).rateLimit({ userId: 1, ownerId: 1 }, 60),
      'no list of requests',
    );
    const errors: unknown[] = [];
    const limiter = limiterWith({
      redis,
      keyPrefix,
      limits: [{ windowSecs: 60, requestsMax: 1 }],
      onUncounted: (error) => errors.push(error),
    });
    expect(await limiter.count(person, 'a')).toEqual({});
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('WRONGTYPE') as unknown }),
    ]);
  });
});
