/**
 * Upkeep that any events node may do: ticks of a silent log, partitions ahead of it, trimming behind it, the end of idle queues.
 * Each is guarded in Postgres, so several nodes at it do no harm, and none of them is a leader.
 */
import { limits } from '@parley/contracts';
import type { Pool } from '@parley/database';
import type { EventLog, LogFollower } from '@parley/event-log';
import { ensurePartitionsFor, trimLog } from '@parley/event-log';
import type { Logger } from '@parley/logging';
import { deleteIdleEventQueues, readClock } from '@parley/store';

import type { NodeFeed } from './feed/node-feed.ts';

/** A silent log gets a tick about this often, so that a heartbeat of 45 s has an id to carry. */
const tickAfterSecs = 40;
const tickCheckIntervalMs = 5_000;
const sweepIntervalMs = 10_000;
const trimIntervalMs = 3_600_000;
/** Entries older than this may go: a day beyond the longest lifetime of a queue, for nodes that lag behind. */
const logRetentionSecs = limits.queueIdleLifetimeMaxSecs + 86_400;

export type MaintenanceOptions = {
  readonly pool: Pool;
  readonly eventLog: EventLog;
  readonly follower: LogFollower;
  readonly feed: NodeFeed;
  /** After Postgres was away no queue is ended for so long: its clients need time to come back (architecture, Queues). */
  readonly outageGraceMs: number;
  readonly log: Logger;
};

export class Maintenance {
  readonly #options: MaintenanceOptions;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #running = new Set<Promise<void>>();
  /** Since when, on Postgres' clock, polls could be recorded without a break; undefined while they cannot. */
  #reachableSince: Date | undefined;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
  }

  start(): void {
    const { eventLog, feed, follower, log, outageGraceMs, pool } = this.#options;
    const every = (intervalMs: number, name: string, work: () => Promise<void>): void => {
      const run = (): void => {
        const running: Promise<void> = work()
          .catch((error: unknown) => log.warn({ err: error }, `${name} failed; it is tried again`))
          .finally(() => this.#running.delete(running));
        this.#running.add(running);
      };
      this.#timers.push(setInterval(run, intervalMs));
    };
    every(tickCheckIntervalMs, 'the tick', async () => {
      await eventLog.tick(tickAfterSecs);
      await ensurePartitionsFor(pool, follower.head.endPosition + 1);
      feed.forgetOld();
    });
    every(sweepIntervalMs, 'the sweep of idle queues', async () => {
      if (!follower.isCurrent() || follower.answeredForMs < outageGraceMs) {
        this.#reachableSince = undefined;
        return;
      }
      this.#reachableSince ??= await readClock(pool);
      const ended = await deleteIdleEventQueues(pool, this.#reachableSince);
      if (ended.length > 0) log.info({ queues: ended.length }, 'idle event queues ended');
    });
    every(trimIntervalMs, 'trimming the log', async () => {
      const removed = await trimLog(pool, logRetentionSecs);
      if (removed.length > 0) log.info({ partitions: removed }, 'old parts of the log removed');
    });
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#running);
  }
}
