/** Unread messages by conversation. Ids of messages are unique in the organization, so a set for each conversation is all there is. */
import { computed, signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import type { AnswerOf } from '@parley/client';

import { conversationKey, partnersOf } from './narrow.ts';
import type { Conversation } from './narrow.ts';

type UnreadLists = Required<AnswerOf<'POST /register'>>['unread_msgs'];

export type UnreadConversation = {
  readonly conversation: Conversation;
  readonly ids: ReadonlySet<number>;
};

export type Unread = {
  /** By `conversationKey`; conversations without unread messages are absent. */
  readonly conversations: ReadonlySignal<ReadonlyMap<string, UnreadConversation>>;
  /** Unread messages that mention the person. */
  readonly mentions: ReadonlySignal<ReadonlySet<number>>;
  /** Whether a message is unread. */
  has(messageId: number): boolean;
  fill(lists: UnreadLists, selfId: number): void;
  add(conversation: Conversation, messageId: number, mentionsSelf: boolean): void;
  remove(messageIds: Iterable<number>): void;
  clear(): void;
};

export function createUnread(): Unread {
  const conversations = signal<ReadonlyMap<string, UnreadConversation>>(new Map());
  const mentions = signal<ReadonlySet<number>>(new Set());
  const keyByMessage = computed(() => {
    const keys = new Map<number, string>();
    for (const [key, { ids }] of conversations.value) for (const id of ids) keys.set(id, key);
    return keys;
  });
  return {
    conversations,
    mentions,
    has: (messageId) => keyByMessage.value.has(messageId),
    fill(lists, selfId) {
      const found = [
        ...lists.streams.map(({ stream_id, topic, unread_message_ids }) => ({
          conversation: { type: 'stream', streamId: stream_id, topic } as const,
          ids: unread_message_ids,
        })),
        ...lists.pms.map(({ sender_id, unread_message_ids }) => ({
          conversation: { type: 'private', userIds: [sender_id] } as const,
          ids: unread_message_ids,
        })),
        ...lists.huddles.map(({ user_ids_string, unread_message_ids }) => ({
          conversation: {
            type: 'private',
            userIds: partnersOf(user_ids_string.split(',').map(Number), selfId),
          } as const,
          ids: unread_message_ids,
        })),
      ];
      conversations.value = new Map(
        found.map(({ conversation, ids }) => [
          conversationKey(conversation),
          { conversation, ids: new Set(ids) },
        ]),
      );
      mentions.value = new Set(lists.mentions);
    },
    add(conversation, messageId, mentionsSelf) {
      const key = conversationKey(conversation);
      const next = new Map(conversations.value);
      const ids = new Set(next.get(key)?.ids);
      next.set(key, { conversation, ids: ids.add(messageId) });
      conversations.value = next;
      if (mentionsSelf) mentions.value = new Set(mentions.value).add(messageId);
    },
    remove(messageIds) {
      const removed = new Set(messageIds);
      const keys = new Set([...removed].map((id) => keyByMessage.value.get(id)));
      const next = new Map(conversations.value);
      for (const key of keys) {
        const unread = key === undefined ? undefined : next.get(key);
        if (key === undefined || unread === undefined) continue;
        const ids = unread.ids.difference(removed);
        if (ids.size === 0) next.delete(key);
        else next.set(key, { ...unread, ids });
      }
      conversations.value = next;
      mentions.value = mentions.value.difference(removed);
    },
    clear() {
      conversations.value = new Map();
      mentions.value = new Set();
    },
  };
}
