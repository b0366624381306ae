/** Event queues of many accounts, read up to a fence that all of them get: an event that is missing by then was not delivered. */
import { settle } from '@parley/test-kit';
import type { JsonObject, TestAccount } from '@parley/test-kit';

import { FollowedQueue } from './follow-queue.ts';

type Queue = { readonly followed: FollowedQueue; readonly unread: JsonObject[] };

/** Notices about subscriptions arrive at no fixed time. */
export function isNotice({ type, message }: JsonObject): boolean {
  return type === 'message' && (message as JsonObject)['client'] === 'Internal';
}

export class FencedQueues<Name extends string> {
  readonly #queues: ReadonlyMap<Name, Queue>;
  readonly #sendFence: (text: string) => Promise<unknown>;
  #fences = 0;

  private constructor(
    queues: ReadonlyMap<Name, Queue>,
    sendFence: (text: string) => Promise<unknown>,
  ) {
    this.#queues = queues;
    this.#sendFence = sendFence;
  }

  /**
   * Opens a queue for each account.
   *
   * @param eventTypes in addition to `message`; all types by default
   * @param sendFence makes a message, or a status, with a text that every account receives
   */
  static async open<Name extends string>(
    accounts: Readonly<Record<Name, Pick<TestAccount, 'client'>>>,
    eventTypes: readonly string[] | undefined,
    sendFence: (text: string) => Promise<unknown>,
  ): Promise<FencedQueues<Name>> {
    const event_types = eventTypes === undefined ? undefined : ['message', ...eventTypes];
    const entries = Object.entries(accounts) as [Name, Pick<TestAccount, 'client'>][];
    const opened = entries.map(async ([name, { client }]): Promise<[Name, Queue]> => {
      const followed = await FollowedQueue.open(client, { event_types, apply_markdown: false });
      return [name, { followed, unread: [] }];
    });
    return new FencedQueues(new Map(await Promise.all(opened)), sendFence);
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
    await settle();
    const isFence = ({ message, status_text: status }: JsonObject): boolean =>
      status === fence || (message as JsonObject | undefined)?.['content'] === fence;
    const read = await Promise.all(
      [...this.#queues].map(
        async ([name, { followed, unread }]): Promise<[Name, readonly JsonObject[]]> => {
          unread.push(...(await followed.read()));
          const at = unread.findIndex(isFence);
          if (at < 0) throw new Error(`the fence did not come to the queue of ${name}`);
          return [name, unread.splice(0, at + 1).slice(0, -1)];
        },
      ),
    );
    return Object.fromEntries(read) as Record<Name, readonly JsonObject[]>;
  }
}
