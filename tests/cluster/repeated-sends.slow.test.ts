import {
  FaultProxy,
  getTestStores,
  makeOrganization,
  openTestPool,
  startCluster,
  waitUntil,
} from '@parley/test-kit';
import { expect, test } from 'vitest';

test('a send whose service was killed between commit and answer is repeated: the first id, and one message', async () => {
  await using proxy = await FaultProxy.start(getTestStores().redisUrl);
  await using cluster = await startCluster({
    events: 0,
    people: 0,
    presence: 0,
    subscriptions: 0,
    serviceEnvironment: { messages: { REDIS_URL: proxy.through(getTestStores().redisUrl) } },
  });
  await using organization = await makeOrganization(cluster);
  const ann = await organization.makeAccount('Ann Lee');
  await organization.makeStream('Denmark', [ann]);
  const pool = openTestPool(cluster.settings.databaseUrl);
  const listIds = async (): Promise<number[]> => {
    const { rows } = await pool.query<{ id: number }>('SELECT id FROM messages ORDER BY id');
    return rows.map((row) => row.id);
  };
  const send = async (): Promise<unknown> =>
    (
      await ann.client.post(
        'messages',
        { type: 'stream', to: 'Denmark', topic: 'lunch', content: 'hello' },
        { headers: { 'idempotency-key': 'once' } },
      )
    )['id'];
  try {
    const publishes = proxy.holdBackPublish();
    const first = send().catch((error: unknown) => error);
    await publishes.caught;
    await waitUntil('the message is committed', async () => (await listIds()).length === 1);
    await cluster.kill('messages', 0, 'SIGKILL');
    await cluster.startAnother('messages', { REDIS_URL: getTestStores().redisUrl });
    await first;
    expect([await send()]).toEqual(await listIds());
  } finally {
    await pool.end();
  }
});
