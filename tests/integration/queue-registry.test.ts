/** Queues in the store, and a node's copy of them. */
import { randomBytes } from 'node:crypto';

import { systemClock } from '@parley/clock';
import { Secret } from '@parley/config';
import type { Pool, Queryable } from '@parley/database';
import { EventLog, audienceKey, readHead } from '@parley/event-log';
import { createLogger } from '@parley/telemetry/logging';
import { deleteEventQueue, deleteIdleEventQueues, insertEventQueues } from '@parley/store';
import { connectForRequests } from '@parley/cluster/redis';
import { createTestDatabase, getTestStores, openTestPool } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createViewReads } from '../../services/events/src/feed/load-user-views.ts';
import { NodeFeed } from '../../services/events/src/feed/node-feed.ts';
import { QueueRegistry } from '../../services/events/src/queues/queue-registry.ts';
import { registerQueues } from '../../services/events/src/queues/register-queue.ts';

const log = createLogger({ service: 'events', nodeId: 'test', level: 'fatal' });

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
  registry = new QueueRegistry({ clock: systemClock, pool, feed, log });
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

test('an idle queue ends when its lifetime is over and no poll can be unrecorded, and not before', async () => {
  const polledAtMs = Date.parse('2030-01-01T00:00:00Z');
  // The lifetime, a tenth of it, and two seconds.
  const idleMaxMs = 662_000;
  const { rows } = await pool.query<{ id: number }>('SELECT id FROM users LIMIT 1');
  const queueId = '17:idle';
  const queue = { queueId, userId: rows[0]?.id ?? 0, startPosition: 0, epoch: 1 };
  const bounds = { perUserMax: 10, perOwnerMax: 10 };
  await insertEventQueues(
    pool,
    [{ ...queue, descriptor: { narrow: [] }, lifespanSecs: 600, client: 'test' }],
    bounds,
  );
  const client = await pool.connect();
  try {
    await client.query({
      text: 'UPDATE event_queues SET last_polled_at = $1 WHERE queue_id = $2',
      values: [new Date(polledAtMs), queueId],
    });
    const endAfter = async (
      idleMs: number,
      reachableSince = new Date(polledAtMs),
    ): Promise<string[]> => {
      await client.query({
        text: "SELECT set_config('parley.now', $1, false)",
        values: [new Date(polledAtMs + idleMs).toISOString()],
      });
      return deleteIdleEventQueues(client, reachableSince);
    };
    expect(await endAfter(idleMaxMs)).not.toContain(queueId);
    expect(await endAfter(idleMaxMs + 1, new Date(polledAtMs + 1))).not.toContain(queueId);
    expect(await endAfter(idleMaxMs + 1)).toContain(queueId);
  } finally {
    await client.query('RESET parley.now');
    client.release();
  }
});

test('queues that several nodes store at once stay within the bounds of their user', async () => {
  const { rows } = await pool.query<{ id: number }>('SELECT id FROM users LIMIT 1');
  const userId = rows[0]?.id ?? 0;
  const nodes = openTestPool(database.url, 8);
  try {
    for (let round = 0; round < 10; round += 1) {
      await pool.query('DELETE FROM event_queues');
      const refusals = await Promise.all(
        Array.from({ length: 8 }, (_, n) => {
          const queue = { queueId: `${round}:${n}`, userId, startPosition: 0, epoch: 1 };
          return insertEventQueues(
            nodes,
            [{ ...queue, descriptor: { narrow: [] }, lifespanSecs: 600, client: 'test' }],
            { perUserMax: 3, perOwnerMax: 10 },
          );
        }),
      );
      expect(refusals.filter(({ size }) => size === 1)).toHaveLength(5);
    }
  } finally {
    await nodes.end();
  }
});

test('a queue begins at the head of the snapshot in which its state is read', async () => {
  const prefix = `test-${randomBytes(4).toString('hex')}`;
  const { redisUrl: url } = getTestStores();
  const redis = connectForRequests(
    { url: new Secret(url), prefix, commandTimeoutMs: 2_000 },
    log,
    systemClock,
  );
  const eventLog = new EventLog({ clock: systemClock, pool, redis, keyPrefix: prefix, log });
  const { rows } = await pool.query<{ id: number }>('SELECT id FROM users LIMIT 1');
  const userId = rows[0]?.id ?? 0;
  let head: number | undefined;
  try {
    const request = {
      userId,
      ownerId: userId,
      client: 'test',
      lifespanSecs: 600,
      signal: new AbortController().signal,
      describe: async (snapshot: Queryable) => {
        head = (await readHead(snapshot)).endPosition;
        // A change that the snapshot does not see, and of which the queue brings the event.
        await eventLog.transaction(async () => ({
          result: undefined,
          append: {
            entries: [
              { entry: { v: 1, kind: 'tick' } as const, audience: audienceKey.user(userId) },
            ],
          },
        }));
        return {
          eventTypes: null,
          narrow: [],
          applyMarkdown: true,
          clientGravatar: false,
          allPublicStreams: false,
          includeSubscribers: false,
        };
      },
      readState: async () => ({}),
    };
    const [registered] = await registerQueues({ clock: systemClock, pool }, [request], {
      perUserMax: 10,
      perOwnerMax: 10,
      onRefused: () => expect.unreachable('there is room'),
    });
    expect(registered).toMatchObject({ status: 'fulfilled', value: { lastEventId: head } });
    expect((await readHead(pool)).endPosition).toBe((head ?? 0) + 1);
  } finally {
    redis.disconnect();
  }
});
