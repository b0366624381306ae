/** A node's copy of queues compared with the store. */
import type { Pool } from '@parley/database';
import { createLogger } from '@parley/logging';
import { deleteEventQueue, insertEventQueues } from '@parley/store';
import { createTestDatabase, openTestPool } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createViewReads } from '../../services/events/src/feed/load-user-views.ts';
import { NodeFeed } from '../../services/events/src/feed/node-feed.ts';
import { QueueRegistry } from '../../services/events/src/queues/queue-registry.ts';

let database: TestDatabase;
let pool: Pool;
let feed: NodeFeed;
let registry: QueueRegistry;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, 2);
  const views = createViewReads(pool);
  feed = new NodeFeed({
    tail: { entriesMax: 100, bytesMax: 100_000 },
    deliveriesMax: 100,
    loadView: async (userId) => {
      const loaded = await views.find(userId);
      if (loaded === undefined) throw new Error('a view is read for whoever is asked for');
      return loaded;
    },
    findQueue: (queueId) => registry.peek(queueId),
    onUnreadableEntry: () => undefined,
  });
  const log = createLogger({ service: 'events', nodeId: 'test', level: 'fatal' });
  registry = new QueueRegistry({ pool, feed, log });
});
afterAll(async () => {
  await registry.stop();
  await pool.end();
  await database.drop();
});

test('a queue whose end is missing after a log reset is gone on a node that knew it', async () => {
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO users (email, email_folded, full_name, full_name_folded, short_name)
     VALUES ('rina@example.com', 'RINA@EXAMPLE.COM', 'Rina', 'RINA', 'rina') RETURNING id`,
  );
  const userId = rows[0]?.id ?? 0;
  for (const queueId of ['17:ended', '17:open']) {
    const queue = { queueId, userId, startPosition: 0, epoch: 1, descriptor: { narrow: [] } };
    const bounds = { perUserMax: 10, perOwnerMax: 10 };
    await insertEventQueues(pool, [{ ...queue, lifespanSecs: 600, client: 'test' }], bounds);
    expect(await registry.find(queueId)).toBeDefined();
  }
  feed.reset(0);
  await deleteEventQueue(pool, '17:ended', userId);
  expect(await registry.find('17:ended')).toBeUndefined();
  const open = await registry.find('17:open');
  expect(open?.feed).toBeDefined();
  expect(registry.size).toBe(1);
});
