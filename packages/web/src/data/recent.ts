/** Conversations by their last message: those of the newest messages. */
import { computed, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { Requests } from '@parley/client';

import { conversationOfMessage } from './conversation.ts';
import type { MessageStore } from './message-store.ts';
import { conversationKey } from './narrow.ts';
import type { Conversation } from './narrow.ts';
import type { Message, State } from './state.ts';

export type RecentConversation = {
  readonly conversation: Conversation;
  readonly lastMessageId: number;
  /** Seconds since 1970. */
  readonly lastTimestamp: number;
  /** Who took part, the last sender first. */
  readonly senderIds: readonly number[];
  readonly unreadCount: number;
  /** Whether an unread message mentions the person. */
  readonly mentioned: boolean;
};

/** Of the newest messages; what conversations need of a message, without its content. */
type Head = {
  readonly conversation: Conversation;
  readonly senderId: number;
  readonly timestamp: number;
};

const headsMax = 1_000;

export class Recent {
  /** The one with the newest message first. */
  readonly conversations: ReadonlySignal<readonly RecentConversation[]>;
  /** Whether the newest messages are being read for the first time. */
  readonly loading: Signal<boolean> = signal(false);
  readonly failure: Signal<unknown> = signal(undefined);
  readonly #client: Requests;
  readonly #state: State;
  readonly #store: MessageStore;
  readonly #heads = signal<ReadonlyMap<number, Head>>(new Map());
  #isLoaded = false;

  constructor(client: Requests, state: State, store: MessageStore) {
    this.#client = client;
    this.#state = state;
    this.#store = store;
    this.conversations = computed(() => this.#group());
  }

  /** Reads the newest messages, unless that was done. */
  async load(): Promise<void> {
    if (this.#isLoaded || this.loading.peek()) return;
    this.loading.value = true;
    this.failure.value = undefined;
    try {
      while (!this.#isLoaded) {
        // After a gap in the events, which sets this again, what was read before may lack something.
        this.#isLoaded = true;
        await this.#read();
      }
    } catch (failure) {
      this.#isLoaded = false;
      this.failure.value = failure;
    } finally {
      this.loading.value = false;
    }
  }

  /** After events were lost: what is held is replaced when the server has answered. */
  async reload(): Promise<void> {
    if (!this.#isLoaded) return;
    this.#isLoaded = false;
    await this.load();
  }

  async #read(): Promise<void> {
    const { messages } = await this.#store.readUnchanged(() =>
      this.#client.request('GET /messages', {
        anchor: 'newest',
        num_before: headsMax,
        num_after: 0,
        narrow: [],
        apply_markdown: true,
        client_gravatar: false,
      }),
    );
    const heads = messages.map((message) => [message.id, this.#headOf(message)] as const);
    const newest = messages.at(-1)?.id ?? 0;
    const arrived = [...this.#heads.peek()].filter(([id]) => id > newest);
    this.#heads.value = new Map([...heads, ...arrived]);
  }

  receive(message: Message): void {
    const heads = new Map(this.#heads.peek()).set(message.id, this.#headOf(message));
    const [oldest] = heads.keys();
    if (heads.size > headsMax && oldest !== undefined) heads.delete(oldest);
    this.#heads.value = heads;
  }

  remove(ids: readonly number[]): void {
    const heads = new Map(this.#heads.peek());
    for (const id of ids) heads.delete(id);
    this.#heads.value = heads;
  }

  /** Messages of a stream got another topic. */
  move(ids: readonly number[], topic: string): void {
    const heads = new Map(this.#heads.peek());
    for (const id of ids) {
      const head = heads.get(id);
      if (head?.conversation.type === 'stream')
        heads.set(id, { ...head, conversation: { ...head.conversation, topic } });
    }
    this.#heads.value = heads;
  }

  #headOf(message: Message): Head {
    return {
      conversation: conversationOfMessage(message, this.#state.self.peek().user_id),
      senderId: message.sender_id,
      timestamp: message.timestamp,
    };
  }

  #group(): readonly RecentConversation[] {
    const unread = this.#state.unread.conversations.value;
    const mentions = this.#state.unread.mentions.value;
    const newestFirst = [...this.#heads.value].toSorted(([one], [other]) => other - one);
    const groups = Map.groupBy(newestFirst, ([, { conversation }]) =>
      conversationKey(conversation),
    );
    return [...groups].flatMap(([key, messages]) => {
      const [last] = messages;
      if (last === undefined) return [];
      const [lastMessageId, { conversation, timestamp }] = last;
      const unreadIds = unread.get(key)?.ids ?? new Set();
      return [
        {
          conversation,
          lastMessageId,
          lastTimestamp: timestamp,
          senderIds: [...new Set(messages.map(([, { senderId }]) => senderId))],
          unreadCount: unreadIds.size,
          mentioned: !unreadIds.isDisjointFrom(mentions),
        },
      ];
    });
  }
}
