/** Rate limits at two gateways that share a count (reference facts, people 6). */
import type { IncomingHttpHeaders } from 'node:http';

import { limits } from '@parley/api';
import { ApiClient, waitUntil } from '@parley/test-kit';
import type { Answer } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { sendRaw } from '../support/send-raw.ts';
import { ScimClient, scimError } from './scim-client.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey, SmallOrganization } from './small-organization.ts';

type RefusedAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
};

const requestsMax = 200;
const answerDeadlineMs = 30_000;

/** The members of every refusal, for every limit (reference facts, people 6). */
function expectRateLimited(answer: RefusedAnswer, countMax: number): void {
  const { status, headers, body } = answer;
  expect([status, body]).toEqual([
    429,
    {
      result: 'error',
      msg: 'API usage exceeded rate limit',
      'retry-after': expect.any(Number) as number,
    },
  ]);
  const waitSecs = Number(headers['retry-after']);
  expect(waitSecs).toBeGreaterThan(0);
  expect(waitSecs).toBeLessThanOrEqual(60);
  expect(body).toHaveProperty('retry-after', waitSecs);
  expect(headers).toMatchObject({
    'x-ratelimit-limit': String(countMax),
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
  });
  expect(Number(headers['x-ratelimit-reset'])).toBeGreaterThan(Date.now() / 1000 - 1);
  expect(headers).not.toHaveProperty('x-ratelimit-remaining');
}

describe('two requests of a SCIM token a minute', () => {
  let organization: SmallOrganization;
  beforeAll(async () => {
    organization = await startSmallOrganization({
      gateways: 2,
      subscriptions: 0,
      gatewaySettings: { PARLEY_RATE_LIMITS: '60:200', PARLEY_SCIM_LIMITS: '60:2' },
    });
  });
  afterAll(() => organization.stop());

  test('are counted for it over all gateways, and refused in the form of SCIM', async () => {
    const scim = await ScimClient.open(organization);
    const other = await ScimClient.open(organization, 'other');
    const answers = [await scim.get('/Users'), await scim.get('/Users'), await scim.get('/Users')];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[2]?.body).toEqual(scimError(429, 'API usage exceeded rate limit'));
    expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await other.get('/Users')).status).toBe(200);
  });
});

