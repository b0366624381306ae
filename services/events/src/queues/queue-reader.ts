/** Reads a queue, from the checks to the events. Polls and streams share it, so that both give the same. */
import { ApiError, badEventQueueId, badRequest, serviceUnavailable } from '@parley/api';
import type { HangUpSignal } from '@parley/api';
import type { Clock } from '@parley/clock';
import type { Epoch, LogFollower } from '@parley/event-log';
import { isStoreFailure } from '@parley/server';
import type { Logger } from '@parley/telemetry/logging';

import { UnknownEntryFormat } from '../feed/parsed-entry.ts';
import { FeedLost, LogTrimmed, collectEvents, collectFromMemory } from './collect-events.ts';
import type { CollectBounds, Collected, CollectedEvent, LogAccess } from './collect-events.ts';
import type { EventQueue, QueueTurn, ReaderKind, TurnRelease, TurnWaiter } from './event-queue.ts';
import type { Heartbeats } from './heartbeats.ts';
import type { QueueRegistry } from './queue-registry.ts';

/** How long a reader waits for this node to catch up with what its client has already seen. */
const catchUpTimeoutMs = 5_000;

const nothing: Collected = { events: [], isFull: false };
const nothingMore: Reading = { ...nothing, isOver: true };

/** Why an existing queue is refused. */
export const refusalReasons = [
  /** The log no longer holds the events after the client's `last_event_id`. */
  'backlog',
  /** The log lost events that the client has seen. */
  'history',
  /** An entry for the queue cannot be expanded. */
  'entry',
] as const;

export type RefusalReason = (typeof refusalReasons)[number];

export type ReadContext = {
  readonly clock: Clock;
  readonly registry: QueueRegistry;
  readonly follower: Pick<
    LogFollower,
    'beginPosition' | 'checkHead' | 'cursor' | 'epochs' | 'waitFor'
  >;
  /** False if the log holds an entry that this release cannot read; then another node has to answer. */
  readonly canRead: () => boolean;
  readonly logAccess: LogAccess;
  readonly heartbeats: Heartbeats;
  /** Aborted once gateways were told that this node stops, so that a client that polls again reaches another node. */
  readonly draining: AbortSignal;
  readonly onRefused: (reason: RefusalReason) => void;
  /** Called for each answered poll with its number of events and the time that it was held. */
  readonly onAnswer: (events: number, heldMs: number) => void;
  /** Called when an answer reached a bound. */
  readonly onFullAnswer: () => void;
  readonly log: Logger;
};

/** The tools for reading a queue once it was found. */
export type ReaderContext = Omit<ReadContext, 'registry'>;

/**
 * @returns the user's own queue
 * @throws ApiError BAD_EVENT_QUEUE_ID, or BAD_REQUEST for another user's queue (reference facts, events 6.3)
 */
export async function getQueue(
  context: ReadContext,
  queueId: string,
  userId: number,
): Promise<EventQueue> {
  const queue = await context.registry.find(queueId);
  if (queue === undefined) throw badEventQueueId(queueId);
  if (queue.userId !== userId)
    throw badRequest('You are not authorized to get events from this queue');
  return queue;
}

/** @returns whether the client saw positions that a later epoch of the log withdrew */
function hasSeenLostEntries(lastEventId: number, epochs: readonly Epoch[]): boolean {
  return epochs.some(
    // The start position itself is valid: a queue registered before the epoch's first entry begins there.
    (epoch) => lastEventId > epoch.previousEndPosition && lastEventId < epoch.startPosition,
  );
}

function refuse(context: ReaderContext, queue: EventQueue, reason: RefusalReason): ApiError {
  context.onRefused(reason);
  return badEventQueueId(queue.id);
}

/**
 * The position where reading continues: `last_event_id`, at least the queue's start, at most the current end of the log. When this returns
 * the node has caught up with the position, so nothing above it is missed and nothing at or below it is sent.
 *
 * @param catchUp wait for the very end of the log, so that everything acknowledged before is seen
 */
