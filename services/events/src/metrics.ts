import type { LogFollower } from '@parley/event-log';
import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

import type { NodeFeed } from './feed/node-feed.ts';
import type { QueueRegistry } from './queues/queue-registry.ts';

/** What an operator watches of an events node. */
export function registerMetrics(
  registry: Registry,
  node: {
    readonly registry: QueueRegistry;
    readonly feed: NodeFeed;
    readonly follower: LogFollower;
  },
): void {
  const gauges: readonly (readonly [name: string, help: string, read: () => number])[] = [
    ['parley_event_queues', 'Queues in the memory of this node', () => node.registry.size],
    ['parley_event_polls_held', 'Polls that wait for an event', () => node.registry.heldPolls],
    ['parley_event_users', 'Users whose views this node holds', () => node.feed.userCount],
    [
      'parley_log_tail_bytes',
      'Bytes of the newest log entries in memory',
      () => node.feed.tail.bytes,
    ],
    [
      'parley_log_cursor',
      'The last log position that this node has taken',
      () => node.follower.cursor,
    ],
    [
      'parley_log_lag_positions',
      'Positions between the known end of the log and the cursor',
      () => Math.max(0, node.follower.head.endPosition - node.follower.cursor),
    ],
  ];
  for (const [name, help, read] of gauges) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }
}
