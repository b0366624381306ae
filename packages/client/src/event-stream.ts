import { pause, pauseAfter } from './back-off.ts';
import { ApiError, NoAnswerError } from './errors.ts';
import type { AnswerOf, ParametersOf, ServerEvent } from './operation-types.ts';
import type { Requests } from './request-options.ts';

export type EventsOptions = {
  /** Ends the iteration without an error, and deletes the queue. */
  readonly signal?: AbortSignal;
  /** Told of every failure that the stream survives. */
  readonly onFailure?: (failure: ApiError | NoAnswerError) => void;
};

/**
 * A queue was registered, and the events that follow are those after `state`. Not the first one means that events were lost: what
 * was known is to be replaced by `state`.
 */
export type RegisteredEvent = {
  readonly type: 'registered';
  readonly isFirst: boolean;
  readonly state: AnswerOf<'POST /register'>;
};

/** What a stream gives. Heartbeats are kept from it. */
export type FollowedEvent = RegisteredEvent | Exclude<ServerEvent, { readonly type: 'heartbeat' }>;

// The server holds a poll for less than a minute; an answer later than this is none (reference facts, clients 3.2).
const pollTimeoutMs = 90_000;

/** Nobody waits long for the end of a queue that ends by itself anyway. */
const deleteTimeoutMs = 5_000;

/** With these, something that was there before is away, or asks to come again; 409 is what some say to a second poll. */
const passingStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429]);

function isPassing(failure: ApiError | NoAnswerError): boolean {
  const { status } = failure;
  if (failure instanceof NoAnswerError && (status === undefined || status < 400)) return true;
  return status !== undefined && (status >= 500 || passingStatuses.has(status));
}

/**
 * Events of one caller, in their order, each once. The stream registers a queue with the first `next()`, polls it, and goes on
 * through failures of the network, restarts and refusals that pass, with pauses that grow to half a minute. A queue that the server
 * no longer has is replaced by another one, which a `registered` event tells.
 *
 * Events are acknowledged when all that came with them were taken, so a consumer that ends in the middle has told the server nothing
 * of them. `return()`, the end of a `for await` and the signal delete the queue.
 *
 * `next()` throws ApiError where the server refuses for good (credentials, parameters), after which the stream has ended.
 */
export class EventStream implements AsyncIterableIterator<FollowedEvent, undefined, undefined> {
  readonly #client: Requests;
  readonly #parameters: ParametersOf<'POST /register'>;
  readonly #options: EventsOptions;
  readonly #stopping = new AbortController();
  readonly #taken: FollowedEvent[] = [];
  #queue: { readonly id: string; lastEventId: number } | undefined;
  #wasRegistered = false;
  #failures = 0;
  /** Calls of `next` and `return` take turns. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Made by `ParleyClient.events`. */
  constructor(
    client: Requests,
    parameters: ParametersOf<'POST /register'>,
    options: EventsOptions,
  ) {
    this.#client = client;
    this.#parameters = parameters;
    this.#options = options;
    if (options.signal?.aborted === true) this.#stopping.abort();
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** The queue that is followed at the moment. */
  get queueId(): string | undefined {
    return this.#queue?.id;
  }

  next(): Promise<IteratorResult<FollowedEvent, undefined>> {
    return this.#takeTurn(() => this.#takeNext());
  }

  /** Ends a wait that is under way, and deletes the queue. */
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
        await (this.#queue === undefined ? this.#register() : this.#poll(this.#queue));
        this.#failures = 0;
      } catch (error) {
        if (!this.#stopping.signal.aborted) await this.#survive(error);
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
    this.#taken.push({ type: 'registered', isFirst: !this.#wasRegistered, state });
    this.#wasRegistered = true;
  }

  async #poll(queue: { readonly id: string; lastEventId: number }): Promise<void> {
    const { events } = await this.#client.request(
      'GET /events',
      { queue_id: queue.id, last_event_id: queue.lastEventId },
      { signal: this.#stopping.signal, repeatsMax: 0, timeoutMs: pollTimeoutMs },
    );
    for (const event of events) {
      if (event.id <= queue.lastEventId) continue;
      // Of a heartbeat too: it says that nothing came up to there.
      queue.lastEventId = event.id;
      if (event.type === 'heartbeat') continue;
      this.#taken.push(event);
    }
  }

  /** @throws the failure when it will not pass */
  async #survive(failure: unknown): Promise<void> {
    if (!(failure instanceof ApiError || failure instanceof NoAnswerError)) {
      await this.#give(failure);
      return;
    }
    if (failure instanceof ApiError && failure.is('BAD_EVENT_QUEUE_ID')) {
      this.#queue = undefined;
    } else if (!isPassing(failure)) {
      await this.#give(failure);
    }
    this.#options.onFailure?.(failure);
    this.#failures += 1;
    // The next queue is registered at once, unless its predecessor was lost as soon as it was there.
    if (this.#queue === undefined && this.#failures === 1) return;
    await pause(pauseAfter(this.#failures, failure.retryAfterSecs), this.#stopping.signal);
  }

  async #give(failure: unknown): Promise<never> {
    this.#stopping.abort();
    await this.#end();
    throw failure;
  }

  async #end(): Promise<IteratorResult<FollowedEvent, undefined>> {
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#taken.length = 0;
    const queue = this.#queue;
    this.#queue = undefined;
    if (queue !== undefined) {
      // Whether it is gone already, or ends by itself because the server is away: there is nothing left to do.
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