async function positionOf(
  context: ReaderContext,
  queue: EventQueue,
  lastEventId: number,
  catchUp: boolean,
): Promise<number> {
  const { follower } = context;
  if (!context.canRead()) throw serviceUnavailable();
  let after = Math.max(lastEventId, queue.startPosition);
  const checkHistory = (): void => {
    if (hasSeenLostEntries(after, follower.epochs)) throw refuse(context, queue, 'history');
    if (after < follower.beginPosition) throw refuse(context, queue, 'backlog');
  };
  checkHistory();
  if (after <= follower.cursor && !catchUp) return after;
  const head = await follower.checkHead();
  if (head === undefined) throw serviceUnavailable();
  // This node may have learnt only now that an epoch began.
  checkHistory();
  // No client was given an id above the end. It acknowledges what exists and hides nothing that comes later.
  after = Math.min(after, head.endPosition);
  if (!(await follower.waitFor(catchUp ? head.endPosition : after, catchUpTimeoutMs)))
    throw serviceUnavailable();
  return after;
}

export type ReadOptions = {
  readonly kind: ReaderKind;
  readonly lastEventId: number;
  /** Whether to read everything that was acknowledged before this request. */
  readonly catchUp: boolean;
  readonly bounds: CollectBounds;
  /** Aborted when the client hangs up. */
  readonly signal: HangUpSignal;
};

/** The result of one step. If it has no events and is not over, a period of silence passed in which no id was free for a heartbeat. */
export type Reading = Collected & { readonly isOver: boolean };

/** Receives the outcome of a wait for events: one of the two is called, once. */
export type ReadingListener = {
  readonly onReading: (reading: Reading) => void;
  /** Called with an ApiError or an error of the store. */
  readonly onFault: (error: unknown) => void;
};

type Following = {
  readonly listener: ReadingListener;
  readonly signal: HangUpSignal;
  readonly startedAtMs: number;
  heartbeatAfterMs: number;
};

/** A reader of a queue with its position. It holds the queue until it leaves or another reader comes. */
export class QueueReader implements TurnWaiter {
  readonly #context: ReaderContext;
  readonly #queue: EventQueue;
  readonly #turn: QueueTurn;
  readonly #bounds: CollectBounds;
  #after: number;
  #following: Following | undefined;

  /**
   * Takes the queue after every check has passed, so that a refused reader does not displace the one before it.
   *
   * @throws ApiError BAD_EVENT_QUEUE_ID, SERVICE_UNAVAILABLE
   */
  static async open(
    context: ReaderContext,
    queue: EventQueue,
    options: ReadOptions,
  ): Promise<QueueReader> {
    const after = await positionOf(context, queue, options.lastEventId, options.catchUp);
    // The client may have come back meanwhile, and must not be interrupted by its former request.
    if (options.signal.aborted) throw serviceUnavailable();
    // Another node may have deleted it, which this one learnt while it caught up.
    if (queue.hasEnded) throw badEventQueueId(queue.id);
    return new QueueReader(context, queue, options, after);
  }

  private constructor(
    context: ReaderContext,
    queue: EventQueue,
    options: ReadOptions,
    after: number,
  ) {
    this.#context = context;
    this.#queue = queue;
    this.#bounds = options.bounds;
    this.#after = after;
    this.#turn = queue.take(options.kind);
    queue.lastPolledAtMs = context.clock.elapsedMs();
  }

  /** Ends the wait of `follow`. */
  end(): void {
    this.#turn.end();
  }

  /** Releases the queue. */
  leave(): void {
    this.#queue.leave(this.#turn);
    this.#queue.lastPolledAtMs = this.#context.clock.elapsedMs();
  }

  /**
   * @returns what is pending, without waiting
   * @throws ApiError BAD_EVENT_QUEUE_ID; SERVICE_UNAVAILABLE also if the log was reset meanwhile, because an empty answer would say that
   *   there is nothing
   */
  async readPending(): Promise<Collected> {
    try {
      return await this.#read(nothing);
    } catch (error) {
      throw this.#refusalOf(error);
    }
  }

  /** Gives the pending events, or the first that come, or a heartbeat. It uses a listener, so that no call is suspended until then. */
  follow(signal: HangUpSignal, listener: ReadingListener): void {
    this.#begin(signal, listener);
    this.#look();
  }

  /** Like `follow`, after all pending events were given. It reads once more for events that came meanwhile. */
  followOn(signal: HangUpSignal, listener: ReadingListener): void {
    this.#begin(signal, listener);
    this.#wait();
  }

