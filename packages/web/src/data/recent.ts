/** Conversations by their last message: those of the newest messages. */
import { computed } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

import { conversationOfMessage } from './conversation.ts';
import type { MessageLists } from './message-lists.ts';
import { conversationKey } from './narrow.ts';
import type { Conversation } from './narrow.ts';
import type { State } from './state.ts';

export type RecentConversation = {
  readonly conversation: Conversation;
  /** Seconds since 1970. */
  readonly lastTimestamp: number;
  /** Who took part, the last sender first. */
  readonly senderIds: readonly number[];
  readonly unreadCount: number;
  /** Whether an unread message mentions the person. */
  readonly mentioned: boolean;
};

export class Recent {
  /** The one with the newest message first. */
  readonly conversations: ReadonlySignal<readonly RecentConversation[]>;
  readonly loading: ReadonlySignal<boolean>;
  readonly failure: ReadonlySignal<unknown>;
  readonly #lists: MessageLists;

  constructor(lists: MessageLists, state: State) {
    this.#lists = lists;
    this.loading = computed(() => lists.newest.loading.value !== undefined);
    this.failure = lists.newest.failure;
    this.conversations = computed(() => groupConversations(lists, state));
  }

  /** Reads the newest messages, unless that was done. */
  async load(): Promise<void> {
    const { hasNewest, failure, loading } = this.#lists.newest;
    const isCurrent = hasNewest.peek() && failure.peek() === undefined;
    if (!isCurrent && loading.peek() === undefined) await this.#lists.newest.load('newest');
  }
}

function groupConversations(
  { newest, store }: MessageLists,
  state: State,
): readonly RecentConversation[] {
  const selfId = state.self.value.user_id;
  const newestFirst = newest.ids.value
    .toReversed()
    .flatMap((id) => store.find(id)?.value ?? [])
    .map((message) => ({ message, conversation: conversationOfMessage(message, selfId) }));
  const groups = Map.groupBy(newestFirst, ({ conversation }) => conversationKey(conversation));
  return [...groups].flatMap(([key, [last, ...others]]) => {
    if (last === undefined) return [];
    const unread = state.unreadConversations.value.get(key);
    return [
      {
        conversation: last.conversation,
        lastTimestamp: last.message.timestamp,
        senderIds: [...new Set([last, ...others].map(({ message }) => message.sender_id))],
        unreadCount: unread?.ids.size ?? 0,
        mentioned: (unread?.mentionCount ?? 0) > 0,
      },
    ];
  });
}
