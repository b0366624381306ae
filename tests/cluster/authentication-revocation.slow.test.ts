/**
 * After a change of a key or the deactivation of an account, the gateway that gave the answer refuses the key at once, and the
 * other one soon, with and without Redis.
 */
import { TestOrganization, startCluster, startTestRedis, waitUntil } from '@parley/test-kit';
import type { Cluster, TestAccount, TestStore } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { postFreshly } from '../support/browser.ts';
type Login = { readonly email: string; readonly apiKey: string };

let redis: TestStore;
let cluster: Cluster;
let organization: TestOrganization;
let administrator: TestAccount;

beforeAll(async () => {
  redis = await startTestRedis();
  cluster = await startCluster({
    gateways: 2,
    people: 1,
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
  await waitUntil(`the other gateway refuses: ${msg}`, () => isRefused(1), { deadlineMs: 3_000 });
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

describe('revocation through one of two gateways', () => {
  it('takes effect at both', async () => {
    await checkRevocation('Rina With');
  });

  it('takes effect at both while Redis is down', async () => {
    await redis.kill();
    await checkRevocation('Rina Without');
  });
});