describe('two hundred requests a minute', () => {
  let organization: SmallOrganization;
  beforeAll(async () => {
    organization = await startSmallOrganization({
      gateways: 2,
      subscriptions: 0,
      messages: 1,
      // The default limit, which test clusters switch off.
      gatewaySettings: { PARLEY_RATE_LIMITS: '60:200' },
    });
  });
  afterAll(() => organization.stop());

  /** Uses the gateways in turn. */
  function ask(who: PersonKey, path = 'users/me'): Promise<Answer> {
    return organization.client(who).request('GET', path);
  }

  test('are accepted by both gateways together, with a decreasing remainder; the next one is refused', async () => {
    const client = organization.client('bob');
    const nowSecs = organization.cluster.settings.clock.nowMs() / 1000;
    const remaining: number[] = [];
    for (let count = 0; count < requestsMax; count += 1) {
      const { status, headers } = await client.request('GET', 'users/me');
      expect([status, headers['x-ratelimit-limit']]).toEqual([200, String(requestsMax)]);
      expect(headers).not.toHaveProperty('retry-after');
      const reset = Number(headers['x-ratelimit-reset']);
      expect(reset).toBeGreaterThanOrEqual(Math.floor(nowSecs + 60));
      expect(reset).toBeLessThanOrEqual(Math.ceil(nowSecs + 61));
      remaining.push(Number(headers['x-ratelimit-remaining']));
    }
    expect(remaining).toEqual(Array.from({ length: requestsMax }, (_, n) => requestsMax - 1 - n));
    for (const url of organization.gatewayUrls) {
      const { user, apiKey } = organization.accounts.bob;
      const one = new ApiClient({ urls: [url], email: user.email, apiKey });
      expectRateLimited(await one.request('GET', 'users/me'), requestsMax);
    }
  });

  test('are counted separately for a bot and its owner, and for each user', async () => {
    expect((await ask('bob')).status).toBe(429);
    for (const who of ['bobBot', 'cat'] as const)
      expect((await ask(who)).headers['x-ratelimit-remaining']).toBe(String(requestsMax - 1));
  });

  test('count as several where they take as much work, and so do long answers', async () => {
    const cat = organization.client('cat');
    const before = Number((await ask('cat')).headers['x-ratelimit-remaining']);
    const { headers } = await cat.request('POST', 'register', { fetch_event_types: ['pointer'] });
    expect(headers['x-ratelimit-remaining']).toBe(String(before - 5));
    const note = await cat.sendPrivately(['cat@example.com'], 'long');
    await organization.pool.query(
      `UPDATE messages SET content = repeat('x', 3 * 1024 * 1024) WHERE id = $1`,
      [note],
    );
    await cat.get('messages', { anchor: note, num_before: 0, num_after: 0, apply_markdown: false });
    let asked = 0;
    await waitUntil('the answer is counted', async () => {
      asked += 1;
      // Register, send, page and its three MiB.
      const used = 5 + 1 + 1 + 3 + asked;
      return (await ask('cat')).headers['x-ratelimit-remaining'] === String(before - used);
    });
  });

  test('include those that the service refuses, and exclude those without a known user', async () => {
    const before = Number((await ask('gil')).headers['x-ratelimit-remaining']);
    expect((await ask('gil', 'messages')).headers['x-ratelimit-remaining']).toBe(
      String(before - 1),
    );
    const stranger = organization.client('gil', 'x'.repeat(32));
    const refused = await stranger.request('GET', 'users/me');
    expect([refused.status, refused.headers['x-ratelimit-limit']]).toEqual([401, undefined]);
    expect((await ask('gil', 'nothing')).status).toBe(404);
    expect((await ask('gil')).headers['x-ratelimit-remaining']).toBe(String(before - 2));
  });

  test('have the remainder in answers of services and in refusals of the gateway', async () => {
    const before = Number((await ask('gil')).headers['x-ratelimit-remaining']);
    const { user, apiKey } = organization.accounts.gil;
    const { status, headers } = await sendRaw(
      organization.url,
      {
        method: 'POST',
        path: '/api/v1/messages',
        headers: {
          authorization: `Basic ${Buffer.from(`${user.email}:${apiKey}`).toString('base64')}`,
          'content-length': String(limits.bodyMaxBytes + 1),
          // The body itself is never sent.
          connection: 'close',
        },
        body: undefined,
      },
      answerDeadlineMs,
    );
    expect([status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual([
      413,
      String(requestsMax),
      String(before - 1),
    ]);
  });

  test('are checked before role and parameters', async () => {
    const { status } = await organization.client('bob').request('POST', 'users');
    expect(status).toBe(429);
  });

  test('exclude endpoints without credentials', async () => {
    const settings = await organization.client('bob').request('GET', 'server_settings');
    expect([settings.status, settings.headers['x-ratelimit-limit']]).toEqual([200, undefined]);
  });

  test('exclude files and pictures, which have five times as many together', async () => {
    const { apiKey } = organization.accounts.bob;
    const paths = ['avatar/bob@example.com?', 'thumbnail?url=x&size=full&', 'user_uploads/1/x?'];
    const remaining: unknown[] = [];
    for (const [index, path] of paths.entries()) {
      const url = organization.gatewayUrls[index % 2];
      const { status, headers } = await fetch(`${url}/${path}api_key=${apiKey}`, {
        redirect: 'manual',
      });
      expect(status).not.toBe(429);
      remaining.push(headers.get('x-ratelimit-remaining'));
    }
    expect(remaining).toEqual(['999', '998', '997']);
  });
});

describe('requests of an owner and his bots together', () => {
  let organization: SmallOrganization;
  beforeAll(async () => {
    organization = await startSmallOrganization({
      gateways: 2,
      subscriptions: 0,
      gatewaySettings: { PARLEY_RATE_LIMITS: '60:10', PARLEY_BUDGETS_PER_OWNER_MAX: '2' },
    });
  });
  afterAll(() => organization.stop());

  test('a file beyond the limit of files is refused, and nothing else is', async () => {
    const { apiKey } = organization.accounts.cat;
    const show = (): Promise<Response> =>
      fetch(`${organization.url}/user_uploads/1/x?api_key=${apiKey}`);
    for (let count = 0; count < 50; count += 1) expect((await show()).status).toBe(404);
    const refused = await show();
    expect([refused.status, refused.headers.get('x-ratelimit-limit')]).toEqual([429, '50']);
    expect((await organization.client('cat').request('GET', 'users/me')).status).toBe(200);
  });

  test("have a multiple of one account's limit, over all gateways; webhooks count too, other users do not", async () => {
    const ask = async (who: PersonKey): Promise<Answer> =>
      organization.client(who).request('GET', 'users/me');
    for (let count = 0; count < 10; count += 1) expect((await ask('bob')).status).toBe(200);
    for (let count = 0; count < 4; count += 1) expect((await ask('bobBot')).status).toBe(200);
    const { headers } = await ask('bobBot');
    expect([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual(['10', '5']);
    // The organization does not use this integration, but the requests count.
    const { apiKey } = organization.accounts.hookBot;
    const hook = (): Promise<Response> =>
      fetch(`${organization.url}/api/v1/external/github?api_key=${apiKey}`, {
        method: 'POST',
      });
    for (let count = 0; count < 4; count += 1) expect((await hook()).status).not.toBe(429);
    const last = await ask('bobBot');
    expect([last.status, last.headers['x-ratelimit-limit']]).toEqual([200, '20']);
    expectRateLimited(await ask('bobBot'), 20);
    expect((await hook()).status).toBe(429);
    expect((await ask('cat')).status).toBe(200);
  });
});

describe('ten failed logins a minute', () => {
  let organization: SmallOrganization;
  beforeAll(async () => {
    organization = await startSmallOrganization({
      gateways: 2,
      people: 2,
      presence: 0,
      subscriptions: 0,
      // The limit of failed logins is the default; clients are distinguished as behind a proxy.
      gatewaySettings: { PARLEY_RATE_LIMITS: '60:1000', PARLEY_TRUSTED_PROXIES: '127.0.0.1' },
    });
  });
  afterAll(() => organization.stop());

  type Given = { readonly username: string; readonly password: string };

  let requests = 0;
  /** Uses the gateways in turn. */
  function ask(path: string, address: string, init: RequestInit): Promise<Response> {
    const urls = organization.gatewayUrls;
    requests += 1;
    return fetch(`${urls[requests % urls.length]}/api/v1/${path}`, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), 'X-Forwarded-For': address },
    });
  }

  function logIn(address: string, given: Given): Promise<Response> {
    return ask('fetch_api_key', address, {
      method: 'POST',
      body: new URLSearchParams({ ...given }),
    });
  }

  function callWithKey(address: string, email: string, apiKey: string): Promise<Response> {
    const encoded = Buffer.from(`${email}:${apiKey}`).toString('base64');
    return ask('users/me', address, { headers: { Authorization: `Basic ${encoded}` } });
  }

  async function expectRefusal(answer: Response): Promise<void> {
    const headers = Object.fromEntries(answer.headers);
    expectRateLimited({ status: answer.status, headers, body: await answer.json() }, 10);
  }

  const statusesOf = async (answers: readonly Promise<Response>[]): Promise<number[]> =>
    (await Promise.all(answers)).map(({ status }) => status).toSorted((a, b) => a - b);

  const times = (count: number, status: number): number[] =>
    Array.from({ length: count }, () => status);
  const tenThenRefusals = (status: number): number[] => [...times(10, status), ...times(20, 429)];

  test('do not lock out others: right passwords from the same address are accepted, during and after wrong ones', async () => {
    const address = '192.0.2.1';
    const right = { username: 'ann@example.com', password: 'ann-secret' };
    const guesses = Array.from({ length: 3 }, (_, n) =>
      logIn(address, { username: `nobody${n}@example.com`, password: 'wrong' }),
    );
    const ofOne = Array.from({ length: 13 }, () =>
      logIn(address, { username: 'nobody@example.com', password: 'wrong' }),
    );
    expect((await logIn(address, right)).status).toBe(200);
    expect(await statusesOf(guesses)).toEqual(times(3, 403));
    expect(await statusesOf(ofOne)).toEqual([...times(10, 403), ...times(3, 429)]);
    expect((await logIn(address, right)).status).toBe(200);
  });

  test('are the limit of one account by password, from any address, in any spelling', async () => {
    const spellings = ['bob@example.com', 'BOB@Example.com', ' bob@example.com'];
    const guesses = Array.from({ length: 30 }, (_, n) =>
      logIn(`198.51.100.${n}`, { username: spellings[n % 3] ?? '', password: `guess ${n}` }),
    );
    expect(await statusesOf(guesses)).toEqual(tenThenRefusals(403));
    await expectRefusal(
      await logIn('192.0.2.3', { username: 'bob@example.com', password: 'bob-secret' }),
    );
    // Other clients' failures do not lock out a user with a key.
    const { user, apiKey } = organization.accounts.bob;
    expect((await callWithKey('192.0.2.3', user.email, apiKey)).status).toBe(200);
  });

  test('do not change the answers that others at the same address get for their keys', async () => {
    const address = '192.0.2.4';
    const guesses = Array.from({ length: 30 }, (_, n) =>
      callWithKey(address, `user${n}@example.com`, String(n).padStart(32, 'x')),
    );
    expect(await statusesOf(guesses)).toEqual(times(30, 401));
    const { user, apiKey } = organization.accounts.cat;
    expect((await callWithKey(address, 'ann@example.com', apiKey)).status).toBe(401);
    expect((await callWithKey(address, user.email, apiKey)).status).toBe(200);
  });

  test('are the limit of one account with wrong keys, from any address', async () => {
    const { user, apiKey } = organization.accounts.gil;
    const guesses = Array.from({ length: 30 }, (_, n) =>
      callWithKey(`203.0.113.${n}`, user.email, String(n).padStart(32, 'y')),
    );
    expect(await statusesOf(guesses)).toEqual(tenThenRefusals(401));
    expect((await callWithKey('192.0.2.5', user.email, apiKey)).status).toBe(200);
  });

  test('do not count people who sign in at once from one address', async () => {
    const right = { username: 'ann@example.com', password: 'ann-secret' };
    const logins = Array.from({ length: 15 }, () => logIn('192.0.2.6', right));
    expect(await statusesOf(logins)).toEqual(times(15, 200));
  });
});

describe('limits that are off', () => {
  let organization: SmallOrganization;
  beforeAll(async () => {
    organization = await startSmallOrganization({
      subscriptions: 0,
      gatewaySettings: { PARLEY_RATE_LIMITS: 'off', PARLEY_LOGIN_LIMITS: '60:1' },
    });
  });
  afterAll(() => organization.stop());

  test('count no failed logins either', async () => {
    for (let count = 0; count < 12; count += 1) {
      const given = { username: 'ann@example.com', password: 'wrong' };
      const { status } = await organization.client().request('POST', 'fetch_api_key', given);
      expect(status).toBe(403);
      const stranger = organization.client('gil', 'x'.repeat(32));
      expect((await stranger.request('GET', 'users/me')).status).toBe(401);
    }
  });
});

describe('while Redis is away', () => {
  let organization: SmallOrganization;
  beforeAll(async () => {
    organization = await startSmallOrganization({
      subscriptions: 0,
      redisUrl: 'redis://127.0.0.1:1',
      gatewaySettings: { PARLEY_RATE_LIMITS: '60:2', PARLEY_LOGIN_LIMITS: '60:1' },
    });
  });
  afterAll(() => organization.stop());

  test('every request passes uncounted', async () => {
    const client = organization.client('bob');
    // Without hints the gateway finds the services at its next regular check.
    await waitUntil('the service is found', async () => {
      const { status } = await client.request('GET', 'users/me');
      return status === 200;
    });
    for (let count = 0; count < 5; count += 1) {
      const { status, headers } = await client.request('GET', 'users/me');
      expect([status, headers['x-ratelimit-limit']]).toEqual([200, undefined]);
    }
  });

  test('every login is checked', async () => {
    for (let count = 0; count < 3; count += 1) {
      const given = { username: 'ann@example.com', password: 'wrong' };
      const { status } = await organization.client().request('POST', 'fetch_api_key', given);
      expect(status).toBe(403);
      const stranger = organization.client('gil', 'x'.repeat(32));
      expect((await stranger.request('GET', 'users/me')).status).toBe(401);
    }
  });
});
