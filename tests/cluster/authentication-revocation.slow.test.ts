/**
 * After a change of a key, the deactivation of an account or the end of a session, the gateway that gave the answer refuses at once, and the
 * other one soon, with and without Redis; polls and streams that either of them holds for a session end.
 */
import { TestOrganization, startCluster, startTestRedis, waitUntil } from '@parley/test-kit';
import type { Cluster, TestAccount, TestStore } from '@parley/test-kit';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Browser, postFreshly } from '../support/browser.ts';
import type { BrowserAnswer } from '../support/browser.ts';

type Login = { readonly email: string; readonly apiKey: string };

let redis: TestStore;
let cluster: Cluster;
let organization: TestOrganization;
let administrator: TestAccount;

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
  administrator = await organization.makeAccount('Ada Admin', { role: 'administrator' });
}, 120_000);

afterAll(async () => {
  await organization?.[Symbol.asyncDispose]();
  await cluster?.stop();
  await redis?.stop().catch(() => undefined);
});

async function call(
  gateway: number,
  login: Login,
  method: string,
  path: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${cluster.gatewayUrls[gateway]}/api/v1/${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${login.email}:${login.apiKey}`).toString('base64')}`,
    },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Changes are made through gateway 0. The other one has a second, plus some time for a busy machine. */
async function checkRefusals(login: Login, msg: string): Promise<void> {
  const isRefused = async (gateway: number): Promise<boolean> => {
    const { status, body } = await call(gateway, login, 'GET', 'users/me');
    return status === 401 && body['msg'] === msg;
  };
  expect(await isRefused(0)).toBe(true);
  await waitUntil(`the other gateway refuses: ${msg}`, () => isRefused(1));
}

const gateways = [0, 1] as const;

async function checkRevocation(name: string): Promise<void> {
  const account = await organization.makeAccount(name);
  const old: Login = account;
  for (const gateway of gateways)
    expect((await call(gateway, old, 'GET', 'users/me')).status).toBe(200);
  const { api_key: apiKey } = await postFreshly(
    cluster.gatewayUrls[0] ?? '',
    account.email,
    'users/me/api_key/regenerate',
  );
  const fresh: Login = { email: account.email, apiKey: String(apiKey) };
  await checkRefusals(old, 'Invalid API key');
  for (const gateway of gateways)
    expect((await call(gateway, fresh, 'GET', 'users/me')).status).toBe(200);
  const deactivated = await call(0, administrator, 'DELETE', `users/${account.id}`);
  expect(deactivated.status).toBe(200);
  await checkRefusals(fresh, 'Account is deactivated');
}

function browserAt(gateway: number, cookie?: string): Browser {
  return new Browser(cluster.gatewayUrls[gateway] ?? '', cookie);
}

/** A queue of events that never come, for they would end its polls. */
async function register(browser: Browser): Promise<string> {
  const form = { event_types: '["alert_words"]', fetch_event_types: '[]' };
  const { body } = await browser.call('POST', 'register', { form });
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

async function checkSessionEnds(email: string): Promise<void> {
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
  );
  for (const { status, headers } of await Promise.all(ended.polls))
    expect([status, headers['www-authenticate']]).toEqual([401, undefined]);
  for (const text of await Promise.all(ended.streams))
    expect(text).toContain('Not logged in: API authentication or user session required');
  expect((await other.call('GET', 'users/me')).status).toBe(200);
}

describe('revocation through one of two gateways', () => {
  it('takes effect at both', async () => {
    await checkRevocation('Rina With');
  });

  it('of a session takes effect at both', async () => {
    const { email } = await organization.makeAccount('Sina With');
    await checkSessionEnds(email);
  });

  it('takes effect at both while Redis is down', async () => {
    await redis.kill();
    await checkRevocation('Rina Without');
    const { email } = await organization.makeAccount('Sina Without');
    await checkSessionEnds(email);
  });
});
