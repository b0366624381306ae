/** The behaviour of the gateway in front of real services, as clients see it. */
import { TestOrganization, startLocalCluster } from '@parley/test-kit';
import type { Cluster, TestAccount } from '@parley/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';

let cluster: Cluster;
let organization: TestOrganization;
let account: TestAccount;

beforeAll(async () => {
  cluster = await startLocalCluster();
  organization = await TestOrganization.create(cluster.settings, () => cluster.gatewayUrls);
  account = await organization.makeAccount('Rina Reader');
}, 120_000);

afterAll(async () => {
  await organization?.[Symbol.asyncDispose]();
  await cluster?.stop();
});

function call(path: string, init: RequestInit = {}): Promise<Response> {
  const credentials = Buffer.from(`${account.email.toUpperCase()}:${account.apiKey}`);
  const headers = new Headers(init.headers);
  headers.set('authorization', `Basic ${credentials.toString('base64')}`);
  return fetch(`${cluster.url}/api/v1${path}`, { ...init, headers });
}

it.each([
  ['/messages?anchor=newest&num_before=1&num_after=0', 200],
  ['/streams', 200],
  ['/users/me/subscriptions', 200],
  ['/users', 200],
  ['//users//me', 200],
  ['/users/', 404],
  ['/server_settings', 200],
])('reaches the service behind GET %s: %i', async (path, status) => {
  const response = await call(path);
  const body = (await response.json()) as Record<string, unknown>;
  expect([response.status, body['result']]).toEqual([status, status === 200 ? 'success' : 'error']);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('cache-control')).toContain('no-store');
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
});

it('answers HEAD without a body', async () => {
  const response = await call('/users', { method: 'HEAD' });
  expect([response.status, await response.text()]).toEqual([200, '']);
});

it('registers, polls and deletes a queue, which is then unknown', async () => {
  const registered = (await (
    await call('/register', {
      method: 'POST',
      body: new URLSearchParams({ event_types: '["message"]' }),
    })
  ).json()) as { queue_id: string; last_event_id: number };
  const address = `/events?queue_id=${encodeURIComponent(registered.queue_id)}`;
  const polled = await call(`${address}&last_event_id=${registered.last_event_id}&dont_block=true`);
  expect(await polled.json()).toMatchObject({ result: 'success', events: [] });
  const deleted = await call('/events', {
    method: 'DELETE',
    body: new URLSearchParams({ queue_id: registered.queue_id }),
  });
  expect(await deleted.json()).toMatchObject({ result: 'success' });
  const gone = await call(`${address}&last_event_id=${registered.last_event_id}`);
  expect([gone.status, await gone.json()]).toMatchObject([400, { code: 'BAD_EVENT_QUEUE_ID' }]);
});

it('deletes a queue by a POST with the method in its form', async () => {
  const registered = (await (
    await call('/register', {
      method: 'POST',
      body: new URLSearchParams({ event_types: '["message"]' }),
    })
  ).json()) as { queue_id: string };
  const deleted = await call('/events', {
    method: 'POST',
    body: new URLSearchParams({ method: 'DELETE', queue_id: registered.queue_id }),
  });
  expect(await deleted.json()).toMatchObject({ result: 'success' });
});
