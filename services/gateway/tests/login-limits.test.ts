import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { Secret } from '@parley/config';
import { ApiError } from '@parley/api';
import { MovedClock } from '@parley/clock';
import { createLogger } from '@parley/telemetry/logging';
import { connectForRequests } from '@parley/cluster/redis';
import type { Redis } from '@parley/cluster/redis';
import { createRedisPrefix, getTestStores, waitUntil } from '@parley/test-kit';
import type { LinkAnswer, ReceivedRequest } from '@parley/server/links';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { LoginLimiter } from '../src/login-limit.ts';
import type {
  LoginAttempt,
  KeyLogin,
  LoginLimiterOptions,
  PasswordLogin,
} from '../src/login-limit.ts';
import {
  GatewayUnderTest,
  answerOf,
  authorization,
  formFieldOf,
  success,
} from './support/gateway-under-test.ts';
import type { Upstream } from './support/gateway-under-test.ts';

const log = createLogger({ service: 'gateway', nodeId: 'test', level: 'fatal' });

function connect(url: string, clock = new MovedClock()): Redis {
  return connectForRequests(
    { url: new Secret(url), prefix: 'unused', commandTimeoutMs: 5_000 },
    log,
    clock,
  );
}

function newRequestId(): string {
  return randomBytes(8).toString('hex');
}

function login(account = 'RINA@EXAMPLE.COM'): PasswordLogin {
  return { kind: 'password', account, requestId: newRequestId() };
}

function keyLogin(change: Partial<KeyLogin> = {}): KeyLogin {
  return {
    kind: 'key',
    account: 'RINA@EXAMPLE.COM',
    address: '192.0.2.1',
    requestId: newRequestId(),
    ...change,
  };
}

function isRefusal(outcome: PromiseSettledResult<unknown>): boolean {
  return (
    outcome.status === 'rejected' &&
    outcome.reason instanceof ApiError &&
    outcome.reason.status === 429
  );
}

