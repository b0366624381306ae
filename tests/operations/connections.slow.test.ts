/** The maximum of Postgres connections of each service, counted while all are in use, compared with the documentation. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Client } from '@parley/database';
import { repositoryFolder, serviceNames, waitUntil } from '@parley/test-kit';
import type { ServiceName } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';

const poolMax = 8;
/** More than the size of any pool. */
const requestsAtOnce = 2 * poolMax;

/** Tables such that each service but the gateway needs one of them for the requests below. */
const lockedTables = ['streams', 'realm_emoji', 'user_status', 'messages', 'event_queues'];

/** Each service's pools with cancellable statements: each needs one more connection for cancelling. */
const cancels = { gateway: 0, messages: 2, subscriptions: 1, people: 1, presence: 0, events: 0 };

/** Numbers of the table in the README: for requests, others, together. */
async function readTable(): Promise<Map<ServiceName, readonly [number, number, number]>> {
  const readme = await readFile(join(repositoryFolder, 'deploy/kubernetes/README.md'), 'utf8');
  return new Map(
    [...readme.matchAll(/^\| ([a-z, ]+) \| (\d+) \| (\d+) \([^|]*\) \| (\d+) \|$/gm)].flatMap(
      ([, services = '', requests, others, together]) =>
        services
          .split(', ')
          .map(
            (service) =>
              [
                service as ServiceName,
                [Number(requests), Number(others), Number(together)],
              ] as const,
          ),
    ),
  );
}

const poolOf = (service: ServiceName): string =>
  service === 'gateway' ? 'parley-gateway' : `parley ${service}`;

/** The number of connections of each pool, by its name without that of its node. */
async function countConnections(client: Client): Promise<[string, number][]> {
  const { rows } = await client.query<{ name: string; count: number }>(
    `SELECT regexp_replace(application_name, '^(parley-gateway\\S*) .*', '\\1') AS name, count(*)
       FROM pg_stat_activity WHERE datname = current_database() GROUP BY 1`,
  );
  return rows.map(({ name, count }) => [name, count]);
}

/** Whether a gateway waits for Postgres to look up a key. */
async function isLookingUp(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
       AND application_name LIKE 'parley-gateway %' AND wait_event_type = 'Lock'`,
  );
  return rows[0]?.count === 1;
}

test('each service opens exactly as many connections as documented', async () => {
  const table = await readTable();
  expect([...table.keys()].toSorted()).toEqual([...serviceNames].toSorted());
  await using ending = new AsyncDisposableStack();
  const organization = await startSmallOrganization({
    time: 'flows',
    events: 1,
    messages: 1,
    environment: { PARLEY_DATABASE_POOL_MAX: String(poolMax), PARLEY_LOGIN_LIMITS: 'off' },
  });
  ending.defer(() => organization.stop());
  const ann = organization.client('ann');
  // From here on the gateway knows her key, and asks Postgres only about unknown keys.
  await ann.get('users/me');
  const bob = organization.client('bob');
  const queues = await Promise.all(
    [ann, bob].map(async (client) => {
      const { queue_id } = await client.post('register', { event_types: ['message'] });
      return { client, queue_id };
    }),
  );

  const watcher = await organization.pool.connect();
  ending.defer(() => watcher.release());
  const most = new Map<string, number>();
  const count = async (): Promise<void> => {
    for (const [name, seen] of await countConnections(watcher))
      most.set(name, Math.max(most.get(name) ?? 0, seen));
  };

  const blocker = await organization.pool.connect();
  ending.defer(() => blocker.release(true));
  await blocker.query('SET idle_in_transaction_session_timeout = 0');
  await blocker.query('BEGIN');
  const waiting: Promise<unknown>[] = [];
  const untilFull = (services: readonly ServiceName[]): Promise<boolean> =>
    waitUntil(
      `pools for requests are full: ${services.join(', ')}`,
      async () => {
        await count();
        return services.every((service) => most.get(poolOf(service)) === table.get(service)?.[0]);
      },
      { describe: () => JSON.stringify([...most]) },
    );
  try {
    await blocker.query(`LOCK TABLE ${lockedTables.join(', ')} IN ACCESS EXCLUSIVE MODE`);
    for (let n = 0; n < requestsAtOnce; n += 1)
      waiting.push(
        ann.request('GET', 'realm/emoji'),
        ann.request('GET', 'streams'),
        ann.request('GET', 'messages', { anchor: 'newest', num_before: 1, num_after: 0 }),
        ann.request('POST', 'messages', {
          type: 'private',
          to: ['bob@example.com'],
          content: `${n}`,
        }),
        // Registers use at most a part of their pool, and the changes of one owner at most half of it.
        ...queues.flatMap(({ client, queue_id }) => [
          client.request('DELETE', 'events', { queue_id }),
          client.request('POST', 'users/me/status', { status_text: `${n}` }),
        ]),
      );
    await untilFull(serviceNames.filter((service) => service !== 'gateway'));
    // Then the gateway, which looks up all waiting unknown keys together.
    await blocker.query('LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    const ask = (stranger: number): Promise<unknown> =>
      organization.client('ann', String(stranger).padStart(32, 'x')).request('GET', 'users/me');
    waiting.push(ask(0));
    // Keys that arrive in the same moment would share one connection.
    await waitUntil('the first stranger is looked up', () => isLookingUp(watcher));
    for (let n = 1; n < requestsAtOnce; n += 1) waiting.push(ask(n));
    await untilFull(['gateway']);
  } finally {
    await blocker.query('ROLLBACK');
    await Promise.allSettled(waiting);
  }
  await count();

  const others = new Map<ServiceName, readonly string[]>([
    ['gateway', ['parley-gateway-leases']],
    ['messages', ['parley sending', 'parley side effects', 'parley costly reads']],
    ['people', ['parley notifications', 'parley exports']],
    ['events', ['parley log follower']],
  ]);
  for (const [service, [requests, besides, together]] of table) {
    expect(most.get(poolOf(service)), `requests of ${service}`).toBe(requests);
    const lease = service === 'gateway' ? 0 : 1;
    const seen = (others.get(service) ?? []).reduce((sum, name) => sum + (most.get(name) ?? 0), 0);
    expect(seen + lease + cancels[service], `others of ${service}`).toBeLessThanOrEqual(besides);
    expect(requests + besides).toBe(together);
  }
  // One for each service except the gateway; a pool that is not listed above would be missed otherwise.
  expect(most.get('parley lease')).toBe(serviceNames.length - 1);
  const known = new Set([
    ...serviceNames.map(poolOf),
    ...[...others.values()].flat(),
    'parley lease',
    'parley cancels',
  ]);
  expect([...most.keys()].filter((name) => !known.has(name))).toEqual(['parley tests']);
});
