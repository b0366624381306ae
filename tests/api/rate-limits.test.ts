/** Rate limits at two gateways that share a count (reference facts, people 6). */
import { ApiClient, waitUntil } from '@parley/test-kit';
import type { Answer } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey, SmallOrganization } from './small-organization.ts';

const requestsMax = 200;

describe('two hundred requests a minute', () => {
  let organization: SmallOrganization;
  beforeAll(async () => {
    organization = await startSmallOrganization({
      gateways: 2,
      subscriptions: 0,
      messages: 1,
      // The default, which test clusters switch off.
      environment: { PARLEY_RATE_LIMITS: '60:200' },
    });
  });
  afterAll(() => organization.stop());

  /** Asks one gateway after the other. */
  function ask(who: PersonKey, path = 'users/me'): Promise<Answer> {
    return organization.client(who).request('GET', path);
  }

  test('are accepted by both gateways together, with a falling rest; the next one is refused', async () => {
    const client = organization.client('bob');
    const startedAtSecs = Date.now() / 1000;
    const remaining: number[] = [];
    for (let count = 0; count < requestsMax; count += 1) {
      const { status, headers } = await client.request('GET', 'users/me');
      expect([status, headers['x-ratelimit-limit']]).toEqual([200, String(requestsMax)]);
      expect(headers).not.toHaveProperty('retry-after');
      const reset = Number(headers['x-ratelimit-reset']);
      expect(reset).toBeGreaterThanOrEqual(Math.floor(startedAtSecs + 60));
      expect(reset).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000 + 61));
      remaining.push(Number(headers['x-ratelimit-remaining']));
    }
    expect(remaining).toEqual(Array.from({ length: requestsMax }, (_, n) => requestsMax - 1 - n));
    for (const url of organization.cluster.gatewayUrls) {
      const { user, apiKey } = organization.accounts.bob;
      const one = new ApiClient({ urls: [url], email: user.email, apiKey });
      const { status, headers, body } = await one.request('GET', 'users/me');
      expect([status, body]).toEqual([
        429,
        {
          result: 'error',
          msg: 'API usage exceeded rate limit',
          'retry-after': expect.any(Number) as number,
        },
      ]);
      expect(Number(body['retry-after'])).toBeGreaterThan(0);
      expect(Number(body['retry-after'])).toBeLessThanOrEqual(60);
      expect(headers['retry-after']).toBe(String(body['retry-after']));
      expect(headers).toMatchObject({
        'x-ratelimit-limit': String(requestsMax),
        'x-ratelimit-reset': expect.any(String) as string,
        'content-type': 'application/json',
        'access-control-allow-origin': '*',
      });
      expect(headers).not.toHaveProperty('x-ratelimit-remaining');
    }
  });

  test('are counted for a bot apart from its owner, and for each user apart', async () => {
    expect((await ask('bob')).status).toBe(429);
    for (const who of ['bobBot', 'cat'] as const)
      expect((await ask(who)).headers['x-ratelimit-remaining']).toBe(String(requestsMax - 1));
  });

  test('include those that the service refuses, and not those that nobody is known by', async () => {
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

  test('come before the role and the parameters', async () => {
    const { status } = await organization.client('bob').request('POST', 'users');
    expect(status).toBe(429);
  });

  test('do not include what needs no credentials, nor files and pictures', async () => {
    const settings = await organization.client('bob').request('GET', 'server_settings');
    expect([settings.status, settings.headers['x-ratelimit-limit']]).toEqual([200, undefined]);
    const { apiKey } = organization.accounts.bob;
    for (const path of ['avatar/bob@example.com', 'thumbnail?url=x&size=full']) {
      const [url] = organization.cluster.gatewayUrls;
      const separator = path.includes('?') ? '&' : '?';
      const { status, headers } = await fetch(`${url}/${path}${separator}api_key=${apiKey}`, {
        redirect: 'manual',
      });
      expect(status).not.toBe(429);
      expect(headers.has('x-ratelimit-limit')).toBe(false);
    }
  });
});

describe('while Redis is away', () => {
  let organization: SmallOrganization;
  beforeAll(async () => {
    organization = await startSmallOrganization({
      subscriptions: 0,
      redisUrl: 'redis://127.0.0.1:1',
      environment: { PARLEY_RATE_LIMITS: '60:2' },
    });
  });
  afterAll(() => organization.stop());

  test('every request passes, uncounted', async () => {
    const client = organization.client('bob');
    // Without hints the gateway learns of the services when it next looks.
    await waitUntil('the service is found', async () => {
      const { status } = await client.request('GET', 'users/me');
      return status === 200;
    });
    for (let count = 0; count < 5; count += 1) {
      const { status, headers } = await client.request('GET', 'users/me');
      expect([status, headers['x-ratelimit-limit']]).toEqual([200, undefined]);
    }
  });
});
