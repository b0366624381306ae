import { pause, pauseAfter } from './back-off.ts';
import { ApiError, NoAnswerError } from './errors.ts';
import type { AnswerOf, ParametersOf, ServerEvent } from './operation-types.ts';
import type { Requests } from './request-options.ts';
import { SilentStreamError, StreamedEvents } from './streamed-events.ts';

export type EventsOptions = {
  /** Ends the iteration without an error, and deletes the queue. */
  readonly signal?: AbortSignal;
  /** Called with every failure that the stream survives. */
  readonly onFailure?: (failure: ApiError | NoAnswerError) => void;
  /** Called with every answer of the server: events arrive. */
  readonly onConnected?: () => void;
  /** `stream`: one long answer, where it gets through; otherwise, as with `poll`, which is the default, an answer for each wait. */
  readonly transport?: 'poll' | 'stream';
  /** A queue to continue instead of registering one. If the server no longer has its events, another one is registered. */
  readonly resume?: QueuePosition | undefined;
  /** The end leaves the queue to whoever resumes it; it ends after its idle time. */
  readonly keepsQueue?: boolean;
};

/** A queue, and the last of its events that was taken. */
export type QueuePosition = { readonly queueId: string; readonly lastEventId: number };

/**
 * A queue was registered, and the next events follow `state`. Any but the first of these means that events were lost: replace all earlier
 * data by `state`.
 */
export type RegisteredEvent = {
  readonly type: 'registered';
  readonly isFirst: boolean;
  readonly state: AnswerOf<'POST /register'>;
};

/** The elements of a stream. Heartbeats are left out. */
export type FollowedEvent = RegisteredEvent | Exclude<ServerEvent, { readonly type: 'heartbeat' }>;

// The server holds a poll for less than a minute, so a later answer counts as missing (reference facts, clients 3.2).
const pollTimeoutMs = 90_000;

/** How long to poll before another stream is tried, where one did not get through. */
const pollInsteadMs = 10 * 60_000;

/** After so many streams that failed one after the other it is seen whether a poll gets through. */
const streamFailuresMax = 2;

/** How long to poll where streams failed and a poll got through, which may be because the server was away. */
const pollAfterFailuresMs = 2 * 60_000;

/** The time limit for deleting a queue, which otherwise ends by itself. */
const deleteTimeoutMs = 5_000;

/** These mean that a service is away for a time or asks for a repeat; some servers answer 409 to a second poll. */
const passingStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429]);

function isPassing(failure: ApiError | NoAnswerError): boolean {
  const { status } = failure;
  if (failure instanceof NoAnswerError && (status === undefined || status < 400)) return true;
  return status !== undefined && (status >= 500 || passingStatuses.has(status));
}

/**
 * Events of one caller, in order, each once. The stream registers a queue with the first `next()` and polls it. It survives network
 * failures, restarts and temporary refusals, with pauses that grow to half a minute. It replaces a queue that the server no longer has, and
 * reports this with a `registered` event.
 *
 * Events are acknowledged when the consumer has taken all that came with them, so a consumer that stops in between has acknowledged none of
 * them. `return()`, the end of a `for await` and the signal delete the queue.
 *
 * `next()` throws ApiError if the server refuses for good (credentials, parameters); then the stream has ended.
 */
