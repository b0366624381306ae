/** Redis is replaced by one at another address according to the runbook, in a rolling deploy. */
import {
  ApiClient,
  DeliveryLedger,
  QueueFollower,
  makeOrganization,
  serviceNames,
  startCluster,
  startTestRedis,
  waitUntil,
} from '@parley/test-kit';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';

/** The number of event nodes that listen for hints on this Redis. */
async function countListeners(url: string): Promise<number> {
  const redis = new Redis(url);
  try {
    const channels = (await redis.pubsub('CHANNELS', '*:log')) as string[];
    const counts = (await redis.pubsub('NUMSUB', ...channels)) as (string | number)[];
    return Number(counts[1] ?? 0);
  } finally {
    redis.disconnect();
  }
}

test('another Redis replaces the first under traffic: no request fails, every queue gets everything once and in order', async () => {
  await using ending = new AsyncDisposableStack();
  const [first, second] = [await startTestRedis(), await startTestRedis()];
  for (const store of [first, second]) ending.defer(() => store.stop());
  await using cluster = await startCluster({ events: 2, redisUrl: first.url });
  await using organization = await makeOrganization(cluster);
  const ann = await organization.makeAccount('Ann Lee');
  await organization.makeStream('stores', [ann]);
  const ledger = new DeliveryLedger();
  const credentials = { email: ann.email, apiKey: ann.apiKey };
  /** The current gateways; clients keep a reference to this list. */
  const urls: string[] = [...cluster.gatewayUrls];
  const follower = await QueueFollower.open(
    new ApiClient({ urls, ...credentials }),
    ann.id,
    ledger,
  );
  ending.defer(() => follower.stop());
  let sent = 0;
  const callAll = async (): Promise<void> => {
    urls.splice(0, urls.length, ...cluster.gatewayUrls);
    for (const url of urls) {
      const client = new ApiClient({ urls: [url], ...credentials });
      const content = `Number ${(sent += 1)}`;
      ledger.attempt(content, [ann.id]);
      ledger.acknowledge(content, await client.sendToStream('stores', 'replaced', content));
      await client.get('streams');
      await client.post('users/me/presence', { status: 'active' });
    }
    await waitUntil('all is delivered', () => ledger.hasAllReceipts());
  };
  await callAll();

  for (const service of serviceNames)
    for (const { nodeId } of cluster.findProcesses(service)) {
      await cluster.startAnother(service, { REDIS_URL: second.url });
      await callAll();
      expect(cluster.getProcess(service, 0).nodeId).toBe(nodeId);
      await cluster.kill(service, 0, 'SIGTERM');
      await callAll();
    }
  expect(await countListeners(first.url)).toBe(0);
  expect(await countListeners(second.url)).toBe(2);
  await first.kill();
  await callAll();
  ledger.check();
}, 180_000);
