import { setTimeout as delay } from 'node:timers/promises';

import { readObjects } from './answer-checks.ts';
import { ApiClient, RefusedRequest } from './api-client.ts';
import type { Parameters } from './api-client.ts';
import type { DeliveryLedger, QueueRecord } from './delivery-ledger.ts';
import { waitUntil } from './wait-until.ts';

// A client that is refused a connection tries again after a moment; no test depends on this time.
const pauseAfterFailureMs = 100;

/**
 * A client that registers one event queue and polls it until stopped, recording its events in a ledger. A failed poll is repeated with the
 * same `last_event_id`, as real clients do; `BAD_EVENT_QUEUE_ID` ends the queue and is a fault.
 */
export class QueueFollower {
  readonly record: QueueRecord;
  readonly queueId: string;
  /** The event node that answered last, from `x-parley-node`. */
  lastNode: string | undefined;
  /** Polls without an answer, or with one that asks for a repeat. */
  failedPolls = 0;
  readonly #client: ApiClient;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #lastEventId: number;

  /**
   * Registers a queue for messages (raw content) and begins to poll.
   *
   * @param options.parameters further parameters of `register`
   */
  static async open(
    client: ApiClient,
    userId: number,
    ledger: DeliveryLedger,
    options: { readonly parameters?: Parameters } = {},
  ): Promise<QueueFollower> {
    // A service that is away for a moment asks for a repeat, and an extra queue is harmless.
    const body = await waitUntil(
      'a queue is registered',
      async () => {
        const parameters = { event_types: ['message'], ...options.parameters };
        const answer = await client.request('POST', 'register', parameters);
        if (answer.status === 503) return undefined;
        if (answer.status !== 200) throw new RefusedRequest('POST', 'register', answer);
        return answer.body;
      },
      { pauseMs: pauseAfterFailureMs },
    );
    const queueId = body['queue_id'] as string;
    return new QueueFollower(
      client,
      queueId,
      body['last_event_id'] as number,
      ledger.openQueue(queueId, userId),
    );
  }

  private constructor(
    client: ApiClient,
    queueId: string,
    lastEventId: number,
    record: QueueRecord,
  ) {
    this.#client = client;
    this.queueId = queueId;
    this.#lastEventId = lastEventId;
    this.record = record;
    this.#ended = this.#follow();
  }

  /** Ends the current poll and starts no more. The queue stays. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  /** Polls once for the present events, without waiting. Only after `stop`. */
  async pollOnce(): Promise<void> {
    await this.#poll({ dont_block: true });
  }

  async #follow(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        if (await this.#poll({}, this.#stopping.signal)) continue;
        return;
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        if (error instanceof Error && error.message.startsWith('bad answer')) {
          this.record.faults.push(error.message);
          return;
        }
        this.failedPolls += 1;
        await delay(pauseAfterFailureMs);
      }
    }
  }

  /** @returns whether the queue can be polled again */
  async #poll(parameters: Parameters, signal?: AbortSignal): Promise<boolean> {
    const answer = await this.#client.request(
      'GET',
      'events',
      { queue_id: this.queueId, last_event_id: this.#lastEventId, ...parameters },
      signal === undefined ? {} : { signal },
    );
    if (answer.status >= 500) {
      this.failedPolls += 1;
      await delay(pauseAfterFailureMs);
      return true;
    }
    if (answer.body['result'] !== 'success') {
      this.record.faults.push(`a poll was refused: ${JSON.stringify(answer.body)}`);
      return false;
    }
    const node = answer.headers['x-parley-node'];
    if (typeof node === 'string') this.lastNode = node;
    const events = readObjects(answer.body, 'events');
    this.record.receive(events);
    const newest = events.at(-1);
    if (newest !== undefined) this.#lastEventId = newest['id'] as number;
    return true;
  }
}
