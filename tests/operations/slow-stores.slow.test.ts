/** A store that is slow, and not away: whoever needs it waits, and nothing is repeated faster than it answers. */
import {
  FaultProxy,
  createTestDatabase,
  getTestStores,
  makeOrganization,
  startCluster,
  waitUntil,
} from '@parley/test-kit';
import type { ServiceName } from '@parley/test-kit';
import { expect, test } from 'vitest';

const delayMs = 10_000;
const services: readonly ServiceName[] = [
  'events',
  'messages',
  'subscriptions',
  'people',
  'presence',
];

/** Each process has several pools, some with several connections. What is cut off is opened again, less and less often. */
const openedMax = 40 * services.length;

test(
  'a delay of ten seconds ends no process, at the start and in operation',
  { timeout: 600_000 },
  async () => {
    const { redisUrl } = getTestStores();
    await using database = await createTestDatabase();
    await using postgres = await FaultProxy.start(database.url);
    await using redis = await FaultProxy.start(redisUrl);
    postgres.delayOpening(delayMs);
    redis.delayOpening(delayMs);
    await using cluster = await startCluster({
      databaseUrl: database.url,
      environment: {
        DATABASE_URL: postgres.through(database.url),
        REDIS_URL: redis.through(redisUrl),
      },
    });
    for (const service of services)
      expect(cluster.findProcesses(service)[0]?.describeOutput()).toContain(
        'the start waits for a store',
      );
    await using organization = await makeOrganization(cluster);
    const ann = await organization.makeAccount('Ann Lee');
    const plaza = await organization.makeStream('plaza', [ann]);
    const send = (): Promise<number> =>
      ann.client
        .request('POST', 'messages', { type: 'stream', to: plaza.name, topic: 't', content: 'x' })
        .then(({ status }) => status)
        .catch(() => 0);
    const sent = async (): Promise<boolean> => (await send()) === 200;
    await waitUntil('a message is sent', sent);

    const openedBefore = postgres.openedCount + redis.openedCount;
    for (const store of [postgres, redis]) store.delay(delayMs / 2);
    const statuses = new Set<number>();
    const untilMs = performance.now() + 4 * delayMs;
    while (performance.now() < untilMs) statuses.add(await send());
    for (const store of [postgres, redis]) store.delay(0);
    // 0 is the closed connection of a send without a key, whose outcome is unknown.
    expect([...statuses].filter((status) => ![0, 200, 503].includes(status))).toEqual([]);
    for (const store of [postgres, redis]) store.delayOpening(0);
    await waitUntil('a message is sent again', sent);
    expect(postgres.openedCount + redis.openedCount - openedBefore).toBeLessThan(openedMax);
  },
);
