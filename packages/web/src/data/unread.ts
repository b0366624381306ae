/** Unread messages: by id, as the state keeps them, and by conversation, as people see them. */
import type { ReadonlySignal } from '@preact/signals';
import type { AnswerOf } from '@parley/client';

import { conversationKey, partnersOf, topicKey } from './narrow.ts';
import type { Conversation } from './narrow.ts';

/** Who is mentioned: the person, by name or in a group, or everybody in the stream. */
export type Mention = 'self' | 'everybody';

export type UnreadMessage = {
  readonly conversation: Conversation;
  readonly mention: Mention | undefined;
};

/** By the ids of messages. */
export type Unread = ReadonlyMap<number, UnreadMessage>;

export type UnreadConversation = {
  readonly conversation: Conversation;
  readonly ids: ReadonlySet<number>;
  /** How many of them mention the person; where it is muted, without those that mention everybody (reference facts, events 4.1). */
  readonly mentionCount: number;
  /** See `isMuted`. */
  readonly isMuted: boolean;
};

/** @param flags of a message */
export function mentionOf(flags: readonly string[]): Mention | undefined {
  if (flags.includes('mentioned')) return 'self';
  return flags.includes('wildcard_mentioned') ? 'everybody' : undefined;
}

/** What the person muted. */
type Muting = {
  readonly subscriptions: ReadonlySignal<ReadonlyMap<number, { readonly is_muted: boolean }>>;
  /** By `topicKey`. */
  readonly mutedTopics: ReadonlySignal<ReadonlySet<string>>;
};

export function isTopicMuted(
  { mutedTopics }: Pick<Muting, 'mutedTopics'>,
  streamId: number,
  topic: string,
): boolean {
  return mutedTopics.value.has(topicKey(streamId, topic));
}

/** Whether the person muted a conversation, or the stream that it is in. */
export function isMuted(muting: Muting, conversation: Conversation): boolean {
  if (conversation.type === 'private') return false;
  const { streamId, topic } = conversation;
  const isStreamMuted = muting.subscriptions.value.get(streamId)?.is_muted === true;
  return isStreamMuted || isTopicMuted(muting, streamId, topic);
}

/**
 * Reads the lists that `register` answers. They tell a mention of everybody like one of the person, and not at all where it is muted: when that
 * changes, `reducers/streams.ts` asks.
 */
export function readUnread(
  { streams, pms, huddles, mentions }: NonNullable<AnswerOf<'POST /register'>['unread_msgs']>,
  selfId: number,
): Unread {
  const mentioning = new Set(mentions);
  const unread = new Map<number, UnreadMessage>();
  const add = (conversation: Conversation, ids: readonly number[]): void => {
    for (const id of ids)
      unread.set(id, { conversation, mention: mentioning.has(id) ? 'self' : undefined });
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
export function groupUnread(
  unread: Unread,
  muting: Muting,
): ReadonlyMap<string, UnreadConversation> {
  type Group = {
    conversation: Conversation;
    ids: Set<number>;
    mentionCount: number;
    isMuted: boolean;
  };
  const groups = new Map<string, Group>();
  // There may be 50,000 messages, most of which share the objects of their conversations.
  const found = new Map<Conversation, Group>();
  for (const [id, { conversation, mention }] of unread) {
    let group = found.get(conversation);
    if (group === undefined) {
      const key = conversationKey(conversation);
      group = groups.get(key) ?? {
        conversation,
        ids: new Set(),
        mentionCount: 0,
        isMuted: isMuted(muting, conversation),
      };
      groups.set(key, group);
      found.set(conversation, group);
    }
    group.ids.add(id);
    if (mention === 'self' || (mention === 'everybody' && !group.isMuted)) group.mentionCount += 1;
  }
  return groups;
}
