import { startSystem } from '@parley/test-kit';
import type { SystemOptions } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { DeliveryScenario } from './delivery-scenario.ts';

/**
 * Defines the test that two event nodes and two message services deliver each message once and in order.
 *
 * @param sends acknowledged sends, from eight concurrent senders to fifty queues
 */
export function testDelivery(sends: number, options: SystemOptions = {}): void {
  test('with two event nodes and two message services every queue gets each message once and in order', async () => {
    await using cluster = await startSystem({ ...options, events: 2, messages: 2, gateways: 2 });
    await using scenario = await DeliveryScenario.open(cluster);
    expect(scenario.followers).toHaveLength(50);
    await scenario.sendUntilAcknowledged(sends);
    await scenario.settle();
    expect(scenario.ledger.acknowledgedCount).toBe(sends);
    // Either node may hold a queue, but both held some.
    expect(scenario.answeringNodes.size).toBe(2);
  });
}
