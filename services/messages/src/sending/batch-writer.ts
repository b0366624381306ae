/**
 * Natural batching of sends: while one statement is in flight, arriving sends gather and go together in the next. An idle service adds no
 * wait; a busy one shares one commit among many.
 *
 * A send is answered only when its outcome is known, or with 503 if it certainly did not happen or its key makes a repeat harmless. After a
 * lost connection the same keys go again, so nothing is sent twice. Two items with one key are never in one batch. A batch that the
 * database refuses is repeated item by item, so that one bad item fails alone. An item whose key another process is using waits by itself,
 * and others go on without it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

import { serviceUnavailable } from '@parley/api';
import { pauseShortly } from '@parley/clock';
import type { Clock } from '@parley/clock';
import { isUndone } from '@parley/database';
import { NotSent } from '@parley/event-log';
import type { SendItem, SendOutcome } from '@parley/event-log';
import { isStoreFailure } from '@parley/server';
import type { Logger } from '@parley/telemetry/logging';
import { findTracer, inChildSpan } from '@parley/telemetry/tracing';
import type { Span } from '@parley/telemetry/tracing';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

/** The final outcome of an item, never `busy`. */
export type KnownOutcome = SendOutcome & {
  readonly outcome: Exclude<SendOutcome['outcome'], 'busy'>;
};

export type BatchWriterOptions = {
  readonly clock: Clock;
  /** Sends a batch in one statement; a rejection leaves the outcome unknown unless the database itself reported it. */
  readonly send: (items: readonly SendItem[]) => Promise<SendOutcome[]>;
  readonly log: Logger;
  readonly registry?: Registry;
  /** Most items of one statement. */
  readonly batchItemsMax?: number;
  /** Most items that wait; above it a send is refused with 503. */
  readonly queueItemsMax?: number;
};

type Pending = {
  readonly item: SendItem;
  readonly repeatIsHarmless: boolean;
  readonly arrivedAtMs: number;
  outcomeIsUnknown: boolean;
  /** The wait after it was found busy. */
  busyWaitMs: number;
  /** The trace of the request, if it has one. */
  readonly span: Span | undefined;
  readonly resolve: (outcome: KnownOutcome) => void;
  readonly reject: (error: unknown) => void;
};

/** How long an item may wait while it certainly was not sent. Before the gateway's own time limit, so that the client gets this answer. */
const deadlineMs = 5_000;
/** How long an item with an unknown outcome is repeated, if a repeat by the client would not be harmless. */
const unknownDeadlineMs = 50_000;

const retryWaitMinMs = 20;
const retryWaitMaxMs = 100;
const retryAfterSecs = 1;

function isKnown(outcome: SendOutcome): outcome is KnownOutcome {
  return outcome.outcome !== 'busy';
}

export class BatchWriter {
  readonly #options: Required<Omit<BatchWriterOptions, 'registry'>>;
  #queue: Pending[] = [];
  /** Items that return to the queue after a moment. */
  readonly #busy = new Set<Pending>();
  #flushing: Promise<void> | undefined;
  readonly #batchItems: Histogram;
  readonly #batchDuration: Histogram;
  readonly #refused: Counter;
  readonly #repeats: Counter;

