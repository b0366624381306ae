/** Delivery and all other uses of Redis, with each topology of Redis that an operator may have, and through a failover. */
import { keyNames } from '@parley/cluster/redis';
import { createRedisPrefix, startCluster, waitUntil } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { DeliveryScenario } from '../support/delivery-scenario.ts';
import {
  startRedisCluster,
  startSentinelSet,
  startTlsServer,
} from '../support/redis-topologies.ts';
import type { RedisTopology } from '../support/redis-topologies.ts';
import { RedisUses, limitsForRedisUses } from '../support/redis-uses.ts';

const sendsPerPart = 200;

async function checkDelivery(start: () => Promise<RedisTopology>): Promise<void> {
  await using redis = await start();
  const redisPrefix = createRedisPrefix();
  await using cluster = await startCluster({
    events: 2,
    messages: 2,
    gateways: 2,
    presence: 2,
    redisUrl: redis.url,
    redisCaFile: redis.caFile,
    redisPrefix,
    environment: limitsForRedisUses,
  });
  await using scenario = await DeliveryScenario.open(cluster);
  const uses = new RedisUses(cluster, scenario.organization);
  await uses.check();
  await scenario.sendUntilAcknowledged(sendsPerPart);
  if (redis.killPrimaryOf !== undefined) {
    const isCluster = redis.url.includes('cluster');
    const key = `${keyNames(redisPrefix, { isCluster }).jobsPrefix}:none`;
    await redis.killPrimaryOf(key);
    const replacement = redis.awaitPrimaryOf(key);
    let isReplaced = false;
    void replacement.then(() => {
      isReplaced = true;
    });
    await waitUntil(
      'messages were sent all through the failover',
      async () => {
        await scenario.sendUntilAcknowledged(scenario.senders.length);
        return isReplaced && scenario.ledger.acknowledgedCount > 2 * sendsPerPart;
      },
      { pauseMs: 20 },
    );
    await replacement;
    await scenario.sendUntilAcknowledged(sendsPerPart);
    await uses.check();
  }
  await scenario.settle();
  expect(scenario.answeringNodes.size).toBe(2);
}

test('one server with TLS and its own certificate authority', () => checkDelivery(startTlsServer));

test('three sentinels and a primary that dies', () => checkDelivery(startSentinelSet));

test('a cluster of six nodes and a primary that dies', () => checkDelivery(startRedisCluster));