describe('LoginLimiter', () => {
  const connections: Redis[] = [];
  let clock: MovedClock;
  let keyPrefix = '';
  let counts = { failed: 0, refused: 0, uncounted: 0 };

  /** Limiters of several gateways: a connection each, one Redis. */
  async function makeLimiter(change: Partial<LoginLimiterOptions> = {}): Promise<LoginLimiter> {
    const redis = connect(getTestStores().redisUrl);
    connections.push(redis);
    await once(redis, 'ready');
    return new LoginLimiter({
      clock,
      redis,
      keyPrefix,
      limits: [{ windowSecs: 60, requestsMax: 10 }],
      attemptMaxMs: 15_000,
      onFailed: () => (counts.failed += 1),
      onRefused: () => (counts.refused += 1),
      onUncounted: () => (counts.uncounted += 1),
      ...change,
    });
  }

  /** Starts a login as soon as the others that are being judged leave a slot. */
  async function begin(limiter: LoginLimiter, account?: string): Promise<LoginAttempt> {
    for (;;) {
      const attempt = await limiter.begin(login(account));
      if (attempt !== undefined) return attempt;
      await nextTurn();
    }
  }

  async function fail(limiter: LoginLimiter, account?: string): Promise<void> {
    await (await begin(limiter, account)).end('failed');
  }

  async function keys(): Promise<string[]> {
    const found = await connections[0]?.keys(`${keyPrefix}:*`);
    return found ?? [];
  }

  afterEach(() => {
    for (const redis of connections.splice(0)) redis.disconnect();
    counts = { failed: 0, refused: 0, uncounted: 0 };
    keyPrefix = '';
  });

  async function twoLimiters(
    change: Partial<LoginLimiterOptions> = {},
  ): Promise<[LoginLimiter, LoginLimiter]> {
    keyPrefix = createRedisPrefix();
    clock = new MovedClock();
    return [await makeLimiter(change), await makeLimiter(change)];
  }

  it('checks exactly ten wrong passwords of a flood at two gateways', async () => {
    const limiters = await twoLimiters();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, n) => fail(limiters[n % 2] ?? limiters[0])),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(outcomes.filter(isRefusal)).toHaveLength(50);
    expect(counts).toEqual({ failed: 10, refused: 50, uncounted: 0 });
  });

  it('counts exactly ten wrong keys of such a flood', async () => {
    const limiters = await twoLimiters();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, n) =>
        (limiters[n % 2] ?? limiters[0]).countFailure(keyLogin()),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(outcomes.filter(isRefusal)).toHaveLength(50);
  });

  it('accepts all right passwords of one account, however many come at once', async () => {
    const limiters = await twoLimiters();
    let judged = 0;
    let judgedMost = 0;
    await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const attempt = await begin(limiters[n % 2] ?? limiters[0]);
        judged += 1;
        judgedMost = Math.max(judgedMost, judged);
        await nextTurn();
        judged -= 1;
        await attempt.end('not-failed');
      }),
    );
    expect(judgedMost).toBeLessThanOrEqual(10);
    expect(counts).toEqual({ failed: 0, refused: 0, uncounted: 0 });
    expect(await keys()).toEqual([]);
  });

  it('counts keys with a name for that name, and others for their address', async () => {
    const [limiter] = await twoLimiters({ limits: [{ windowSecs: 60, requestsMax: 3 }] });
    const failKey = (change: Partial<KeyLogin>): Promise<void> =>
      limiter.countFailure(keyLogin(change));
    const refused = { status: 429 };
    // Even if somebody sends wrong keys from that address, another client's wrong key gets the answer that it is wrong.
    for (const account of ['A', 'B', 'C', 'D', 'E']) await failKey({ account });
    for (const end of [2, 3, 4]) await failKey({ address: `192.0.2.${end}`, account: 'F' });
    await expect(failKey({ address: '192.0.2.5', account: 'F' })).rejects.toMatchObject(refused);
    await expect(failKey({ account: 'F' })).rejects.toMatchObject(refused);
    await expect(failKey({ account: undefined })).rejects.toMatchObject(refused);
    for (let n = 0; n < 3; n += 1) await failKey({ address: '192.0.2.6', account: undefined });
    await expect(failKey({ address: '192.0.2.6', account: undefined })).rejects.toMatchObject(
      refused,
    );
  });

  it('counts wrong passwords and wrong keys separately', async () => {
    const [limiter] = await twoLimiters({ limits: [{ windowSecs: 60, requestsMax: 1 }] });
    await fail(limiter);
    await limiter.countFailure(keyLogin());
    await expect(fail(limiter)).rejects.toMatchObject({ status: 429 });
    await expect(limiter.countFailure(keyLogin())).rejects.toMatchObject({ status: 429 });
  });

  it('returns when to retry, and accepts the retry', async () => {
    const [limiter] = await twoLimiters({
      limits: [
        { windowSecs: 3_600, requestsMax: 50 },
        { windowSecs: 60, requestsMax: 2 },
      ],
    });
    const beganAtSecs = Math.ceil(clock.nowMs() / 1_000);
    await fail(limiter);
    await clock.advance(20_000);
    await fail(limiter);
    const refused = {
      status: 429,
      headers: {
        'X-RateLimit-Limit': '2',
        'Retry-After': '40',
        'X-RateLimit-Reset': String(beganAtSecs + 80),
      },
    };
    await expect(fail(limiter)).rejects.toMatchObject(refused);
    await clock.advance(39_999);
    await expect(fail(limiter)).rejects.toMatchObject({ status: 429 });
    await clock.advance(1);
    await fail(limiter);
  });

  it('permits an early retry if others hold the last places', async () => {
    const [limiter] = await twoLimiters({ limits: [{ windowSecs: 60, requestsMax: 1 }] });
    const attempt = await limiter.begin(login());
    expect(await limiter.begin(login())).toBeUndefined();
    await attempt?.end('not-failed');
    await (await limiter.begin(login()))?.end('not-failed');
    expect(counts).toEqual({ failed: 0, refused: 0, uncounted: 0 });
  });

  it('frees the places of a gateway that died', async () => {
    const [limiter] = await twoLimiters({
      limits: [{ windowSecs: 60, requestsMax: 2 }],
    });
    await limiter.begin(login());
    await limiter.begin(login());
    await clock.advance(14_999);
    expect(await limiter.begin(login())).toBeUndefined();
    await clock.advance(1);
    expect(await limiter.begin(login())).toBeDefined();
    expect(counts.refused).toBe(0);
  });

  it('leaves nothing lasting in Redis, and nothing for refused logins', async () => {
    const [limiter] = await twoLimiters();
    await Promise.allSettled(Array.from({ length: 30 }, () => fail(limiter)));
    await limiter.begin(login('x'.repeat(10_000)));
    // Invented names with wrong keys leave at most as many entries as their address may have.
    for (let n = 0; n < 30; n += 1) await limiter.countFailure(keyLogin({ account: `y${n}` }));
    const names = await keys();
    // Failures of an account, a running attempt, and wrong keys of ten accounts and their address.
    expect(names).toHaveLength(13);
    for (const name of names) {
      expect(await connections[0]?.pttl(name)).toBeGreaterThan(0);
      expect(name.length).toBeLessThan(120);
    }
  });

  it('permits logins, and reports it, while Redis is down or no limit is set', async () => {
    const away = connect('redis://127.0.0.1:1');
    connections.push(away);
    const options = {
      clock: new MovedClock(),
      redis: away,
      keyPrefix: 'away',
      attemptMaxMs: 1_000,
      onFailed: () => undefined,
      onRefused: () => undefined,
      onUncounted: () => (counts.uncounted += 1),
    };
    const limiter = new LoginLimiter({ ...options, limits: [{ windowSecs: 60, requestsMax: 1 }] });
    for (let count = 0; count < 3; count += 1) {
      await fail(limiter);
      await limiter.countFailure(keyLogin());
    }
    expect(counts.uncounted).toBe(6);
    const unlimited = new LoginLimiter({ ...options, limits: [] });
    await fail(unlimited);
    await unlimited.countFailure(keyLogin());
    expect(counts.uncounted).toBe(6);
  });

  it('permits logins, and reports why, if Redis refuses to count', async () => {
    const errors: unknown[] = [];
    const limiter = await makeLimiter({ onUncounted: (error) => errors.push(error) });
    await limiter.begin(login());
    await limiter.countFailure(keyLogin());
    const [redis] = connections;
    for (const name of await keys()) await redis?.set(name, 'no attempts');
    await fail(limiter);
    await limiter.countFailure(keyLogin());
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('WRONGTYPE') as unknown }),
      expect.objectContaining({ message: expect.stringContaining('WRONGTYPE') as unknown }),
    ]);
  });
});

