/** One poll of a queue, from the checks to the answer; whatever carries the answer out uses this. */
import { ApiError, badEventQueueId, badRequest, serviceUnavailable } from '@parley/contracts';
import type { Epoch, LogFollower } from '@parley/event-log';
import { isStoreFailure } from '@parley/http';
import type { Logger } from '@parley/logging';

import { UnknownEntryFormat } from '../feed/parsed-entry.ts';
import { collectEvents, FeedLost, LogTrimmed } from './collect-events.ts';
import type { LogAccess } from './collect-events.ts';
import type { EventQueue } from './event-queue.ts';
import type { QueueRegistry } from './queue-registry.ts';

/** How long a poll waits for this node to catch up with what its client has already seen. */
const catchUpTimeoutMs = 5_000;

export type PollContext = {
  readonly registry: QueueRegistry;
  readonly follower: LogFollower;
  /** False when the log holds what this release cannot read; another node has to answer. */
  readonly canRead: () => boolean;
  readonly logAccess: LogAccess;
  readonly heartbeat: { readonly minMs: number; readonly maxMs: number };
  readonly draining: AbortSignal;
  readonly log: Logger;
};

/**
 * @returns the queue, which belongs to the user
 * @throws ApiError BAD_EVENT_QUEUE_ID, or BAD_REQUEST for another user's queue (reference facts, events 6.3)
 */
export async function getQueue(
  context: PollContext,
  queueId: string,
  userId: number,
): Promise<EventQueue> {
  const queue = await context.registry.find(queueId);
  if (queue === undefined) throw badEventQueueId(queueId);
  if (queue.userId !== userId)
    throw badRequest('You are not authorized to get events from this queue');
  return queue;
}

/** @returns whether the client saw positions that a later epoch of the log took back */
function sawWhatWasLost(lastEventId: number, epochs: readonly Epoch[]): boolean {
  return epochs.some(
    // The start itself is where a queue begins that was registered before the epoch's first entry.
    (epoch) => lastEventId > epoch.previousEndPosition && lastEventId < epoch.startPosition,
  );
}

/**
 * Where a poll goes on: `last_event_id`, at least the queue's start, at most the end of the log as it is now. The node has caught
 * up with it when this returns, so nothing above it is missed and nothing at or below it is sent.
 *
 * @param catchUp wait for the log's very end, so that the poll sees everything acknowledged before it
 */
async function positionOf(
  context: PollContext,
  queue: EventQueue,
  lastEventId: number,
  catchUp: boolean,
): Promise<number> {
  const { follower } = context;
  if (!context.canRead()) throw serviceUnavailable();
  let after = Math.max(lastEventId, queue.startPosition);
  const checkHistory = (): void => {
    if (sawWhatWasLost(after, follower.epochs) || after < follower.beginPosition)
      throw badEventQueueId(queue.id);
  };
  checkHistory();
  if (after <= follower.cursor && !catchUp) return after;
  const head = await follower.checkHead();
  if (head === undefined) throw serviceUnavailable();
  // Only now may this node have learnt of an epoch that opened.
  checkHistory();
  // An id above the end was never given to a client; it acknowledges what is there and hides nothing that comes later.
  after = Math.min(after, head.endPosition);
  if (!(await follower.waitFor(catchUp ? head.endPosition : after, catchUpTimeoutMs)))
    throw serviceUnavailable();
  return after;
}

/**
 * Answers a poll: what is pending above `lastEventId`, or, unless `dontBlock`, the first that comes, a heartbeat, or nothing when
 * another poll took over, the queue ended or the node drains.
 *
 * @returns events as JSON texts in increasing id
 * @throws ApiError BAD_EVENT_QUEUE_ID, SERVICE_UNAVAILABLE
 */
export async function poll(
  context: PollContext,
  queue: EventQueue,
  options: {
    readonly lastEventId: number;
    readonly dontBlock: boolean;
    readonly signal: AbortSignal;
  },
): Promise<string[]> {
  const after = await positionOf(context, queue, options.lastEventId, options.dontBlock);
  queue.lastPolledAtMs = performance.now();
  queue.finishPoll();
  const startedAtMs = performance.now();
  let heartbeatAtMs = context.heartbeat.minMs;
  heartbeatAtMs += Math.floor(Math.random() * (context.heartbeat.maxMs - heartbeatAtMs));
  try {
    for (;;) {
      // Held before looking, so that what arrives while looking wakes it.
      const held = options.dontBlock
        ? undefined
        : queue.hold({
            heartbeatAfterMs: Math.max(0, startedAtMs + heartbeatAtMs - performance.now()),
            signal: options.signal,
          });
      const pending = await collectEvents(context.logAccess, queue, after).catch(
        (error: unknown) => {
          held?.letGo();
          throw error;
        },
      );
      if (held === undefined) return pending;
      if (pending.length > 0 || context.draining.aborted || queue.hasEnded) {
        held.letGo();
        return pending;
      }
      const release = await held.released;
      if (release === 'events') continue;
      // Read before looking: everything up to here has been looked at when nothing is found.
      const { cursor } = context.follower;
      const last = queue.hasEnded ? [] : await collectEvents(context.logAccess, queue, after);
      if (last.length > 0 || release !== 'heartbeat' || !context.canRead()) return last;
      if (cursor > after) return [`{"type":"heartbeat","id":${cursor}}`];
      // Nothing happened in the whole log since: no id is free for a heartbeat.
      if (heartbeatAtMs >= context.heartbeat.maxMs) return [];
      heartbeatAtMs = context.heartbeat.maxMs;
    }
  } catch (error) {
    if (error instanceof FeedLost) return [];
    if (error instanceof LogTrimmed) throw badEventQueueId(queue.id);
    // Replay met an entry of a newer release, which another node can read.
    if (error instanceof UnknownEntryFormat) throw serviceUnavailable();
    if (error instanceof ApiError || isStoreFailure(error)) throw error;
    // An entry that cannot be expanded would fail every poll of this queue, and must not be left out.
    context.log.error({ err: error, queueId: queue.id }, 'events could not be made from the log');
    throw badEventQueueId(queue.id);
  } finally {
    queue.lastPolledAtMs = performance.now();
  }
}