  #begin(signal: HangUpSignal, listener: ReadingListener): void {
    this.#following = {
      listener,
      signal,
      startedAtMs: this.#context.clock.elapsedMs(),
      heartbeatAfterMs: this.#context.heartbeats.draw(),
    };
  }

  onRelease(release: TurnRelease): void {
    if (release === 'news') this.#look();
    else if (release === 'hung-up' || this.#queue.hasEnded) this.#give(nothingMore);
    else this.#lookLast(release === 'heartbeat');
  }

  #look(): void {
    this.#turn.beginLook();
    this.#readThen(nothing, (pending) => {
      if (pending.events.length > 0 || pending.isOver) this.#give(pending);
      else this.#wait();
    });
  }

  /** Reads once more at the end of a wait, when a heartbeat may stand for events. */
  #lookLast(isHeartbeat: boolean): void {
    const following = this.#following;
    if (following === undefined) return;
    // Read before the events: if there are none, everything up to here has been read.
    const { cursor } = this.#context.follower;
    const isHeartbeatDue = isHeartbeat && this.#context.canRead() && cursor > this.#after;
    this.#readThen(isHeartbeatDue ? heartbeat(cursor) : nothing, (last) => {
      const { clock, heartbeats } = this.#context;
      const { latestDueMs } = heartbeats;
      if (last.events.length > 0 || last.isOver) this.#give(last);
      else if (!this.#context.canRead()) this.#give(nothingMore);
      // Nothing happened in the whole log since then, so no id is free for a heartbeat.
      else if (clock.elapsedMs() - following.startedAtMs >= latestDueMs) this.#give(last);
      else {
        following.heartbeatAfterMs = latestDueMs;
        this.#look();
      }
    });
  }

  #wait(): void {
    if (this.#following === undefined) return;
    const { heartbeatAfterMs, signal, startedAtMs } = this.#following;
    const { heartbeats } = this.#context;
    this.#turn.wait(this, { heartbeats, dueAtMs: startedAtMs + heartbeatAfterMs }, signal);
  }

  #give(reading: Reading): void {
    const following = this.#following;
    this.#following = undefined;
    following?.listener.onReading(reading);
  }

  #readThen(otherwise: Collected, onward: (reading: Reading) => void): void {
    let now: Collected | undefined;
    try {
      now = collectFromMemory(this.#queue, this.#after, this.#bounds);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (now !== undefined) onward(this.#readingOf(now, otherwise));
    else this.#read(otherwise).then(onward, (error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    if (error instanceof FeedLost) {
      this.#give(nothingMore);
      return;
    }
    const following = this.#following;
    this.#following = undefined;
    following?.listener.onFault(this.#refusalOf(error));
  }

  get #mustEnd(): boolean {
    return this.#turn.isOver || this.#context.draining.aborted || this.#queue.hasEnded;
  }

  /** Continues to read, and gives the events, or the given result if there are none. */
  async #read(otherwise: Collected): Promise<Reading> {
    this.#queue.readsUnderWay += 1;
    try {
      const found = await collectEvents(
        this.#context.logAccess,
        this.#queue,
        this.#after,
        this.#bounds,
      );
      return this.#readingOf(found, otherwise);
    } finally {
      this.#queue.readsUnderWay -= 1;
    }
  }

  #readingOf(found: Collected, otherwise: Collected): Reading {
    const { events, isFull } = found.events.length > 0 ? found : otherwise;
    this.#after = events.at(-1)?.id ?? this.#after;
    return { events, isFull, isOver: this.#mustEnd };
  }

  #refusalOf(error: unknown): unknown {
    const { log } = this.#context;
    if (error instanceof FeedLost) return serviceUnavailable();
    if (error instanceof LogTrimmed) return refuse(this.#context, this.#queue, 'backlog');
    // Replay found an entry of a newer release, which another node can read.
    if (error instanceof UnknownEntryFormat) return serviceUnavailable();
    if (error instanceof ApiError || isStoreFailure(error)) return error;
    // An entry that cannot be expanded must not be skipped, but would fail every read of this queue.
    log.error({ err: error, queueId: this.#queue.id }, 'events could not be made from the log');
    return refuse(this.#context, this.#queue, 'entry');
  }
}

function heartbeat(cursor: number): Collected {
  const event: CollectedEvent = { id: cursor, text: `{"type":"heartbeat","id":${cursor}}` };
  return { events: [event], isFull: false };
}
