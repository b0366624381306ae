/** Presence while its Redis is killed, emptied and unreachable. */
import type { Redis } from '@parley/cluster/redis';
import { FaultProxy, readObjects, startTestRedis, waitUntil } from '@parley/test-kit';
import type { TestStore } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  age,
  allUseRedis,
  as,
  connectRedis,
  email,
  forgetAll,
  inPostgres,
  names,
  nowSecs,
  presenceOf,
  realm,
  removeAll,
  report,
  settle,
  startPresence,
  stopPresence,
  stored,
} from './presence-fixture.ts';
import type { Clients } from './presence-fixture.ts';
import { success } from './refusals.ts';
import type { SmallOrganization } from './small-organization.ts';

let store: TestStore;
let proxy: FaultProxy;
let organization: SmallOrganization;
let redis: Redis;
beforeAll(async () => {
  store = await startTestRedis();
  proxy = await FaultProxy.start(store.url);
  organization = await startPresence(proxy.through(store.url));
  // Not through the proxy, which some tests close.
  redis = await connectRedis(store.url);
});
afterAll(async () => {
  await stopPresence();
  await proxy.stop();
  await store.stop();
});

test("Redis, killed and restarted empty, has everybody's presence again", async () => {
  await forgetAll();
  await report('ann', 'active');
  await report('bob', 'active', 'ZulipMobile');
  await age('bob', 600);
  // Only these reads show that time went back; each replica must notice it before Redis is gone.
  const known = await Promise.all(Array.from({ length: 4 }, () => realm()));
  const [before] = known;
  expect(known).toEqual([before, before, before, before]);
  await store.kill();
  await store.startAgain();
  proxy.retarget(store.url);
  redis = await connectRedis(store.url);
  await waitUntil('Redis is in use again', async () => Object.keys(await stored()).length === 2);
  for (let n = 0; n < 4; n += 1) expect(await realm()).toEqual(before);
  await allUseRedis();
  await report('bob', 'active', 'ZulipMobile');
  expect((await presenceOf('bob'))['ZulipMobile']?.timestamp).toBeGreaterThan(nowSecs() - 20);
  await settle();
});

test('Redis, emptied while it runs, is filled again by the replica that notices', async () => {
  const before = await realm();
  await settle();
  await redis.flushall();
  for (let n = 0; n < 4; n += 1) expect(await realm()).toEqual(before);
  await settle();
});

test('Redis, emptied between a report and its write-back, has the report again', async () => {
  for (let n = 0; n < 4; n += 1) {
    await forgetAll();
    await report('bob', 'active', `c${n}`, { ping_only: true });
    await redis.flushall();
    // One of the replicas fills Redis from Postgres, which may not have the report yet.
    await realm();
    await waitUntil('Redis has the report again', async () => {
      expect(Object.keys((await stored())[organization.id('bob')] ?? {})).toEqual([`c${n}`]);
      return true;
    });
    await settle();
  }
});

test('Redis with a report gets nothing from the write-back', async () => {
  await forgetAll();
  await report('ann', 'active');
  // As if Redis had a newer state than the replica that accepted the report.
  const userId = String(organization.id('ann'));
  const older = JSON.stringify({ website: ['active', Date.now() - 3_600_000] });
  await redis.hset(names().presence, userId, older);
  await waitUntil('the report is in Postgres', async () => (await inPostgres())[userId]);
  // Each replica's next write begins after its last one has finished.
  for (let n = 0; n < 4; n += 1) await report('bob', 'active', `c${n}`, { ping_only: true });
  await waitUntil(
    'the next ones are as well',
    async () => Object.keys((await inPostgres())[organization.id('bob')] ?? {}).length === 4,
  );
  expect(await redis.hget(names().presence, userId)).toBe(older);
  await removeAll();
});

test('Redis is down: reports are accepted, visible, announced and kept', async () => {
  await forgetAll();
  await report('ann', 'active');
  await settle();
  const { queue_id, last_event_id } = await as('gil').post('register', { fetch_event_types: [] });
  proxy.refuse(true);
  proxy.cut();
  const answer = await report('bob', 'active');
  const presences = answer['presences'] as Record<string, Clients>;
  expect(Object.keys(presences).toSorted()).toEqual([email('ann'), email('bob')]);
  await waitUntil(
    'the report is in Postgres',
    async () => (await inPostgres())[organization.id('bob')],
  );
  await waitUntil('every replica knows', async () => {
    for (let n = 0; n < 4; n += 1)
      expect(Object.keys(await realm()).toSorted()).toEqual([email('ann'), email('bob')]);
    return true;
  });
  expect(await report('bob', 'idle', 'website', { ping_only: true })).toEqual(success);
  expect((await presenceOf('bob'))['website']).toMatchObject({ status: 'active' });
  const registered = await as('gil').post('register', { fetch_event_types: ['presence'] });
  expect(Object.keys(registered['presences'] as object).toSorted()).toEqual([
    email('ann'),
    email('bob'),
  ]);
  await waitUntil('the report is announced', async () => {
    const answer = await as('gil').get('events', { queue_id, last_event_id, dont_block: true });
    expect(readObjects(answer, 'events')).toContainEqual(
      expect.objectContaining({ type: 'presence', email: email('bob') }),
    );
    return true;
  });
  proxy.refuse(false);
  await waitUntil('Redis knows', async () => Object.keys(await stored()).length === 2);
  await allUseRedis();
  for (let n = 0; n < 4; n += 1) expect(Object.keys(await realm())).toHaveLength(3);
  await settle();
});
