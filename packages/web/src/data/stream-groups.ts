/** What is unread where, and how the streams of a person are listed. */
import { conversationKey } from './narrow.ts';
import type { Conversation } from './narrow.ts';
import type { State, Subscription } from './state.ts';
import { isTopicMuted } from './unread.ts';

/** Without a message for this time a stream is inactive, unless it is pinned. */
const inactiveAfterSecs = 30 * 24 * 60 * 60;

export type ListedStream = {
  readonly stream: Subscription;
  /** Unread messages, without those of muted topics. */
  readonly unreadCount: number;
};

export function countUnreadIn({ unreadConversations }: State, conversation: Conversation): number {
  return unreadConversations.value.get(conversationKey(conversation))?.ids.size ?? 0;
}

/** Unread messages by stream, without those of muted topics. */
export function countUnreadByStream(state: State): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { conversation, ids } of state.unreadConversations.value.values()) {
    if (conversation.type !== 'stream') continue;
    const { streamId, topic } = conversation;
    if (isTopicMuted(state, streamId, topic)) continue;
    counts.set(streamId, (counts.get(streamId) ?? 0) + ids.size);
  }
  return counts;
}

/**
 * @param lastTimestamps of the newest known message of each stream, seconds since 1970
 * @returns by name those that are shown, pinned ones first, and those that are quiet: muted, or without messages for long
 */
export function groupStreams(
  state: State,
  lastTimestamps: ReadonlyMap<number, number>,
  nowSecs: number,
) {
  const counts = countUnreadByStream(state);
  const isQuiet = ({ stream, unreadCount }: ListedStream): boolean => {
    const ageSecs = nowSecs - (lastTimestamps.get(stream.stream_id) ?? 0);
    const isInactive = stream.is_old_stream && unreadCount === 0 && ageSecs > inactiveAfterSecs;
    return !stream.pin_to_top && (stream.is_muted || isInactive);
  };
  const listed: readonly ListedStream[] = [...state.subscriptions.value.values()]
    .toSorted(
      (one, other) =>
        Number(other.pin_to_top) - Number(one.pin_to_top) || one.name.localeCompare(other.name),
    )
    .map((stream) => ({ stream, unreadCount: counts.get(stream.stream_id) ?? 0 }));
  return { shown: listed.filter((each) => !isQuiet(each)), quiet: listed.filter(isQuiet) };
}