export class EventStream implements AsyncIterableIterator<FollowedEvent, undefined, undefined> {
  readonly #client: Requests;
  readonly #parameters: ParametersOf<'POST /register'>;
  readonly #options: EventsOptions;
  readonly #stopping = new AbortController();
  readonly #taken: FollowedEvent[] = [];
  #queue: { readonly id: string; lastEventId: number } | undefined;
  #isFirst = true;
  /** Whether the queue was registered elsewhere and has not answered yet. */
  #isResumed = false;
  #streamed: StreamedEvents | undefined;
  /** No streams are tried before this time. */
  #pollsUntilMs = 0;
  /** Streams that failed one after the other. */
  #streamFailures = 0;
  #failures = 0;
  #pausing = new AbortController();
  #isWoken = false;
  /** Calls of `next` and `return` take turns. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Created by `ParleyClient.events`. */
  constructor(
    client: Requests,
    parameters: ParametersOf<'POST /register'>,
    options: EventsOptions,
  ) {
    this.#client = client;
    this.#parameters = parameters;
    this.#options = options;
    if (options.resume !== undefined) {
      const { queueId, lastEventId } = options.resume;
      this.#queue = { id: queueId, lastEventId };
      this.#isResumed = true;
      this.#isFirst = false;
    }
    if (options.signal?.aborted === true) this.#stopping.abort();
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** The current queue. */
  get queueId(): string | undefined {
    return this.#queue?.id;
  }

  /**
   * Connects anew at once, without the rest of a pause, and without waiting until a connection is known to be dead: for use when the
   * network is back, or after the machine slept.
   */
  wake(): void {
    this.#isWoken = true;
    this.#failures = 0;
    this.#streamFailures = 0;
    this.#pausing.abort();
    this.#streamed?.close();
  }

  next(): Promise<IteratorResult<FollowedEvent, undefined>> {
    return this.#takeTurn(() => this.#takeNext());
  }

  /** Ends a wait in progress, and deletes the queue. */
  return(): Promise<IteratorResult<FollowedEvent, undefined>> {
    this.#stopping.abort();
    return this.#takeTurn(() => this.#end());
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  readonly #onAbort = (): void => {
    void this.return();
  };

  #takeTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #takeNext(): Promise<IteratorResult<FollowedEvent, undefined>> {
    while (!this.#stopping.signal.aborted) {
      const value = this.#taken.shift();
      if (value !== undefined) return { done: false, value };
      try {
        await (this.#queue === undefined ? this.#register() : this.#read(this.#queue));
        this.#failures = 0;
        this.#isWoken = false;
        this.#isResumed = false;
        this.#options.onConnected?.();
      } catch (error) {
        if (!this.#stopping.signal.aborted) await this.#recover(error);
      }
    }
    return this.#end();
  }

  async #register(): Promise<void> {
    const state = await this.#client.request('POST /register', this.#parameters, {
      signal: this.#stopping.signal,
      repeatsMax: 0,
    });
    this.#queue = { id: state.queue_id, lastEventId: state.last_event_id };
    this.#taken.push({ type: 'registered', isFirst: this.#isFirst, state });
    this.#isFirst = false;
  }

  async #read(queue: { readonly id: string; lastEventId: number }): Promise<void> {
    const wantsStream = this.#options.transport === 'stream' && Date.now() >= this.#pollsUntilMs;
    if (wantsStream && this.#streamFailures < streamFailuresMax) await this.#readStream(queue);
    else {
      await this.#poll(queue);
      if (wantsStream) this.#pollsUntilMs = Date.now() + pollAfterFailuresMs;
    }
    this.#streamFailures = 0;
  }

  async #readStream(queue: { readonly id: string; lastEventId: number }): Promise<void> {
    this.#streamed ??= await StreamedEvents.open(this.#client, queue, this.#stopping.signal);
    const events = await this.#streamed.read();
    if (events !== undefined) {
      this.#take(queue, events);
      return;
    }
    const { retryMs } = this.#streamed;
    this.#streamed = undefined;
    await this.#pause(retryMs);
  }

  async #poll(queue: { readonly id: string; lastEventId: number }): Promise<void> {
    const { events } = await this.#client.request(
      'GET /events',
      // After a failure the server answers at once, so that it is known that events arrive again.
      { queue_id: queue.id, last_event_id: queue.lastEventId, dont_block: this.#failures > 0 },
      { signal: this.#stopping.signal, repeatsMax: 0, timeoutMs: pollTimeoutMs },
    );
    this.#take(queue, events);
  }

  #take(queue: { lastEventId: number }, events: readonly ServerEvent[]): void {
    for (const event of events) {
      if (event.id <= queue.lastEventId) continue;
      // Also of a heartbeat: nothing happened up to its id.
      queue.lastEventId = event.id;
      if (event.type === 'heartbeat') continue;
      this.#taken.push(event);
    }
  }

  /** @throws the failure if it is permanent */
  async #recover(failure: unknown): Promise<void> {
    this.#streamed?.close();
    this.#streamed = undefined;
    if (!(failure instanceof ApiError || failure instanceof NoAnswerError)) {
      await this.#give(failure);
      return;
    }
    const isOfStream = failure.operation === 'GET /events/stream';
    this.#streamFailures = isOfStream ? this.#streamFailures + 1 : 0;
    if (this.#isQueueLost(failure)) this.#queue = undefined;
    else if (this.#isStreamLost(failure)) this.#pollsUntilMs = Date.now() + pollInsteadMs;
    else if (!isPassing(failure)) await this.#give(failure);
    this.#options.onFailure?.(failure);
    this.#failures += 1;
    // The next queue is registered at once, unless the last one was lost directly after its registration.
    if (this.#queue === undefined && this.#failures === 1) return;
    await this.#pause(pauseAfter(this.#failures, failure.retryAfterSecs));
  }

  /** Others may have taken and acknowledged more of a resumed queue: then the server answers 400. */
  #isQueueLost(failure: ApiError | NoAnswerError): boolean {
    if (!(failure instanceof ApiError)) return false;
    return failure.is('BAD_EVENT_QUEUE_ID') || (this.#isResumed && failure.status === 400);
  }

  /** Servers without streams answer 404. */
  #isStreamLost(failure: ApiError | NoAnswerError): boolean {
    if (failure instanceof SilentStreamError) return true;
    return failure.operation === 'GET /events/stream' && failure.status === 404;
  }

  async #pause(forMs: number): Promise<void> {
    // Only one: where nothing answers, each further attempt fails at once.
    if (this.#isWoken) {
      this.#isWoken = false;
      return;
    }
    this.#pausing = new AbortController();
    await pause(forMs, AbortSignal.any([this.#stopping.signal, this.#pausing.signal]));
  }

  async #give(failure: unknown): Promise<never> {
    this.#stopping.abort();
    await this.#end();
    throw failure;
  }

  async #end(): Promise<IteratorResult<FollowedEvent, undefined>> {
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#taken.length = 0;
    this.#streamed?.close();
    const queue = this.#queue;
    this.#queue = undefined;
    if (queue !== undefined && this.#options.keepsQueue !== true) {
      // The queue may be gone already, or ends by itself while the server is away: nothing is left to do.
      await this.#client
        .request(
          'DELETE /events',
          { queue_id: queue.id },
          { repeatsMax: 0, timeoutMs: deleteTimeoutMs },
        )
        .catch(() => undefined);
    }
    return { done: true, value: undefined };
  }
}