  constructor(options: BatchWriterOptions) {
    const { registry, ...rest } = options;
    this.#options = {
      batchItemsMax: 64,
      queueItemsMax: 5_000,
      ...rest,
    };
    const registers = registry === undefined ? [] : [registry];
    this.#batchItems = new Histogram({
      name: 'parley_send_batch_items',
      help: 'Messages per batch of sends',
      buckets: [1, 2, 4, 8, 16, 32, 64],
      registers,
    });
    this.#batchDuration = new Histogram({
      name: 'parley_send_batch_seconds',
      help: 'Time of a batch of sends in Postgres, including failed batches; one at a time holds the head of the log',
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    });
    this.#refused = new Counter({
      name: 'parley_sends_refused_total',
      help: 'Sends refused with 503, by reason (too many were waiting, Postgres was unavailable for too long)',
      labelNames: ['reason'],
      registers,
    });
    // Starts at 0, because rates ignore the first event of a counter that starts with it.
    for (const reason of ['full', 'away']) this.#refused.inc({ reason }, 0);
    this.#repeats = new Counter({
      name: 'parley_send_batches_repeated_total',
      help: 'Batches of sends that were retried after a failure',
      registers,
    });
    const queueLength = (): number => this.#waiting;
    new Gauge({
      name: 'parley_sends_waiting',
      help: 'Sends waiting for the next batch',
      registers,
      collect() {
        this.set(queueLength());
      },
    });
  }

  /**
   * Sends one item with others.
   *
   * @param repeatIsHarmless whether the client has its own key, so that it can send again after 503
   * @throws ApiError 503 if the queue is full or the store was away for too long; the database's error for this item
   */
  send(item: SendItem, repeatIsHarmless: boolean): Promise<KnownOutcome> {
    if (this.#waiting >= this.#options.queueItemsMax) {
      this.#refused.inc({ reason: 'full' });
      throw serviceUnavailable(retryAfterSecs);
    }
    const { promise, resolve, reject } = Promise.withResolvers<KnownOutcome>();
    this.#queue.push({
      item,
      repeatIsHarmless,
      arrivedAtMs: this.#options.clock.elapsedMs(),
      outcomeIsUnknown: false,
      busyWaitMs: retryWaitMinMs,
      span: findTracer()?.findSpan(),
      resolve,
      reject,
    });
    this.#startFlushing();
    return promise;
  }

  /** Whether nothing is in progress. */
  get isIdle(): boolean {
    return this.#flushing === undefined && this.#busy.size === 0;
  }

  /** Waits until nothing is in progress. */
  async drain(): Promise<void> {
    while (!this.isIdle)
      await (this.#flushing ?? pauseShortly(this.#options.clock, retryWaitMinMs));
  }

  get #waiting(): number {
    return this.#queue.length + this.#busy.size;
  }

  #startFlushing(): void {
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
    });
  }

  async #flush(): Promise<void> {
    // Items that arrive in the same turn are included.
    await nextTurn();
    let waitMs = retryWaitMinMs;
    while (this.#queue.length > 0) {
      const batch = this.#takeBatch();
      this.#batchItems.observe(batch.length);
      const endTimer = this.#batchDuration.startTimer();
      const undecided = await this.#sendBatch(batch);
      endTimer();
      if (undecided.length === 0) {
        waitMs = retryWaitMinMs;
        continue;
      }
      this.#queue.unshift(...undecided);
      this.#giveUpLate();
      // A store that is away needs a moment; new arrivals go with the next batch.
      await pauseShortly(this.#options.clock, waitMs);
      waitMs = Math.min(waitMs * 2, retryWaitMaxMs);
    }
  }

  #takeBatch(): Pending[] {
    const keys = new Set<string>();
    const batch: Pending[] = [];
    const left: Pending[] = [];
    for (const pending of this.#queue) {
      if (batch.length < this.#options.batchItemsMax && !keys.has(pending.item.send_key)) {
        keys.add(pending.item.send_key);
        batch.push(pending);
      } else {
        left.push(pending);
      }
    }
    this.#queue = left;
    return batch;
  }

  /** @returns the items whose outcome is still unknown */
  async #sendBatch(batch: readonly Pending[]): Promise<Pending[]> {
    let outcomes: SendOutcome[];
    try {
      outcomes = await this.#sendTraced(batch);
    } catch (error) {
      return this.#handleFailure(batch, error);
    }
    return batch.filter((pending, index) => {
      const outcome = outcomes[index];
      if (outcome === undefined) return true;
      if (isKnown(outcome)) pending.resolve(outcome);
      else this.#setAside(pending);
      return false;
    });
  }

  /** The statement's span belongs to the first traced request of the batch, and is linked to the others. */
  async #sendTraced(batch: readonly Pending[]): Promise<SendOutcome[]> {
    const items = batch.map((pending) => pending.item);
    const tracer = findTracer();
    if (tracer === undefined) return this.#options.send(items);
    const [first, ...links] = batch.flatMap(({ span }) => (span?.isOpen === true ? [span] : []));
    return tracer.runAsWorkOf(first, () =>
      inChildSpan('send batch', () => this.#options.send(items), {
        attributes: { 'parley.batch.items': items.length },
        links,
      }),
    );
  }

  /** Lets an item wait for another process that uses its key, such as the one that got the request before its repeat. */
  #setAside(pending: Pending): void {
    this.#busy.add(pending);
    this.#options.clock.shortly(pending.busyWaitMs, () => {
      this.#busy.delete(pending);
      this.#queue.unshift(pending);
      this.#giveUpLate();
      this.#startFlushing();
    });
    pending.busyWaitMs = Math.min(pending.busyWaitMs * 2, retryWaitMaxMs);
  }

  async #handleFailure(batch: readonly Pending[], error: unknown): Promise<Pending[]> {
    this.#repeats.inc();
    const isReported = isUndone(error);
    if (isStoreFailure(error)) {
      this.#options.log.warn(
        { err: error, items: batch.length },
        'a batch of sends failed and is retried',
      );
      const mayBeSent = !isReported && !(error instanceof NotSent);
      if (mayBeSent) for (const pending of batch) pending.outcomeIsUnknown = true;
      return [...batch];
    }
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) {
      only.reject(error);
      return [];
    }
    const undecided: Pending[] = [];
    for (const pending of batch) undecided.push(...(await this.#sendBatch([pending])));
    return undecided;
  }

  #giveUpLate(): void {
    const nowMs = this.#options.clock.elapsedMs();
    this.#queue = this.#queue.filter((pending) => {
      const mayBeSent = pending.outcomeIsUnknown && !pending.repeatIsHarmless;
      if (nowMs - pending.arrivedAtMs < (mayBeSent ? unknownDeadlineMs : deadlineMs)) return true;
      this.#refused.inc({ reason: 'away' });
      pending.reject(serviceUnavailable(retryAfterSecs));
      return false;
    });
  }
}
