/** An event queue of one client, read to a certain event. */
import { readObjects, settle } from '@parley/test-kit';
import type { ApiClient, JsonObject, Parameters } from '@parley/test-kit';

export class FollowedQueue {
  /** The answer of `register`. */
  readonly state: JsonObject;
  readonly #client: ApiClient;
  readonly #queueId: string;
  #lastEventId: number;

  private constructor(client: ApiClient, answer: JsonObject) {
    this.state = answer;
    this.#client = client;
    this.#queueId = answer['queue_id'] as string;
    this.#lastEventId = answer['last_event_id'] as number;
  }

  /** @param parameters those of `register`; without them every event and no state */
  static async open(client: ApiClient, parameters: Parameters = {}): Promise<FollowedQueue> {
    return new FollowedQueue(
      client,
      await client.post('register', { fetch_event_types: [], ...parameters }),
    );
  }

  /** @param parameters those of a poll without a queue, which makes one */
  static async openByPoll(client: ApiClient, parameters: Parameters): Promise<FollowedQueue> {
    return new FollowedQueue(client, await client.get('events', parameters));
  }

  /** @returns the events since the last call, without their ids, of which there must be at least this many when all has happened */
  async next(count: number): Promise<JsonObject[]> {
    await settle();
    const events = await this.read();
    if (events.length < count)
      throw new Error(`${events.length} of ${count} events came: ${JSON.stringify(events)}`);
    return events;
  }

  /** @returns the events that have come since the last call, without their ids */
  async read(): Promise<JsonObject[]> {
    const events: JsonObject[] = [];
    for (;;) {
      const answer = await this.#client.get('events', {
        queue_id: this.#queueId,
        last_event_id: this.#lastEventId,
        dont_block: true,
      });
      const read = readObjects(answer, 'events');
      if (read.length === 0) return events;
      for (const { id, ...event } of read) {
        this.#lastEventId = id as number;
        events.push(event);
      }
    }
  }
}
