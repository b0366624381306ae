/** Where a person can go by typing a part of its name: conversations, streams and people, whoever subscribes to what. */
import type { App } from './app.ts';
import { listUnread } from './inbox.ts';
import { conversationKey, narrowOf, onlyPartnerOf, streamNarrow } from './narrow.ts';
import type { Conversation } from './narrow.ts';
import { streamIdAt } from './place.ts';
import type { Place } from './place.ts';
import { bestOf, foldText, rankLoosely, rankName } from './ranking.ts';
import type { State } from './state.ts';
import { countUnreadByStream, countUnreadIn } from './stream-groups.ts';

export type DestinationSources = Pick<App, 'state' | 'recent' | 'topics' | 'place'> & {
  readonly visited: Pick<App['visited'], 'items'>;
};

export type Destination = {
  /** Equal for equal places. */
  readonly key: string;
  readonly place: Place;
  /** What it is found by, beside its detail. */
  readonly name: string;
  /** The stream of a topic, or the address of a person. */
  readonly detail: string;
  readonly unreadCount: number;
  readonly kind: 'stream' | 'topic' | 'person' | 'people';
  /** The id of a stream or person. */
  readonly id?: number | undefined;
};

/** Streams whose topics are read because the query names them. */
const namedStreamsMax = 3;
/** Fewer letters name too many streams. */
const namedStreamMinLength = 2;

function describeConversation(state: State, conversation: Conversation): Destination | undefined {
  const common = {
    key: conversationKey(conversation),
    place: { view: 'messages', narrow: narrowOf(conversation) },
    unreadCount: countUnreadIn(state, conversation),
  } as const;
  if (conversation.type === 'stream') {
    const { streamId, topic } = conversation;
    const stream = state.streams.value.get(streamId);
    return stream && { ...common, kind: 'topic', name: topic, detail: stream.name };
  }
  const people = conversation.userIds.flatMap((id) => state.people.value.get(id) ?? []);
  const id = onlyPartnerOf(conversation);
  const name = people.map(({ full_name }) => full_name).join(', ');
  return id === undefined
    ? { ...common, kind: 'people', name, detail: '' }
    : { ...common, kind: 'person', name, detail: people[0]?.email ?? '', id };
}

/** Topics of the stream that is shown, and of those that the query names. */
function topicsNear({ state, topics, place }: DestinationSources, query: string) {
  const shownId = streamIdAt(place.value);
  const words = query.split(/[\s>#]+/).filter((word) => word.length >= namedStreamMinLength);
  const named = bestOf(
    [...state.streams.value.values()],
    ({ name }) => {
      const ranks = words.flatMap((word) => rankName(name, word) ?? []);
      return ranks.length === 0 ? undefined : Math.min(...ranks);
    },
    namedStreamsMax,
  ).map(({ stream_id }) => stream_id);
  const streamIds = new Set([...(shownId === undefined ? [] : [shownId]), ...named]);
  return [...streamIds].flatMap((streamId) =>
    topics.of(streamId).value.map((topic) => ({ type: 'stream', streamId, topic }) as const),
  );
}

function listStreams(state: State): readonly Destination[] {
  const counts = countUnreadByStream(state);
  const isForeign = (id: number): number => (state.subscriptions.value.has(id) ? 0 : 1);
  return [...state.streams.value.values()]
    .toSorted(
      (one, other) =>
        isForeign(one.stream_id) - isForeign(other.stream_id) || one.name.localeCompare(other.name),
    )
    .map(({ stream_id: streamId, name }) => ({
      key: `stream/${streamId}`,
      place: { view: 'messages', narrow: streamNarrow(streamId) },
      name,
      detail: '',
      unreadCount: counts.get(streamId) ?? 0,
      kind: 'stream',
      id: streamId,
    }));
}

/** What the person read lately is found without a word also by those who have much unread, to which the Inbox and a key lead. */
const unreadBeforeVisitedMax = 4;

/** A name alone is better than one that only its detail completes. */
const detailRank = 0.5;

function rankOf({ name, detail }: Destination, query: string): number | undefined {
  const rank = rankLoosely(name, query);
  const withDetail = rankLoosely(`${name} ${detail}`, query);
  return withDetail === undefined ? rank : Math.min(rank ?? Infinity, withDetail + detailRank);
}

/**
 * @param query what was typed; without it, the newest unread and what was visited or written last
 * @returns the best first; of equal ones the newest unread, then what was visited or written last
 */
export function findDestinations(
  sources: DestinationSources,
  query: string,
  max: number,
): readonly Destination[] {
  const { state, visited, recent } = sources;
  const folded = foldText(query.trim());
  const unread = listUnread(state).map(({ conversation }) => conversation);
  const known: readonly Conversation[] = [
    ...unread.slice(0, unreadBeforeVisitedMax),
    ...visited.items.value.toReversed(),
    ...unread,
    ...recent.value.map(({ conversation }) => conversation),
    ...state.recentPrivate.value.map((userIds) => ({ type: 'private', userIds }) as const),
  ];
  const others: readonly Conversation[] = [
    ...state.activePeople.value.map(
      ({ user_id }) => ({ type: 'private', userIds: [user_id] }) as const,
    ),
    ...(folded === '' ? [] : topicsNear(sources, folded)),
  ];
  const describe = (conversations: readonly Conversation[]): readonly Destination[] =>
    conversations.flatMap((each) => describeConversation(state, each) ?? []);
  const all = [...describe(known), ...listStreams(state), ...describe(others)];
  const unique = Map.groupBy(all, ({ key }) => key).values();
  return bestOf(
    [...unique].flatMap(([first]) => first ?? []),
    (each) => rankOf(each, folded),
    max,
  );
}
