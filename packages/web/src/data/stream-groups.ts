/** How the streams of a person are listed. */
import { topicKey } from './state.ts';
import type { State, Subscription } from './state.ts';

/** Without a message for this time a stream is inactive, unless it is pinned. */
const inactiveAfterSecs = 30 * 24 * 60 * 60;

export type ListedStream = {
  readonly stream: Subscription;
  /** Unread messages, without those of muted topics. */
  readonly unreadCount: number;
};

export type StreamGroups = {
  readonly pinned: readonly ListedStream[];
  readonly usual: readonly ListedStream[];
  /** Muted, or without messages for long. */
  readonly quiet: readonly ListedStream[];
};

/** Unread messages by stream, without those of muted topics. */
export function countUnreadByStream({
  unreadConversations,
  mutedTopics,
}: State): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { conversation, ids } of unreadConversations.value.values()) {
    if (conversation.type !== 'stream') continue;
    const { streamId, topic } = conversation;
    if (mutedTopics.value.has(topicKey(streamId, topic))) continue;
    counts.set(streamId, (counts.get(streamId) ?? 0) + ids.size);
  }
  return counts;
}

/** @param lastTimestamps of the newest known message of each stream, seconds since 1970 */
export function groupStreams(
  state: State,
  lastTimestamps: ReadonlyMap<number, number>,
  nowSecs: number,
): StreamGroups {
  const counts = countUnreadByStream(state);
  const isInactive = ({ stream_id, is_old_stream }: Subscription): boolean =>
    is_old_stream &&
    (counts.get(stream_id) ?? 0) === 0 &&
    nowSecs - (lastTimestamps.get(stream_id) ?? 0) > inactiveAfterSecs;
  const listed = [...state.subscriptions.value.values()]
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map((stream) => ({ stream, unreadCount: counts.get(stream.stream_id) ?? 0 }));
  const groupOf = ({ stream }: ListedStream): keyof StreamGroups => {
    if (stream.pin_to_top) return 'pinned';
    return stream.is_muted || isInactive(stream) ? 'quiet' : 'usual';
  };
  const groups = Map.groupBy(listed, groupOf);
  return {
    pinned: groups.get('pinned') ?? [],
    usual: groups.get('usual') ?? [],
    quiet: groups.get('quiet') ?? [],
  };
}
