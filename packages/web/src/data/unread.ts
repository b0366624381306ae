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
  /** An edit decided whether an unread message mentions the person. */
  mention(messageId: number, mentionsSelf: boolean): void;
  /** Messages went to another conversation; those of them that are unread stay so. */
  move(to: Conversation, messageIds: Iterable<number>): void;
  clear(): void;
  /** All of it, for another tab. */
  snapshot(): UnreadSnapshot;
  restore(snapshot: UnreadSnapshot): void;
};

export type UnreadSnapshot = {
  readonly conversations: ReadonlyMap<string, UnreadConversation>;
  readonly mentions: ReadonlySet<number>;
};

function listedIn(
  lists: UnreadLists,
  selfId: number,
): readonly { readonly conversation: Conversation; readonly ids: readonly number[] }[] {
  return [
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
}

export function createUnread(): Unread {
  const conversations = signal<ReadonlyMap<string, UnreadConversation>>(new Map());
  const mentions = signal<ReadonlySet<number>>(new Set());
  const keyByMessage = computed(() => {
    const keys = new Map<number, string>();
    for (const [key, { ids }] of conversations.value) for (const id of ids) keys.set(id, key);
    return keys;
  });

  function addTo(conversation: Conversation, messageIds: readonly number[]): void {
    const key = conversationKey(conversation);
    const next = new Map(conversations.peek());
    next.set(key, { conversation, ids: new Set([...(next.get(key)?.ids ?? []), ...messageIds]) });
    conversations.value = next;
  }

  function takeOut(removed: ReadonlySet<number>): void {
    const keys = new Set([...removed].map((id) => keyByMessage.peek().get(id)));
    const next = new Map(conversations.peek());
    for (const key of keys) {
      const unread = key === undefined ? undefined : next.get(key);
      if (key === undefined || unread === undefined) continue;
      const ids = unread.ids.difference(removed);
      if (ids.size === 0) next.delete(key);
      else next.set(key, { ...unread, ids });
    }
    conversations.value = next;
  }

  return {
    conversations,
    mentions,
    has: (messageId) => keyByMessage.value.has(messageId),
    fill(lists, selfId) {
      const filled = new Map<string, UnreadConversation>();
      for (const { conversation, ids } of listedIn(lists, selfId)) {
        const key = conversationKey(conversation);
        // Spellings of a topic that differ in case are one conversation.
        const others = filled.get(key)?.ids ?? [];
        filled.set(key, { conversation, ids: new Set([...others, ...ids]) });
      }
      conversations.value = filled;
      mentions.value = new Set(lists.mentions);
    },
    add(conversation, messageId, mentionsSelf) {
      addTo(conversation, [messageId]);
      if (mentionsSelf) mentions.value = new Set(mentions.peek()).add(messageId);
    },
    remove(messageIds) {
      const removed = new Set(messageIds);
      takeOut(removed);
      mentions.value = mentions.peek().difference(removed);
    },
    mention(messageId, mentionsSelf) {
      const others = mentions.peek().difference(new Set([messageId]));
      const isUnread = keyByMessage.peek().has(messageId);
      mentions.value = mentionsSelf && isUnread ? others.add(messageId) : others;
    },
    move(to, messageIds) {
      const moved = [...messageIds].filter((id) => keyByMessage.peek().has(id));
      if (moved.length === 0) return;
      takeOut(new Set(moved));
      addTo(to, moved);
    },
    clear() {
      conversations.value = new Map();
      mentions.value = new Set();
    },
    snapshot: () => ({ conversations: conversations.peek(), mentions: mentions.peek() }),
    restore(snapshot) {
      conversations.value = snapshot.conversations;
      mentions.value = snapshot.mentions;
    },
  };
}
