/**
 * Maintenance that any event node may do: ticks of a silent log, new partitions, trimming, the end of idle queues. Each is guarded in
 * Postgres, so several nodes may do it at once, and there is no leader.
 */
import { queueLifetimeBoundSecs } from '@parley/config';
import type { Pool } from '@parley/database';
import type { EventLog, LogFollower } from '@parley/event-log';
import { ensurePartitionsFor, trimLog } from '@parley/event-log';
import type { MaintenanceTask } from '@parley/server';
import type { Logger } from '@parley/telemetry/logging';
import { deleteIdleEventQueues, readClock } from '@parley/store';

import type { NodeFeed } from './feed/node-feed.ts';

/** A silent log gets a tick about this often, so that a heartbeat of 45 s has an id to carry. */
const tickAfterSecs = 40;
const tickCheckIntervalMs = 5_000;
const sweepIntervalMs = 10_000;
const trimIntervalMs = 3_600_000;
/** Older entries may be deleted: a day beyond the longest lifetime of a queue, for nodes that lag. */
const logRetentionSecs = queueLifetimeBoundSecs + 86_400;

export type MaintenanceOptions = {
  readonly pool: Pool;
  readonly eventLog: EventLog;
  readonly follower: LogFollower;
  readonly feed: NodeFeed;
  /** After an outage of Postgres no queue is ended for this long, because clients need time to return (architecture, Queues). */
  readonly outageGraceMs: number;
  readonly log: Logger;
};

/** The work of a node that follows the log. */
export function maintenanceTasks({
  pool,
  eventLog,
  follower,
  feed,
  outageGraceMs,
  log,
}: MaintenanceOptions): readonly MaintenanceTask[] {
  /** Since when, by Postgres' clock, polls have been recorded without interruption; undefined while they cannot be. */
  let reachableSince: Date | undefined;
  return [
    {
      name: 'the tick',
      intervalMs: tickCheckIntervalMs,
      run: async () => {
        await eventLog.tick(tickAfterSecs);
        await ensurePartitionsFor(pool, follower.head.endPosition + 1);
        feed.forgetOld();
      },
    },
    {
      name: 'the sweep of idle queues',
      intervalMs: sweepIntervalMs,
      run: async () => {
        if (!follower.isCurrent() || follower.answeredForMs < outageGraceMs) {
          reachableSince = undefined;
          return;
        }
        reachableSince ??= await readClock(pool);
        const ended = await deleteIdleEventQueues(pool, reachableSince);
        if (ended.length > 0) log.info({ queues: ended.length }, 'idle event queues ended');
      },
    },
    {
      name: 'trimming the log',
      intervalMs: trimIntervalMs,
      run: async () => {
        const removed = await trimLog(pool, logRetentionSecs);
        if (removed.length > 0) log.info({ partitions: removed }, 'old parts of the log removed');
      },
    },
  ];
}
