/** Event queues of many accounts, read up to a message that all of them get: an event that is missing by then was not delivered. */
import { readObjects, waitUntil } from '@parley/test-kit';
import type { JsonObject, TestAccount } from '@parley/test-kit';

type Queue = {
  readonly account: Pick<TestAccount, 'client'>;
  readonly queueId: string;
  readonly unread: JsonObject[];
  lastEventId: number;
};

export class FencedQueues<Name extends string> {
  readonly #queues: ReadonlyMap<Name, Queue>;
  readonly #sendFence: (content: string) => Promise<unknown>;
  #fences = 0;

  private constructor(
    queues: ReadonlyMap<Name, Queue>,
    sendFence: (content: string) => Promise<unknown>,
  ) {
    this.#queues = queues;
    this.#sendFence = sendFence;
  }

  /**
   * Opens a queue for each account.
   *
   * @param eventTypes in addition to `message`; all types by default
   * @param sendFence sends a message that every account receives
   */
  static async open<Name extends string>(
    accounts: Readonly<Record<Name, Pick<TestAccount, 'client'>>>,
    eventTypes: readonly string[] | undefined,
    sendFence: (content: string) => Promise<unknown>,
  ): Promise<FencedQueues<Name>> {
    const opened = await Promise.all(
      (Object.entries(accounts) as [Name, Pick<TestAccount, 'client'>][]).map(
        async ([name, account]): Promise<[Name, Queue]> => {
          const answer = await account.client.post('register', {
            event_types: eventTypes === undefined ? undefined : ['message', ...eventTypes],
            fetch_event_types: [],
            apply_markdown: false,
          });
          const queueId = answer['queue_id'] as string;
          return [
            name,
            { account, queueId, unread: [], lastEventId: answer['last_event_id'] as number },
          ];
        },
      ),
    );
    return new FencedQueues(new Map(opened), sendFence);
  }

  /** @returns the events of each queue since the last call, without their ids and without messages; empty queues are omitted */
  async read(): Promise<Partial<Record<Name, readonly JsonObject[]>>> {
    const all = await this.readWithMessages();
    const entries = (Object.entries(all) as [Name, readonly JsonObject[]][])
      .map(([name, events]): [Name, readonly JsonObject[]] => [
        name,
        events.filter((event) => event['type'] !== 'message'),
      ])
      .filter(([, events]) => events.length > 0);
    return Object.fromEntries(entries) as Partial<Record<Name, readonly JsonObject[]>>;
  }

  /** @returns the events of each queue since the last call, without their ids and without the fence */
  async readWithMessages(): Promise<Record<Name, readonly JsonObject[]>> {
    this.#fences += 1;
    const fence = `fence ${this.#fences}`;
    await this.#sendFence(fence);
    const isFence = (event: JsonObject): boolean =>
      (event['message'] as JsonObject | undefined)?.['content'] === fence;
    const read = await Promise.all(
      [...this.#queues].map(async ([name, queue]): Promise<[Name, readonly JsonObject[]]> => {
        await waitUntil(`the fence is in the queue of ${name}`, async () => {
          if (queue.unread.some(isFence)) return true;
          await this.#poll(queue);
          return queue.unread.some(isFence) || undefined;
        });
        const at = queue.unread.findIndex(isFence);
        const events = queue.unread.splice(0, at + 1).slice(0, -1);
        return [name, events];
      }),
    );
    return Object.fromEntries(read) as Record<Name, readonly JsonObject[]>;
  }

  async #poll(queue: Queue): Promise<void> {
    const answer = await queue.account.client.get('events', {
      queue_id: queue.queueId,
      last_event_id: queue.lastEventId,
      dont_block: true,
    });
    for (const { id, ...event } of readObjects(answer, 'events')) {
      queue.lastEventId = id as number;
      queue.unread.push(event);
    }
  }
}
