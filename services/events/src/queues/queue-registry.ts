import { pause } from '@parley/clock';
import type { Clock, Timer } from '@parley/clock';
import { BatchedReads } from '@parley/database';
import type { Pool } from '@parley/database';
import type { Logger } from '@parley/telemetry/logging';
import { findEventQueues, touchEventQueues } from '@parley/store';

import type { NodeFeed } from '../feed/node-feed.ts';
import { EventQueue } from './event-queue.ts';
import type { StoredQueue } from './event-queue.ts';
import type { QueueDescriptor } from './queue-descriptor.ts';

const touchIntervalMs = 500;
/** The store learns of a queue's use at most once in this fraction of its lifetime. */
const touchesPerLifespan = 10;
/**
 * After this time the store may end the queue. (It also waits for the tenth in which a poll may not have been recorded, and two seconds.)
 * The node forgets it, and looks it up again at its next poll.
 */
const forgetAfterLifespans = 1;
const queuesPerTouch = 5_000;
const lookUps = { keysPerRead: 500, readsAtOnce: 2 };

/**
 * The queues that this node serves. Memory only makes a queue faster: any node can serve any queue from its descriptor, so a node that
 * forgets one loses nothing.
 */
export class QueueRegistry {
  readonly #clock: Clock;
  readonly #pool: Pool;
  readonly #feed: NodeFeed;
  readonly #log: Logger;
  readonly #stored: BatchedReads<string, StoredQueue>;
  readonly #queues = new Map<string, EventQueue>();
  readonly #loading = new Map<string, Promise<EventQueue | undefined>>();
  readonly #timer: Timer;
  readonly #touching = new Set<Promise<void>>();

  constructor(options: {
    readonly clock: Clock;
    readonly pool: Pool;
    readonly feed: NodeFeed;
    readonly log: Logger;
  }) {
    this.#clock = options.clock;
    this.#pool = options.pool;
    this.#feed = options.feed;
    this.#log = options.log;
    this.#stored = new BatchedReads<string, StoredQueue>(async (queueIds) => {
      const found = await findEventQueues<QueueDescriptor>(options.pool, queueIds);
      return new Map(found.map((queue) => [queue.queueId, queue]));
    }, lookUps);
    this.#timer = options.clock.every(touchIntervalMs, () => this.#tend());
  }

  get size(): number {
    return this.#queues.size;
  }

  /** @returns the number of held polls */
  get heldPolls(): number {
    let held = 0;
    for (const queue of this.#queues.values()) if (queue.readBy === 'poll') held += 1;
    return held;
  }

  /** @returns the number of open streams */
  get openStreams(): number {
    let open = 0;
    for (const queue of this.#queues.values()) if (queue.readBy === 'stream') open += 1;
    return open;
  }

  /** @returns the queue if this node has it in memory */
  peek(queueId: string): EventQueue | undefined {
    return this.#queues.get(queueId);
  }

  /** @returns the queue, attached to its user's feed, or undefined if this id has none */
  async find(queueId: string): Promise<EventQueue | undefined> {
    // A queue that is being loaded is already listed, but may not exist.
    const loading = this.#loading.get(queueId);
    if (loading !== undefined) return loading;
    const known = this.#queues.get(queueId);
    if (known?.hasEnded === true) return undefined;
    if (known?.feed !== undefined) return known;
    // After a reset of the log this node may have missed the end of a queue that it knows, so the queue is loaded again.
    if (known !== undefined) this.forget(known);
    const started = this.#load(queueId).finally(() => this.#loading.delete(queueId));
    this.#loading.set(queueId, started);
    return started;
  }

  async #load(queueId: string): Promise<EventQueue | undefined> {
    const stored = await this.#stored.find(queueId);
    if (stored === undefined) return undefined;
    const queue = new EventQueue(stored, this.#clock.elapsedMs());
    // Listed before its feed is loaded, so that it is found if the log reports its end meanwhile.
    this.#queues.set(queueId, queue);
    try {
      await this.#feed.attach(queue);
    } catch (error) {
      this.#queues.delete(queueId);
      throw error;
    }
    // It may have ended between the look-up and the first entry that this node applied to it.
    const isStillThere = (await this.#stored.find(queueId)) !== undefined;
    // A deactivation may have missed a queue that was being stored.
    const hasEnded =
      queue.hasEnded || queue.feed?.view.wasDeactivatedAfter(queue.startPosition) === true;
    if (isStillThere && !hasEnded) return queue;
    this.forget(queue);
    return undefined;
  }

  forget(queue: EventQueue): void {
    this.#queues.delete(queue.id);
    this.#feed.detach(queue);
  }

  /**
   * Answers all held polls and ends all streams, spread over `spreadMs`, so that the next polls do not all reach their new holders at once.
   */
  async finishTurns(spreadMs: number): Promise<void> {
    const held = [...this.#queues.values()].filter((queue) => queue.readBy !== undefined);
    await Promise.all(
      held.map(async (queue, index) => {
        await pause(this.#clock, (spreadMs * index) / held.length);
        queue.finishTurn();
      }),
    );
  }

  /**
   * Records the uses of queues that are due.
   *
   * @returns whether there were none, and no reader was reading
   */
  async settle(): Promise<boolean> {
    this.#tend();
    const hasTouched = this.#touching.size > 0;
    await Promise.all(this.#touching);
    return !hasTouched && this.#queues.values().every(({ readsUnderWay }) => readsUnderWay === 0);
  }

  async stop(): Promise<void> {
    this.#timer.cancel();
    await Promise.all(this.#touching);
  }

  #tend(): void {
    const now = this.#clock.elapsedMs();
    const due: EventQueue[] = [];
    for (const queue of this.#queues.values()) {
      if (queue.readBy !== undefined) queue.lastPolledAtMs = now;
      const lifespanMs = queue.lifespanSecs * 1_000;
      if (queue.hasEnded || now - queue.lastPolledAtMs > lifespanMs * forgetAfterLifespans)
        this.forget(queue);
      else if (
        queue.lastPolledAtMs > queue.storedAtMs &&
        now - queue.storedAtMs > lifespanMs / touchesPerLifespan &&
        due.length < queuesPerTouch
      ) {
        due.push(queue);
      }
    }
    if (due.length === 0) return;
    const before = due.map((queue) => queue.storedAtMs);
    for (const queue of due) queue.storedAtMs = now;
    const touching = touchEventQueues(
      this.#pool,
      due.map((queue) => queue.id),
    )
      .catch((error: unknown) => {
        for (const [index, queue] of due.entries())
          queue.storedAtMs = before[index] ?? queue.storedAtMs;
        this.#log.warn(
          { err: error },
          'the use of queues could not be recorded; it is tried again',
        );
      })
      .finally(() => this.#touching.delete(touching));
    this.#touching.add(touching);
  }
}
