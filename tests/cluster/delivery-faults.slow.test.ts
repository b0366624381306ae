import {
  FaultProxy,
  createMigratedDatabase,
  getTestStores,
  startCluster,
  startEmbeddedPostgres,
  startTestRedis,
  waitUntil,
} from '@parley/test-kit';
import { expect, test } from 'vitest';

import { DeliveryScenario } from '../support/delivery-scenario.ts';

const sends = 1_200;
const sendsPerPart = sends / 4;

test('an event node is killed and another is started', async () => {
  await using cluster = await startCluster({ events: 2, messages: 2, gateways: 2 });
  await using scenario = await DeliveryScenario.open(cluster);
  await scenario.sendUntilAcknowledged(sendsPerPart);
  const sending = scenario.sendUntilAcknowledged(sends - sendsPerPart);
  await waitUntil(
    'half is acknowledged',
    () => scenario.ledger.acknowledgedCount > 2 * sendsPerPart,
  );
  await cluster.kill('events', 0, 'SIGKILL');
  const started = await cluster.startAnother('events');
  await sending;
  // Messages sent after the start reach the queues that moved to the new node.
  await waitUntil(
    'the new node answers a poll',
    async () => {
      await scenario.sendUntilAcknowledged(10);
      return scenario.answeringNodes.has(started.nodeId);
    },
    { pauseMs: 500 },
  );
  await scenario.settle();
  expect(scenario.ledger.acknowledgedCount).toBeGreaterThanOrEqual(sends);
});

test('an event node is drained and another takes over: every client loses at most one poll', async () => {
  await using cluster = await startCluster({ events: 2, messages: 1, gateways: 2 });
  await using scenario = await DeliveryScenario.open(cluster);
  await scenario.sendUntilAcknowledged(sendsPerPart);
  const sending = scenario.sendUntilAcknowledged(sends - sendsPerPart);
  const started = await cluster.startAnother('events');
  await cluster.kill('events', 0, 'SIGTERM');
  await sending;
  await waitUntil('the new node answers a poll', async () => {
    await scenario.sendUntilAcknowledged(10);
    return scenario.answeringNodes.has(started.nodeId);
  });
  await scenario.settle();
  expect(Math.max(...scenario.followers.map(({ failedPolls }) => failedPolls))).toBeLessThanOrEqual(
    1,
  );
});

test('a message service is killed between commit and publish', async () => {
  await using proxy = await FaultProxy.start(getTestStores().redisUrl);
  await using cluster = await startCluster({ events: 2, messages: 1, gateways: 2 });
  const doomed = await cluster.startAnother('messages', {
    REDIS_URL: proxy.through(getTestStores().redisUrl),
  });
  await using scenario = await DeliveryScenario.open(cluster);
  await scenario.sendUntilAcknowledged(sendsPerPart);

  const publishes = proxy.holdBackPublish();
  // Enough that the gateways send some to either service.
  await Promise.all(
    [...scenario.senders, ...scenario.senders].map((person) => scenario.sendOne(person)),
  );
  await publishes.caught;
  await waitUntil(
    'the rows of all sends are visible',
    async () => (await scenario.countCommitted()) === scenario.sendsStarted,
  );
  expect(publishes.heldConnections()).toBeGreaterThan(0);
  await doomed.kill('SIGKILL');

  await cluster.startAnother('messages');
  await scenario.sendUntilAcknowledged(sends - scenario.ledger.acknowledgedCount);
  await scenario.settle();
  expect(scenario.ledger.acknowledgedCount).toBe(sends);
});

test('messages that a killed service did not publish arrive even without later sends', async () => {
  await using proxy = await FaultProxy.start(getTestStores().redisUrl);
  await using cluster = await startCluster({
    events: 2,
    messages: 1,
    serviceEnvironment: { messages: { REDIS_URL: proxy.through(getTestStores().redisUrl) } },
  });
  await using scenario = await DeliveryScenario.open(cluster);
  const publishes = proxy.holdBackPublish();
  await Promise.all(scenario.people.slice(0, 8).map((person) => scenario.sendOne(person)));
  await publishes.caught;
  await waitUntil(
    'the rows of all sends are visible',
    async () => (await scenario.countCommitted()) === scenario.sendsStarted,
  );
  await cluster.kill('messages', 0, 'SIGKILL');
  await scenario.settle();
  expect(scenario.ledger.acknowledgedCount).toBeGreaterThan(0);
});

test('Redis is killed and restarted empty', async () => {
  const redis = await startTestRedis();
  await using proxy = await FaultProxy.start(redis.url);
  try {
    await using cluster = await startCluster({
      events: 2,
      messages: 2,
      gateways: 2,
      redisUrl: proxy.through(redis.url),
    });
    await using scenario = await DeliveryScenario.open(cluster);
    await scenario.sendUntilAcknowledged(sendsPerPart);
    const sending = scenario.sendUntilAcknowledged(sends - sendsPerPart);
    await redis.kill();
    proxy.refuse(true);
    proxy.cut();
    const acknowledgedBefore = scenario.ledger.acknowledgedCount;
    await waitUntil(
      'sends are acknowledged without Redis',
      () => scenario.ledger.acknowledgedCount > acknowledgedBefore + sendsPerPart,
    );
    await redis.startAgain();
    proxy.retarget(redis.url);
    proxy.refuse(false);
    await sending;
    await waitUntil('the services are connected again', () => proxy.connectionCount >= 4, {});
    await scenario.sendUntilAcknowledged(sendsPerPart);
    await scenario.settle();
    expect(scenario.ledger.acknowledgedCount).toBe(sends + sendsPerPart);
  } finally {
    await redis.stop();
  }
});

test('Postgres is killed and recovers', async () => {
  const postgres = await startEmbeddedPostgres();
  await using proxy = await FaultProxy.start(postgres.url);
  try {
    const database = await createMigratedDatabase(postgres.url);
    await using cluster = await startCluster({
      events: 2,
      messages: 2,
      gateways: 2,
      databaseUrl: proxy.through(database.url),
    });
    await using scenario = await DeliveryScenario.open(cluster);
    await scenario.sendUntilAcknowledged(sendsPerPart);
    const sending = scenario.sendUntilAcknowledged(sends - sendsPerPart);
    await postgres.kill();
    proxy.refuse(true);
    proxy.cut();
    await postgres.startAgain();
    proxy.retarget(postgres.url);
    proxy.refuse(false);
    await sending;
    await scenario.settle();
    expect(scenario.ledger.acknowledgedCount).toBe(sends);
  } finally {
    await postgres.stop();
  }
});
