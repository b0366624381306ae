/**
 * A session that ends at one of two gateways: the other one refuses it within a second, also without Redis, and polls and streams that either
 * of them holds for it end.
 */
import { TestOrganization, startCluster, startTestRedis, waitUntil } from '@parley/test-kit';
import type { Cluster, TestStore } from '@parley/test-kit';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Browser } from '../support/browser.ts';
import type { BrowserAnswer } from '../support/browser.ts';

let redis: TestStore;
let cluster: Cluster;
let organization: TestOrganization;

beforeAll(async () => {
  redis = await startTestRedis();
  cluster = await startCluster({
    gateways: 2,
    people: 2,
    presence: 0,
    events: 1,
    messages: 0,
    subscriptions: 0,
    redisUrl: redis.url,
  });
  organization = await TestOrganization.create(cluster.settings, () => cluster.gatewayUrls);
}, 120_000);

afterAll(async () => {
  await organization?.[Symbol.asyncDispose]();
  await cluster?.stop();
  await redis?.stop().catch(() => undefined);
});

function browserAt(gateway: number, cookie?: string): Browser {
  return new Browser(cluster.gatewayUrls[gateway] ?? '', cookie);
}

async function register(browser: Browser): Promise<string> {
  const { body } = await browser.call('POST', 'register', { form: { fetch_event_types: '[]' } });
  return `queue_id=${String(body['queue_id'])}&last_event_id=${String(body['last_event_id'])}`;
}

async function readToEnd(answer: IncomingMessage): Promise<string> {
  answer.setEncoding('utf8');
  let text = '';
  for await (const part of answer) text += String(part);
  return text;
}

/** What a browser has open at both gateways. */
type Held = {
  readonly polls: readonly Promise<BrowserAnswer>[];
  readonly streams: readonly Promise<string>[];
};

async function holdAtBoth(cookie: string | undefined): Promise<Held> {
  const both = [browserAt(0, cookie), browserAt(1, cookie)];
  const pollQueries = await Promise.all(both.map(register));
  const streamQueries = await Promise.all(both.map(register));
  const streams = await Promise.all(
    both.map((browser, n) => browser.open('GET', `events/stream?${streamQueries[n]}`)),
  );
  expect(streams.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  const polls = both.map((browser, n) => browser.call('GET', `events?${pollQueries[n]}`));
  await waitUntil('both gateways hold a poll', async () => {
    const held = await Promise.all(
      cluster
        .findProcesses('gateway')
        .map((gateway) => gateway.readMetric('parley_gateway_held_polls')),
    );
    return held.every((count) => count === 1);
  });
  return { polls, streams: streams.map(readToEnd) };
}

async function checkEnds(email: string): Promise<void> {
  const browser = browserAt(0);
  const { body } = await browser.signIn(email);
  const other = browserAt(1);
  await other.signIn(email);
  const ended = await holdAtBoth(browser.cookie);
  const atOther = browserAt(1, browser.cookie);
  expect((await atOther.call('GET', 'users/me')).status).toBe(200);
  const path = `sessions/${String(body['session_id'])}`;
  expect((await browserAt(0, browser.cookie).call('DELETE', path)).status).toBe(200);
  expect((await browserAt(0, browser.cookie).call('GET', 'users/me')).status).toBe(401);
  await waitUntil(
    'the other gateway refuses the session',
    async () => (await atOther.call('GET', 'users/me')).status === 401,
    { deadlineMs: 3_000 },
  );
  for (const { status, headers } of await Promise.all(ended.polls))
    expect([status, headers['www-authenticate']]).toEqual([401, undefined]);
  for (const text of await Promise.all(ended.streams))
    expect(text).toContain('Not logged in: API authentication or user session required');
  expect((await other.call('GET', 'users/me')).status).toBe(200);
}

describe('a session that ends at one of two gateways', () => {
  it('ends at both', async () => {
    const { email } = await organization.makeAccount('Rina With');
    await checkEnds(email);
  });

  it('ends at both while Redis is down', async () => {
    const { email } = await organization.makeAccount('Rina Without');
    await redis.kill();
    await checkEnds(email);
  });
});
