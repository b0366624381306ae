import type { ParsedEntry } from '../feed/parsed-entry.ts';
import type { UserView } from '../feed/user-view.ts';
import type { QueueDescriptor } from './queue-descriptor.ts';

/** Where a queue's entries come from: its user on this node. */
export type QueueFeed = {
  readonly view: UserView;
  /** Above this position the list has everything that a queue can get; a queue that listens to public streams may reach less far. */
  readonly coverageOf: (isListening: boolean) => number;
  /** @returns the entries whose runs end above `after`, in order; `after` must not lie below the coverage */
  readonly deliveriesAfter: (after: number) => ParsedEntry[];
};

/** Why a held poll was let go. */
export type PollRelease =
  /** Something may be there. */
  | 'events'
  /** Another poll took over, the queue was deleted, the key changed or the node drains: the poll is answered empty. */
  | 'finished'
  | 'heartbeat'
  | 'hung-up';

export type HeldPoll = {
  readonly released: Promise<PollRelease>;
  /** Ends this poll's wait, and no other's. */
  readonly letGo: () => void;
};

export type StoredQueue = {
  readonly queueId: string;
  readonly userId: number;
  readonly startPosition: number;
  readonly lifespanSecs: number;
  readonly descriptor: QueueDescriptor;
  /** Seconds since the store last learned that the queue is in use. */
  readonly idleSecs: number;
};

/**
 * A client's queue on this node: its descriptor and at most one held poll. It holds no events: an answer is a function of
 * descriptor, log and `last_event_id` (design, Queues and event nodes).
 */
export class EventQueue {
  readonly id: string;
  readonly userId: number;
  readonly startPosition: number;
  readonly lifespanSecs: number;
  readonly descriptor: QueueDescriptor;
  /** Where the queue's entries come from; undefined before it is attached and after the node let go of it. */
  feed: QueueFeed | undefined;
  lastPolledAtMs = performance.now();
  /** When the store last learned that the queue is in use. */
  storedAtMs: number;
  #hasEnded = false;
  #release: ((reason: PollRelease) => void) | undefined;

  constructor(stored: StoredQueue) {
    this.id = stored.queueId;
    this.userId = stored.userId;
    this.startPosition = stored.startPosition;
    this.lifespanSecs = stored.lifespanSecs;
    this.descriptor = stored.descriptor;
    // A queue that comes here near the end of its idle time is recorded at once, before the store ends it.
    this.storedAtMs = performance.now() - stored.idleSecs * 1_000;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get isPolled(): boolean {
    return this.#release !== undefined;
  }

  /** Holds a poll until something happens. A poll that was already held is finished first (reference facts, events 6.5). */
  hold(options: { readonly heartbeatAfterMs: number; readonly signal: AbortSignal }): HeldPoll {
    this.finishPoll();
    const { promise, resolve } = Promise.withResolvers<PollRelease>();
    const timer = setTimeout(() => release('heartbeat'), options.heartbeatAfterMs);
    const hangUp = (): void => release('hung-up');
    const release = (reason: PollRelease): void => {
      clearTimeout(timer);
      options.signal.removeEventListener('abort', hangUp);
      if (this.#release === release) this.#release = undefined;
      resolve(reason);
    };
    this.#release = release;
    if (options.signal.aborted) release('hung-up');
    else options.signal.addEventListener('abort', hangUp);
    return { released: promise, letGo: () => release('finished') };
  }

  /** Lets a held poll look again. */
  wake(): void {
    this.#release?.('events');
  }

  /** Lets a held poll answer empty. */
  finishPoll(): void {
    this.#release?.('finished');
  }

  /** The queue is gone; a held poll is answered first (reference facts, events 7). */
  end(): void {
    this.#hasEnded = true;
    this.finishPoll();
  }
}
