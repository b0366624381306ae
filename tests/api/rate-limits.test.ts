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
    const { status, headers } = await sendRaw(organization.url, {
      method: 'POST',
      path: '/api/v1/messages',
      headers: {
        ...organization.client('gil').credentials,
        'content-length': String(limits.bodyMaxBytes + 1),
        // The body itself is never sent.
        connection: 'close',
      },
      body: undefined,
    });
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

describe('requests of a bot owner and their bots together', () => {
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
