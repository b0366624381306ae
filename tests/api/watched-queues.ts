/** Event queues of several people at once, to check exactly which events each of them gets in a step. */
import { readObjects, waitUntil } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';

type Watched = { readonly client: ApiClient; readonly queueId: string; lastEventId: number };

export class WatchedQueues<Who extends string> {
  readonly #queues: ReadonlyMap<Who, Watched>;
  readonly #marker: ApiClient;
  #marks = 0;

  private constructor(queues: ReadonlyMap<Who, Watched>, marker: ApiClient) {
    this.#queues = queues;
    this.#marker = marker;
  }

  /** @param marker a person whose status marks the end of a step in every queue */
  static async open<Who extends string>(
    clients: Readonly<Record<Who, ApiClient>>,
    marker: ApiClient,
  ): Promise<WatchedQueues<Who>> {
    const queues = new Map<Who, Watched>();
    for (const [who, client] of Object.entries(clients) as [Who, ApiClient][]) {
      const answer = await client.post('register', { fetch_event_types: [] });
      queues.set(who, {
        client,
        queueId: answer['queue_id'] as string,
        lastEventId: answer['last_event_id'] as number,
      });
    }
    return new WatchedQueues(queues, marker);
  }

  /** @returns the events that each queue got since the last call, in order and without their ids */
  async step(): Promise<Record<Who, JsonObject[]>> {
    this.#marks += 1;
    const mark = `mark ${this.#marks}`;
    await this.#marker.post('users/me/status', { status_text: mark });
    const steps = await Promise.all(
      [...this.#queues].map(async ([who, queue]) => [who, await readUntil(queue, mark)] as const),
    );
    return Object.fromEntries(steps) as Record<Who, JsonObject[]>;
  }
}

async function readUntil(queue: Watched, mark: string): Promise<JsonObject[]> {
  const events: JsonObject[] = [];
  await waitUntil(`the event of ${mark}`, async () => {
    const answer = await queue.client.get('events', {
      queue_id: queue.queueId,
      last_event_id: queue.lastEventId,
      dont_block: true,
    });
    for (const { id, ...event } of readObjects(answer, 'events')) {
      queue.lastEventId = id as number;
      if (event['status_text'] === mark) return true;
      if (event['type'] !== 'heartbeat' && !isNotice(event)) events.push(event);
    }
    return undefined;
  });
  return events;
}

/** Notices about subscriptions arrive at no fixed time. */
function isNotice(event: JsonObject): boolean {
  const message = event['message'] as { client: string } | undefined;
  return event['type'] === 'message' && message?.client === 'Internal';
}
