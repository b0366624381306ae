import { pause, pauseAfter } from './back-off.ts';
import { ApiError, NoAnswerError } from './errors.ts';
import type { AnswerOf, ParametersOf, ServerEvent } from './operation-types.ts';
import type { Requests } from './request-options.ts';

export type EventsOptions = {
  /** Ends the iteration without an error, and deletes the queue. */
  readonly signal?: AbortSignal;
  /** Called with every failure that the stream survives. */
  readonly onFailure?: (failure: ApiError | NoAnswerError) => void;
};

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
  #wasRegistered = false;
  #failures = 0;
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
    if (options.signal?.aborted === true) this.#stopping.abort();
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** The current queue. */
  get queueId(): string | undefined {
    return this.#queue?.id;
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
        await (this.#queue === undefined ? this.#register() : this.#poll(this.#queue));
        this.#failures = 0;
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
      // Also of a heartbeat: nothing happened up to its id.
      queue.lastEventId = event.id;
      if (event.type === 'heartbeat') continue;
      this.#taken.push(event);
    }
  }

  /** @throws the failure if it is permanent */
  async #recover(failure: unknown): Promise<void> {
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
    // The next queue is registered at once, unless the last one was lost directly after its registration.
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
