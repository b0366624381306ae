import type { HangUpSignal } from '@parley/api';

import type { ParsedEntry } from '../feed/parsed-entry.ts';
import type { UserView } from '../feed/user-view.ts';
import type { HeartbeatWaiter, Heartbeats } from './heartbeats.ts';
import type { QueueDescriptor } from './queue-descriptor.ts';

/** The source of a queue's entries: its user on this node. */
export type QueueFeed = {
  readonly view: UserView;
  /** Above this position the list has everything that a queue can get; a queue that listens to public streams may reach less far. */
  readonly coverageOf: (isListening: boolean) => number;
  /** @returns the entries whose runs end above `after`, in order; `after` must not lie below the coverage */
  readonly deliveriesAfter: (after: number) => ParsedEntry[];
};

/** Why a wait ended. */
export type TurnRelease =
  /** There may be events. */
  | 'news'
  /** Another reader took over, the queue was deleted, the key changed or the node drains. */
  | 'over'
  | 'heartbeat'
  | 'hung-up';

/** The kind of a queue's reader. */
export type ReaderKind = 'poll' | 'stream';

/** The waiting side of a turn: called once at the end of each wait, never while it begins to wait. */
export type TurnWaiter = { readonly onRelease: (release: TurnRelease) => void };

type Wait = {
  readonly waiter: TurnWaiter;
  readonly heartbeats: Heartbeats;
  readonly signal: HangUpSignal;
};

/** The time during which one reader has the queue, until it leaves or another reader takes over. */
export class QueueTurn implements HeartbeatWaiter {
  readonly kind: ReaderKind;
  heartbeatDueAtMs = 0;
  heartbeatIndex = 0;
  #isOver = false;
  #hasNews = false;
  #wait: Wait | undefined;

  constructor(kind: ReaderKind) {
    this.kind = kind;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Must be called before reading, so that an arrival during the read ends the next wait at once. */
  beginLook(): void {
    this.#hasNews = false;
  }

  /** Waits until there is a reason to read again or to stop. */
  wait(
    waiter: TurnWaiter,
    { heartbeats, dueAtMs }: { readonly heartbeats: Heartbeats; readonly dueAtMs: number },
    signal: HangUpSignal,
  ): void {
    heartbeats.add(this, dueAtMs);
    signal.addEventListener('abort', this.#onHangUp);
    this.#wait = { waiter, heartbeats, signal };
    if (this.#isOver) this.#release('over');
    else if (signal.aborted) this.#release('hung-up');
    else if (this.#hasNews) this.#release('news');
  }

  wake(): void {
    this.#hasNews = true;
    this.#release('news');
  }

  end(): void {
    this.#isOver = true;
    this.#release('over');
  }

  onHeartbeatDue(): void {
    this.#release('heartbeat');
  }

  readonly #onHangUp = (): void => this.#release('hung-up');

  #release(release: TurnRelease): void {
    const wait = this.#wait;
    if (wait === undefined) return;
    this.#wait = undefined;
    wait.heartbeats.remove(this);
    wait.signal.removeEventListener('abort', this.#onHangUp);
    // Queues are woken while entries are being received, and the reader must see all of them.
    queueMicrotask(() => wait.waiter.onRelease(release));
  }
}

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
 * A client's queue on this node: its descriptor and at most one reader. It holds no events: an answer is a function of
 * descriptor, log and `last_event_id` (architecture, Queues).
 */
export class EventQueue {
  readonly id: string;
  readonly userId: number;
  readonly startPosition: number;
  readonly lifespanSecs: number;
  readonly descriptor: QueueDescriptor;
  /** The source of the queue's entries; undefined before it is attached and after the node forgot it. */
  feed: QueueFeed | undefined;
  /** In the milliseconds of `Clock.elapsedMs`. */
  lastPolledAtMs: number;
  /** When the store last learned that the queue is in use, in the same milliseconds. */
  storedAtMs: number;
  /** The number of reads for its reader that wait for the store. */
  readsUnderWay = 0;
  #hasEnded = false;
  #turn: QueueTurn | undefined;

  /** @param loadedAtMs when it was read from the store, in the milliseconds of `Clock.elapsedMs` */
  constructor(stored: StoredQueue, loadedAtMs: number) {
    this.id = stored.queueId;
    this.userId = stored.userId;
    this.startPosition = stored.startPosition;
    this.lifespanSecs = stored.lifespanSecs;
    this.descriptor = stored.descriptor;
    this.lastPolledAtMs = loadedAtMs;
    // A queue that is loaded near the end of its idle time is recorded at once, before the store ends it.
    this.storedAtMs = loadedAtMs - stored.idleSecs * 1_000;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The current reader, if there is one. */
  get readBy(): ReaderKind | undefined {
    return this.#turn?.kind;
  }

  /** Gives the queue to a reader and ends the previous reader's turn (reference facts, events 6.5). */
  take(kind: ReaderKind): QueueTurn {
    this.finishTurn();
    const turn = new QueueTurn(kind);
    this.#turn = turn;
    return turn;
  }

  leave(turn: QueueTurn): void {
    turn.end();
    if (this.#turn === turn) this.#turn = undefined;
  }

  /** Makes the reader read again. */
  wake(): void {
    this.#turn?.wake();
  }

  /** Ends the reader's turn: a held poll answers with the events there are. */
  finishTurn(): void {
    this.#turn?.end();
  }

  /** The queue is gone; a held poll is answered first (reference facts, events 7). */
  end(): void {
    this.#hasEnded = true;
    this.finishTurn();
  }
}
