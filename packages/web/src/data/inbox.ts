/** What is unread, as people go through it. */
import { conversationKey } from './narrow.ts';
import type { Conversation, PrivateConversation, StreamConversation } from './narrow.ts';
import type { State } from './state.ts';
import type { UnreadConversation } from './unread.ts';

export type InboxEntry<Kind extends Conversation = Conversation> = Omit<
  UnreadConversation,
  'conversation'
> & {
  readonly conversation: Kind;
  /** The id of the newest unread message. */
  readonly newestId: number;
};

/** There may be more of them than a function takes arguments. */
function newestOf(ids: ReadonlySet<number>): number {
  let newest = 0;
  for (const id of ids) newest = Math.max(newest, id);
  return newest;
}

/** Unread conversations, the one with the newest unread message first. Of what the person muted only what mentions them. */
export function listUnread(state: State): readonly InboxEntry[] {
  return [...state.unreadConversations.value.values()]
    .filter(({ mentionCount, isMuted }) => mentionCount > 0 || !isMuted)
    .map((unread) => ({ ...unread, newestId: newestOf(unread.ids) }))
    .toSorted((one, other) => other.newestId - one.newestId);
}

export function countUnread(entries: readonly InboxEntry[]): number {
  return entries.reduce((sum, { ids }) => sum + ids.size, 0);
}

function isPrivate(entry: InboxEntry): entry is InboxEntry<PrivateConversation> {
  return entry.conversation.type === 'private';
}

function isInStream(entry: InboxEntry): entry is InboxEntry<StreamConversation> {
  return entry.conversation.type === 'stream';
}

/** @returns private conversations, then topics by their streams in the order of the navigation: pinned ones first, each by name */
export function groupInbox({ subscriptions }: State, entries: readonly InboxEntry[]) {
  const byStream = Map.groupBy(entries.filter(isInStream), (entry) => entry.conversation.streamId);
  const streams = [...byStream]
    .map(([streamId, topics]) => ({
      streamId,
      topics,
      stream: subscriptions.value.get(streamId),
    }))
    .toSorted(
      (one, other) =>
        Number(other.stream?.pin_to_top ?? false) - Number(one.stream?.pin_to_top ?? false) ||
        (one.stream?.name ?? '').localeCompare(other.stream?.name ?? ''),
    );
  return { conversations: entries.filter(isPrivate), streams };
}

/**
 * A way through everything unread, the newest first. What was passed unread comes back when there is nothing else, or something new in it.
 *
 * @returns a function that says where to go from a conversation that is shown; undefined if there is nothing unread elsewhere
 */
export function createUnreadRound(
  state: State,
): (shown: Conversation | undefined) => Conversation | undefined {
  /** Ids of the newest unread messages that were passed, by conversation. */
  const passed = new Map<string, number>();
  return (shown) => {
    const shownKey = shown && conversationKey(shown);
    const unread = listUnread(state);
    const isPassed = ({ conversation, newestId }: InboxEntry): boolean =>
      newestId <= (passed.get(conversationKey(conversation)) ?? 0);
    const others = unread.filter(({ conversation }) => conversationKey(conversation) !== shownKey);
    if (others.every(isPassed)) passed.clear();
    const next = others.find((entry) => !isPassed(entry));
    for (const { conversation, newestId } of unread)
      if (conversation === next?.conversation || conversationKey(conversation) === shownKey)
        passed.set(conversationKey(conversation), newestId);
    return next?.conversation;
  };
}
