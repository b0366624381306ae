/** Unread messages: by id, as the state keeps them, and by conversation, as people see them. */
import type { AnswerOf } from '@parley/client';

import { conversationKey, partnersOf } from './narrow.ts';
import type { Conversation } from './narrow.ts';

export type UnreadMessage = {
  readonly conversation: Conversation;
  readonly mentionsSelf: boolean;
};

/** By the ids of messages. */
export type Unread = ReadonlyMap<number, UnreadMessage>;

export type UnreadConversation = {
  readonly conversation: Conversation;
  readonly ids: ReadonlySet<number>;
  /** How many of them mention the person. */
  readonly mentionCount: number;
};

/** Reads the lists that `register` answers. */
export function readUnread(
  { streams, pms, huddles, mentions }: NonNullable<AnswerOf<'POST /register'>['unread_msgs']>,
  selfId: number,
): Unread {
  const mentioning = new Set(mentions);
  const inPrivate = (userIds: readonly number[]): Conversation => ({ type: 'private', userIds });
  const lists: readonly (readonly [Conversation, readonly number[]])[] = [
    ...streams.map(
      ({ stream_id, topic, unread_message_ids }) =>
        [{ type: 'stream', streamId: stream_id, topic }, unread_message_ids] as const,
    ),
    ...pms.map(
      ({ sender_id, unread_message_ids }) => [inPrivate([sender_id]), unread_message_ids] as const,
    ),
    ...huddles.map(({ user_ids_string, unread_message_ids }) => {
      const everybody = user_ids_string.split(',').map(Number);
      return [inPrivate(partnersOf(everybody, selfId)), unread_message_ids] as const;
    }),
  ];
  return new Map(
    lists.flatMap(([conversation, ids]) =>
      ids.map((id) => [id, { conversation, mentionsSelf: mentioning.has(id) }] as const),
    ),
  );
}

/** By `conversationKey`; conversations without unread messages are absent. */
export function groupUnread(unread: Unread): ReadonlyMap<string, UnreadConversation> {
  type Group = { conversation: Conversation; ids: Set<number>; mentionCount: number };
  const groups = new Map<string, Group>();
  // There may be 50,000 messages, most of which share the objects of their conversations.
  const found = new Map<Conversation, Group>();
  for (const [id, { conversation, mentionsSelf }] of unread) {
    let group = found.get(conversation);
    if (group === undefined) {
      const key = conversationKey(conversation);
      group = groups.get(key) ?? { conversation, ids: new Set(), mentionCount: 0 };
      groups.set(key, group);
      found.set(conversation, group);
    }
    group.ids.add(id);
    if (mentionsSelf) group.mentionCount += 1;
  }
  return groups;
}

/** Changes those of some messages that are unread. */
export function changeUnread(
  unread: Unread,
  messageIds: Iterable<number>,
  change: (message: UnreadMessage) => UnreadMessage,
): Unread {
  const changed = new Map(unread);
  for (const id of messageIds) {
    const message = unread.get(id);
    if (message !== undefined) changed.set(id, change(message));
  }
  return changed;
}