describe('through the gateway', () => {
  let gateway: GatewayUnderTest;
  let people: Upstream;
  /** Logins that reached the service and wait for its answer. */
  const held: {
    readonly request: ReceivedRequest;
    readonly answer: (answer: LinkAnswer) => void;
  }[] = [];
  const wrong = { result: 'error', msg: 'Your username or password is incorrect.' };

  beforeAll(async () => {
    gateway = await GatewayUnderTest.start({
      PARLEY_RATE_LIMITS: '60:1000',
      PARLEY_LOGIN_LIMITS: '3600:3',
      PARLEY_TRUSTED_PROXIES: '127.0.0.0/8',
    });
    people = await gateway.addUpstream('people', (request, tell) => {
      const password = formFieldOf(request, 'old_password') ?? formFieldOf(request, 'password');
      if (password === 'held') {
        held.push({ request, answer: tell });
        return undefined;
      }
      if (password === 'none') return answerOf(wrong, 400);
      if (password !== 'wrong') return answerOf({ ...success, api_key: 'x' });
      return answerOf(wrong, formFieldOf(request, 'old_password') === undefined ? 403 : 400);
    });
  });

  afterAll(async () => {
    await gateway.stop();
  });

  const waiting = (count: number) => async (): Promise<boolean> =>
    (await gateway.metric('parley_gateway_waiting_passwords')) === count;

  let lastAddress = 0;
  const newAddress = (): string => `192.0.2.${(lastAddress += 1)}`;

  function logIn(
    address: string,
    username: string,
    password: string,
    signal?: AbortSignal,
  ): Promise<Response> {
    return fetch(`${gateway.url}/api/v1/fetch_api_key`, {
      method: 'POST',
      headers: { 'X-Forwarded-For': address },
      body: new URLSearchParams({ username, password }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  it('refuses a password unchecked, right or wrong, after three failed ones', async () => {
    const address = newAddress();
    for (let count = 0; count < 3; count += 1) {
      expect((await logIn(address, 'd@example.com', 'wrong')).status).toBe(403);
    }
    const seen = people.arrived.length;
    for (const password of ['wrong', 'right']) {
      const refused = await logIn(address, 'd@example.com', password);
      const body = (await refused.json()) as Record<string, unknown>;
      expect([refused.status, body]).toEqual([
        429,
        {
          result: 'error',
          msg: 'API usage exceeded rate limit',
          'retry-after': expect.any(Number) as number,
        },
      ]);
      expect(refused.headers.get('retry-after')).toBe(String(body['retry-after']));
      expect(refused.headers.get('x-ratelimit-limit')).toBe('3');
      expect(refused.headers.has('x-ratelimit-reset')).toBe(true);
      expect(refused.headers.has('x-ratelimit-remaining')).toBe(false);
      expect(refused.headers.get('content-type')).toBe('application/json');
    }
    expect(people.arrived).toHaveLength(seen);
    // Others of the same address are judged.
    for (const user of ['a', 'b', 'c', 'a', 'b']) {
      expect((await logIn(address, `${user}@example.com`, 'wrong')).status).toBe(403);
    }
    expect((await logIn(address, 'a@example.com', 'right')).status).toBe(200);
    expect(await gateway.metric('parley_gateway_failed_logins_total')).toBe(8);
    expect(await gateway.metric('parley_gateway_logins_refused_total')).toBe(2);
  });

  it('checks four of an address at a time, and continues with waiting ones', async () => {
    const address = newAddress();
    const logins = ['j', 'k', 'l', 'm', 'n', 'o'].map((user) =>
      logIn(address, `${user}@example.com`, 'held'),
    );
    await people.until(() => held.length === 4);
    await waitUntil('two wait', waiting(2));
    expect((await logIn(newAddress(), 'a@example.com', 'right')).status).toBe(200);
    for (let count = 0; count < 6; count += 1) {
      await people.until(() => held.length > 0);
      held.shift()?.answer(answerOf(success));
    }
    expect((await Promise.all(logins)).map(({ status }) => status)).toEqual(
      Array.from(logins, () => 200),
    );
  });

  it('refuses a password that is not judged within five seconds', async () => {
    const address = newAddress();
    const logins = ['n1', 'n2', 'n3', 'n4'].map((user) =>
      logIn(address, `${user}@example.com`, 'held'),
    );
    await people.until(() => held.length === 4);
    const late = logIn(address, 'n5@example.com', 'right');
    await waitUntil('it waits', waiting(1));
    await gateway.reachLimit(5_000, 5);
    expect((await late).status).toBe(429);
    for (const { answer } of held.splice(0)) answer(answerOf(success));
    await Promise.all(logins);
  });

  it('refuses a password while others of the account are judged for five seconds', async () => {
    const logins = ['1', '2', '3'].map(() => logIn(newAddress(), 'w@example.com', 'held'));
    await people.until(() => held.length === 3);
    const late = logIn(newAddress(), 'w@example.com', 'right');
    await gateway.untilOpen(4);
    await gateway.catchUp();
    await gateway.advance(4_999);
    expect(await gateway.openRequests()).toBe(4);
    await gateway.advance(1);
    await gateway.untilOpen(3);
    expect((await late).status).toBe(429);
    for (const { answer } of held.splice(0)) answer(answerOf(success));
    await Promise.all(logins);
  });

  it('does not lock out a user whose name others try from the same address', async () => {
    const address = newAddress();
    const guesses = Array.from({ length: 30 }, () => logIn(address, 'p@example.com', 'held'));
    await people.until(() => held.length === 3);
    expect((await logIn(address, 'q@example.com', 'right')).status).toBe(200);
    for (const { answer } of held.splice(0)) answer(answerOf(wrong, 403));
    const statuses = await Promise.all(guesses.map(async (guess) => (await guess).status));
    expect(statuses.filter((status) => status === 403)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(27);
  });

  it('ends the wait of a client that hangs up, without counting a guess', async () => {
    const address = newAddress();
    const logins = ['r', 's', 't', 'u'].map((user) =>
      logIn(address, `${user}@example.com`, 'held'),
    );
    await people.until(() => held.length === 4);
    for (let count = 0; count < 3; count += 1) {
      const controller = new AbortController();
      const gone = logIn(address, 'v@example.com', 'right', controller.signal);
      await waitUntil('it waits', waiting(1));
      controller.abort();
      await expect(gone).rejects.toThrow('abort');
      await waitUntil('it waits no more', waiting(0));
    }
    for (const { answer } of held.splice(0)) answer(answerOf(success));
    await Promise.all(logins);
    expect((await logIn(address, 'v@example.com', 'right')).status).toBe(200);
  });

  it('gives each network where the account signed in a limit of its own, until the password changes', async () => {
    const { email, userId } = await gateway.addUser();
    const other = await gateway.addUser();
    const [home, work] = [newAddress(), newAddress()];
    for (const address of [home, work])
      expect((await logIn(address, email, 'right')).status).toBe(200);
    await gateway.settle();
    for (let count = 0; count < 3; count += 1)
      expect((await logIn(newAddress(), email, 'wrong')).status).toBe(403);
    expect((await logIn(newAddress(), email, 'right')).status).toBe(429);
    expect((await logIn(home, email.toUpperCase(), 'right')).status).toBe(200);
    for (let count = 0; count < 3; count += 1)
      expect((await logIn(home, email, 'wrong')).status).toBe(403);
    expect((await logIn(home, email, 'right')).status).toBe(429);
    expect((await logIn(work, email, 'right')).status).toBe(200);
    // The place is worth nothing for anybody else, whose strangers' limit it shares.
    for (let count = 0; count < 3; count += 1)
      expect((await logIn(newAddress(), other.email, 'wrong')).status).toBe(403);
    expect((await logIn(home, other.email, 'right')).status).toBe(429);
    await gateway.settle();
    await gateway.pool.query("UPDATE users SET password_hash = 'another' WHERE id = $1", [userId]);
    expect((await logIn(work, email, 'right')).status).toBe(429);
  });

  it('gives no limit of its own for a password that is replaced while it is judged', async () => {
    const { email, userId } = await gateway.addUser();
    const address = newAddress();
    const login = logIn(address, email, 'held');
    await people.until(() => held.length === 1);
    await gateway.pool.query("UPDATE users SET password_hash = 'another' WHERE id = $1", [userId]);
    held.pop()?.answer(answerOf(success));
    expect((await login).status).toBe(200);
    await gateway.settle();
    for (let count = 0; count < 3; count += 1)
      expect((await logIn(newAddress(), email, 'wrong')).status).toBe(403);
    expect((await logIn(address, email, 'right')).status).toBe(429);
  });

  it('gives each browser that signed the account in a limit of its own', async () => {
    const { email } = await gateway.addUser();
    const signIn = (password: string, cookie?: string, username = email): Promise<Response> =>
      fetch(`${gateway.url}/api/v1/sessions`, {
        method: 'POST',
        headers: {
          'X-Forwarded-For': newAddress(),
          'Sec-Fetch-Site': 'same-origin',
          ...(cookie !== undefined && { cookie }),
        },
        body: new URLSearchParams({ username, password }),
      });
    const failed = await signIn('wrong');
    expect(failed.headers.getSetCookie()).toEqual([]);
    const [cookie = ''] = (await signIn('right')).headers.getSetCookie();
    expect(cookie).toMatch(
      /^parley-device-\d+=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const [known = ''] = cookie.split(';');
    await gateway.settle();
    const again = await signIn('right', known);
    expect([again.status, again.headers.getSetCookie()]).toEqual([200, []]);
    for (let count = 0; count < 2; count += 1) expect((await signIn('wrong')).status).toBe(403);
    expect((await signIn('right')).status).toBe(429);
    const invented = `${known.split('=')[0] ?? ''}=${'x'.repeat(43)}`;
    for (const strange of [invented, `${known}; ${invented}`])
      expect((await signIn('right', strange)).status).toBe(429);
    expect((await signIn('right', known)).status).toBe(200);
    const { email: other } = await gateway.addUser();
    for (let count = 0; count < 3; count += 1)
      expect((await signIn('wrong', known, other)).status).toBe(403);
    expect((await signIn('right', undefined, other)).status).toBe(429);
    expect((await signIn('right', known, other)).status).toBe(429);
    expect((await signIn('right', known)).status).toBe(200);
  });

  it('counts an account over all addresses, in any spelling', async () => {
    for (const name of ['e@example.com', 'E@Example.COM', ' e@example.com ']) {
      expect((await logIn(newAddress(), name, 'wrong')).status).toBe(403);
    }
    expect((await logIn(newAddress(), 'e@EXAMPLE.com', 'right')).status).toBe(429);
  });

  it('does not count right passwords, nor requests refused before the password is checked', async () => {
    const address = newAddress();
    for (let count = 0; count < 5; count += 1) {
      expect((await logIn(address, 'f@example.com', 'right')).status).toBe(200);
      expect((await logIn(address, 'f@example.com', 'none')).status).toBe(400);
    }
  });

  it('counts a guess if its client hung up before the answer', async () => {
    const address = newAddress();
    for (let count = 1; count <= 3; count += 1) {
      const controller = new AbortController();
      const login = logIn(address, 'g@example.com', 'held', controller.signal);
      await people.until(() => held.length === 1);
      controller.abort();
      await expect(login).rejects.toThrow('abort');
      const upstream = held.pop();
      await people.until(() => upstream?.request.signal.aborted === true);
      await gateway.settle();
    }
    expect((await logIn(address, 'g@example.com', 'right')).status).toBe(429);
  });

  it('counts wrong old passwords of a password change as logins of the account', async () => {
    const user = await gateway.addUser();
    const change = (fields: Record<string, string>): Promise<Response> =>
      fetch(`${gateway.url}/api/v1/settings`, {
        method: 'PATCH',
        headers: { ...authorization(user), 'X-Forwarded-For': newAddress() },
        body: new URLSearchParams(fields),
      });
    const wrongGuess = { old_password: 'wrong', new_password: 'other' };
    for (let count = 0; count < 5; count += 1) {
      expect((await change({ full_name: 'Rina', old_password: 'wrong' })).status).toBe(400);
      expect((await change({ old_password: 'right', new_password: 'other' })).status).toBe(200);
    }
    for (let count = 0; count < 3; count += 1) expect((await change(wrongGuess)).status).toBe(400);
    const seen = people.arrived.length;
    const refused = await change({ old_password: 'right', new_password: 'other' });
    expect([refused.status, refused.headers.get('x-ratelimit-limit')]).toEqual([429, '3']);
    expect(refused.headers.has('x-ratelimit-remaining')).toBe(false);
    expect((await logIn(newAddress(), user.email, 'right')).status).toBe(429);
    expect(people.arrived).toHaveLength(seen);
    expect((await change({ full_name: 'Rina' })).status).toBe(200);
  });

  it('refuses a login above 64 KiB', async () => {
    const answer = await logIn(newAddress(), 'i@example.com', 'x'.repeat(1024 * 1024));
    expect(answer.status).toBe(413);
  });

  it('refuses wrong keys after three, and accepts right ones of the same address and account', async () => {
    const user = await gateway.addUser();
    const address = newAddress();
    const call = (credentials: Record<string, string>): Promise<Response> =>
      fetch(`${gateway.url}/api/v1/users/me`, {
        headers: { ...credentials, 'X-Forwarded-For': address },
      });
    const wrongKeys = ['y'.repeat(32), 'short', 'z'.repeat(32)];
    for (const apiKey of wrongKeys) {
      expect((await call(authorization({ ...user, apiKey }))).status).toBe(401);
    }
    const refused = await call(authorization({ ...user, apiKey: 'y'.repeat(32) }));
    expect([refused.status, refused.headers.get('x-ratelimit-limit')]).toEqual([429, '3']);
    expect(refused.headers.has('www-authenticate')).toBe(false);
    expect((await call(authorization(user))).status).toBe(200);
    // A request without a key, or a fault that is not about the key, is no guess.
    expect((await call({})).status).toBe(401);
    expect((await call({ authorization: 'Basic x' })).status).toBe(401);
    await gateway.changeAccount(user.userId, { isActive: false });
    await gateway.settle();
    expect((await call(authorization(user))).status).toBe(401);
  });

  it('counts keys in queries by their address', async () => {
    const address = newAddress();
    const show = (apiKey: string): Promise<Response> =>
      fetch(`${gateway.url}/avatar/7?api_key=${apiKey}`, {
        headers: { 'X-Forwarded-For': address },
      });
    for (const apiKey of ['y'.repeat(32), 'short', 'z'.repeat(32)]) {
      expect((await show(apiKey)).status).toBe(401);
    }
    expect((await show('y'.repeat(32))).status).toBe(429);
    const user = await gateway.addUser();
    expect((await show(user.apiKey)).status).toBe(200);
  });
});
