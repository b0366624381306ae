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

/** @param flags of a message */
export function isMention(flags: readonly string[]): boolean {
  return flags.includes('mentioned') || flags.includes('wildcard_mentioned');
}

/** Reads the lists that `register` answers. */
export function readUnread(
  { streams, pms, huddles, mentions }: NonNullable<AnswerOf<'POST /register'>['unread_msgs']>,
  selfId: number,
): Unread {
  const mentioning = new Set(mentions);
  const unread = new Map<number, UnreadMessage>();
  const add = (conversation: Conversation, ids: readonly number[]): void => {
    for (const id of ids) unread.set(id, { conversation, mentionsSelf: mentioning.has(id) });
  };
  for (const { stream_id, topic, unread_message_ids } of streams)
    add({ type: 'stream', streamId: stream_id, topic }, unread_message_ids);
  for (const { sender_id, unread_message_ids } of pms)
    add({ type: 'private', userIds: [sender_id] }, unread_message_ids);
  for (const { user_ids_string, unread_message_ids } of huddles) {
    const everybody = user_ids_string.split(',').map(Number);
    add({ type: 'private', userIds: partnersOf(everybody, selfId) }, unread_message_ids);
  }
  return unread;
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
