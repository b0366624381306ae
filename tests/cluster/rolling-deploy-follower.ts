import { setTimeout as delay } from 'node:timers/promises';

import { readObjects } from '@parley/test-kit';
import type { ApiClient, DeliveryLedger, JsonObject, QueueRecord } from '@parley/test-kit';

/** The change that an event reports; undefined for other events. */
function changeOfEvent(event: JsonObject): string | undefined {
  switch (event['type']) {
    case 'reaction':
      return `reaction ${String(event['message_id'])} ${String(event['emoji_name'])}`;
    case 'user_group':
      return `group ${String((event['group'] as JsonObject | undefined)?.['name'])}`;
    case 'stream':
      return `description ${String(event['value'])}`;
    default:
      return undefined;
  }
}

const eventTypesOfAll = ['message', 'reaction', 'user_group', 'stream'];
const pauseAfterFailureMs = 100;

/** A client that long-polls one queue and, like real clients, repeats each poll that was refused, lost or answered without events. */
export class DeployFollower {
  readonly record: QueueRecord;
  /** The changes from its events, in order. */
  readonly changes: string[] = [];
  /** Polls that failed or had an answer without events: the answer, or why there was none. */
  readonly interruptions: string[] = [];
  /** Two failures in a row, or a refusal that no retry would hide. */
  readonly faults: string[] = [];
  readonly #client: ApiClient;
  readonly #queueId: string;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #lastEventId: number;

  static async open(
    client: ApiClient,
    userId: number,
    ledger: DeliveryLedger,
    eventTypes: readonly string[] = eventTypesOfAll,
  ): Promise<DeployFollower> {
    const body = await client.post('register', { event_types: eventTypes, fetch_event_types: [] });
    const queueId = body['queue_id'] as string;
    return new DeployFollower(
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
    this.#queueId = queueId;
    this.#lastEventId = lastEventId;
    this.record = record;
    this.#ended = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    let failedBefore: string | undefined;
    while (!signal.aborted) {
      const failure = await this.#pollOnce();
      if (signal.aborted) return;
      if (failure !== undefined) {
        this.interruptions.push(failure);
        if (failedBefore !== undefined)
          this.faults.push(`a poll failed twice in a row: ${failedBefore}; ${failure}`);
        await delay(pauseAfterFailureMs);
      }
      failedBefore = failure;
    }
  }

  /** @returns why the poll failed; undefined if it was answered */
  async #pollOnce(): Promise<string | undefined> {
    const { signal } = this.#stopping;
    try {
      const answer = await this.#client.request(
        'GET',
        'events',
        { queue_id: this.#queueId, last_event_id: this.#lastEventId },
        { signal },
      );
      if (answer.status >= 500) return `${answer.status} ${JSON.stringify(answer.body)}`;
      if (answer.status !== 200) {
        this.faults.push(`a poll was refused: ${JSON.stringify(answer.body)}`);
        return 'refused';
      }
      const events = readObjects(answer.body, 'events');
      if (events.length === 0) this.interruptions.push('nothing');
      this.record.receive(events);
      for (const event of events) {
        const change = changeOfEvent(event);
        if (change !== undefined) this.changes.push(change);
        this.#lastEventId = event['id'] as number;
      }
      return undefined;
    } catch (error) {
      return String(error);
    }
  }
}
