/** Conversations by their last message. */
import { conversationOfMessage } from './conversation.ts';
import type { MessageLists } from './message-lists.ts';
import { conversationKey } from './narrow.ts';
import type { State } from './state.ts';

/** Those of the newest messages, as far as they are read; the one with the newest message first. */
export function recentConversations({ newest, store }: MessageLists, state: State) {
  const newestFirst = newest.ids.value
    .toReversed()
    .flatMap((id) => store.find(id)?.value ?? [])
    .map((message) => ({ message, conversation: conversationOfMessage(message, state) }));
  const groups = Map.groupBy(newestFirst, ({ conversation }) => conversationKey(conversation));
  return [...groups].flatMap(([key, [last, ...others]]) => {
    if (last === undefined) return [];
    const unread = state.unreadConversations.value.get(key);
    return [
      {
        conversation: last.conversation,
        /** Seconds since 1970. */
        lastTimestamp: last.message.timestamp,
        /** Who took part, the last sender first. */
        senderIds: [...new Set([last, ...others].map(({ message }) => message.sender_id))],
        unreadCount: unread?.ids.size ?? 0,
        /** Whether an unread message mentions the person. */
        mentioned: (unread?.mentionCount ?? 0) > 0,
      },
    ];
  });
}

export type RecentConversation = ReturnType<typeof recentConversations>[number];
