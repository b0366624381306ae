/** Reports of presence at two replicas, and what Redis and Postgres have of them. */
import { systemClock } from '@parley/clock';
import { Secret } from '@parley/config';
import { createLogger } from '@parley/telemetry/logging';
import { connectForRequests, keyNames } from '@parley/cluster/redis';
import type { Redis } from '@parley/cluster/redis';
import { listPresence } from '@parley/store';
import { getTestStores, waitUntil } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';
import { expect } from 'vitest';

import { movedClockOf } from '../support/moved-clock.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey, SmallOrganization } from './small-organization.ts';

let organization: SmallOrganization;
let redis: Redis;
let settles: boolean;

/** @param redisUrl the address for the services, by default that of the test run */
export async function startPresence(redisUrl?: string): Promise<SmallOrganization> {
  organization = await startSmallOrganization({
    events: 1,
    presence: 2,
    // What others reported at the shared system stays in its Redis.
    isOwn: true,
    // A Redis that is away keeps the replicas from settling.
    ...(redisUrl !== undefined && { redisUrl, time: 'flows' }),
  });
  settles = redisUrl === undefined;
  await connectRedis(getTestStores().redisUrl);
  return organization;
}

export async function stopPresence(): Promise<void> {
  redis.disconnect();
  await organization.stop();
}

const log = createLogger({ service: 'test', nodeId: 'test', level: 'silent' });

/** Connects the test, which may need another way than the services. */
export async function connectRedis(url: string): Promise<Redis> {
  redis?.disconnect();
  redis = connectForRequests(
    { url: new Secret(url), prefix: 'p', commandTimeoutMs: 5_000 },
    log,
    systemClock,
  );
  await waitUntil('Redis answers', () => redis.ping());
  return redis;
}

export const as = (who?: PersonKey): ApiClient => organization.client(who);
export const email = (who: PersonKey): string => organization.accounts[who].user.email;

/** Each report has a time of its own, by which its client is older or newer than others. */
export async function report(
  who: PersonKey,
  status: string,
  client = 'website',
  more: object = {},
): Promise<JsonObject> {
  await movedClockOf(organization.cluster).advance(1);
  return as(who).post('users/me/presence', { status, client, ...more });
}

export type Clients = Readonly<
  Record<string, { status: string; timestamp: number; client: string }>
>;

export async function realm(who: PersonKey = 'ann'): Promise<Readonly<Record<string, Clients>>> {
  return (await as(who).get('realm/presence'))['presences'] as Record<string, Clients>;
}

export async function presenceOf(who: PersonKey, asker: PersonKey = 'ann'): Promise<Clients> {
  const { presence } = await as(asker).get(`users/${email(who)}/presence`);
  return presence as Clients;
}

export const names = () => keyNames(organization.cluster.settings.redisPrefix, redis);

type Stored = Record<string, [status: string, reportedAtMs: number]>;

export async function stored(): Promise<Record<string, Stored>> {
  const people = Object.entries(await redis.hgetall(names().presence));
  return Object.fromEntries(
    people
      .filter(([userId]) => /^\d+$/.test(userId))
      .map(([userId, text]) => [userId, JSON.parse(text) as Stored]),
  );
}

export async function inPostgres(): Promise<Record<string, Stored>> {
  const byUser = Map.groupBy(await listPresence(organization.pool), ({ userId }) => userId);
  return Object.fromEntries(
    [...byUser].map(([userId, rows]) => [
      userId,
      Object.fromEntries(
        rows.map(({ client, status, reportedAtMs }) => [client, [status, reportedAtMs]] as const),
      ) as Stored,
    ]),
  );
}

/** Waits until all reports, including overtaken ones, and so all their events, are in Postgres. */
export async function settle(): Promise<void> {
  if (settles) await organization.cluster.settle();
  const replicas = organization.cluster.findProcesses('presence');
  await waitUntil('no replica has anything to write', async () => {
    const waiting = await Promise.all(
      replicas.map((replica) => replica.readMetric('parley_presence_people_waiting')),
    );
    return waiting.every((count) => count === 0);
  });
  await waitUntil('Postgres has what Redis has', async () => {
    expect(await inPostgres()).toEqual(await stored());
    return true;
  });
}

/** Makes the reports of a person older, in Redis and in Postgres, because tests do not wait for minutes. */
export async function age(who: PersonKey, secs: number): Promise<void> {
  await settle();
  const userId = organization.id(who);
  const older = Object.entries((await stored())[userId] ?? {}).map(
    ([client, [status, reportedAtMs]]) => [client, [status, reportedAtMs - secs * 1_000]],
  );
  await organization.pool.query({
    text: 'UPDATE presence SET reported_at = reported_at - make_interval(secs => $2) WHERE user_id = $1',
    values: [userId, secs],
  });
  await redis.hset(names().presence, userId, JSON.stringify(Object.fromEntries(older)));
  const version = await redis.hincrby(names().presence, '@version', 1);
  await redis.zadd(names().presenceChanges, version, userId);
}

/** Removes everybody's reports everywhere. */
export async function forgetAll(): Promise<void> {
  await settle();
  await removeAll();
}

export async function removeAll(): Promise<void> {
  await organization.pool.query({ text: 'DELETE FROM presence' });
  await redis.del(names().presence, names().presenceChanges);
}

/**
 * Each replica reconnects to Redis by itself, and until then shares the reports that it accepts through Postgres, about a second
 * later. Cat reports from a new client each time, so that `settle` waits for the reports of both replicas.
 */
export async function allUseRedis(): Promise<void> {
  let made = 0;
  await waitUntil(
    'every replica uses Redis',
    async () => {
      for (let n = 0; n < 4; n += 1) {
        made += 1;
        await report('cat', 'active', `back ${made}`, { ping_only: true });
        expect((await stored())[organization.id('cat')]).toHaveProperty([`back ${made}`]);
      }
      return true;
    },
    { pauseMs: 100 },
  );
}

export const nowSecs = (): number =>
  Math.floor(organization.cluster.settings.clock.nowMs() / 1_000);
