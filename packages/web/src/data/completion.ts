/** What the text before the cursor may be completed to: mentions, streams, topics and emoji, in the syntax of messages. */
import { foldText, rankEmoji, rankName } from './ranking.ts';

export type CompletionSources = {
  readonly people: readonly {
    readonly user_id: number;
    readonly full_name: string;
    readonly email: string;
  }[];
  readonly groups: readonly { readonly name: string; readonly description: string }[];
  readonly streams: readonly { readonly stream_id: number; readonly name: string }[];
  /** Ids of the streams that the person subscribes to, which come first. */
  readonly subscribedIds: { has(streamId: number): boolean };
  /** Names of a stream's topics, the latest first. */
  readonly topicsOf: (streamId: number) => readonly string[];
  readonly emoji: readonly { readonly name: string; readonly character: string | undefined }[];
  /** Ids of the people who wrote in the conversation, the latest first. */
  readonly recentSenderIds: readonly number[];
  /** Only conversations in streams have them. */
  readonly hasWildcards: boolean;
};

export type Completion = {
  readonly kind: 'person' | 'wildcard' | 'group' | 'stream' | 'topic' | 'emoji';
  readonly label: string;
  readonly detail: string;
  /** Replaces the text from `start` to the cursor. */
  readonly insert: string;
};

export type Completions = {
  /** Where the text begins that a completion replaces; it ends at the cursor. */
  readonly start: number;
  readonly items: readonly Completion[];
};

const completionsMax = 8;
/** The text before the cursor that is looked at: longer than any mention or link. */
const lookBackMax = 200;
/** For names that recency says nothing of. */
const withoutRank = Number.MAX_SAFE_INTEGER;
const wildcards = ['all', 'everyone', 'stream'];
const fence = /^ {0,3}(?:`{3}|~{3})/gm;

type Candidate = Completion & {
  /** Ascending: by match, then by what is likely. */
  readonly order: readonly number[];
};

function compare(one: Candidate, other: Candidate): number {
  const index = one.order.findIndex((rank, at) => rank !== other.order[at]);
  return index === -1
    ? one.label.localeCompare(other.label)
    : (one.order[index] ?? 0) - (other.order[index] ?? 0);
}

/** @param rankOf returns undefined for what does not match */
function matching<Item>(
  items: readonly Item[],
  rankOf: (item: Item) => number | undefined,
  complete: (item: Item, rank: number, index: number) => Candidate,
): readonly Candidate[] {
  return items.flatMap((item, index) => {
    const rank = rankOf(item);
    return rank === undefined ? [] : [complete(item, rank, index)];
  });
}

/** What a syntax has before the cursor: the query folded, the rest as it was written. */
type Written = { readonly query: string; readonly sign: string; readonly streamName: string };

function mentions({ sign, query }: Written, sources: CompletionSources): readonly Candidate[] {
  const recency = new Map(sources.recentSenderIds.map((id, index) => [id, index]));
  const sameNames = Map.groupBy(sources.people, ({ full_name }) => full_name);
  const people = matching(
    sources.people,
    ({ full_name, email }) =>
      rankName(full_name, query) ?? (foldText(email).startsWith(query) ? 2 : undefined),
    ({ user_id, full_name, email }, rank) => {
      const id = (sameNames.get(full_name)?.length ?? 0) > 1 ? `|${user_id}` : '';
      return {
        kind: 'person',
        label: full_name,
        detail: email,
        insert: `${sign}**${full_name}${id}** `,
        order: [rank, recency.get(user_id) ?? withoutRank, 1],
      };
    },
  );
  // Groups and everybody cannot be mentioned silently.
  if (sign !== '@') return people;
  const groups = matching(
    sources.groups,
    ({ name }) => rankName(name, query),
    ({ name, description }, rank) => ({
      kind: 'group',
      label: name,
      detail: description,
      insert: `@*${name}* `,
      order: [rank, withoutRank, 2],
    }),
  );
  const everybody = matching(
    sources.hasWildcards && query !== '' ? wildcards : [],
    (word) => (word.startsWith(query) ? 0 : undefined),
    (word, rank) => ({
      kind: 'wildcard',
      label: word,
      detail: '',
      insert: `@**${word}** `,
      order: [rank, withoutRank, 3],
    }),
  );
  return [...people, ...groups, ...everybody];
}

function streams({ query }: Written, sources: CompletionSources): readonly Candidate[] {
  return matching(
    sources.streams,
    ({ name }) => rankName(name, query),
    ({ stream_id, name }, rank) => ({
      kind: 'stream',
      label: name,
      detail: '',
      insert: `#**${name}** `,
      order: [sources.subscribedIds.has(stream_id) ? 0 : 1, rank],
    }),
  );
}

function topics({ query, streamName }: Written, sources: CompletionSources): readonly Candidate[] {
  const stream = sources.streams.find(({ name }) => name === streamName);
  return matching(
    stream === undefined ? [] : sources.topicsOf(stream.stream_id),
    (topic) => rankName(topic, query),
    (topic, rank, index) => ({
      kind: 'topic',
      label: topic,
      detail: streamName,
      insert: `#**${streamName}>${topic}** `,
      order: [rank, index],
    }),
  );
}

function emoji({ query }: Written, sources: CompletionSources): readonly Candidate[] {
  return matching(
    sources.emoji,
    ({ name }) => rankEmoji([name], query),
    ({ name, character = '' }, rank) => ({
      kind: 'emoji',
      label: name,
      detail: character,
      insert: `:${name}: `,
      order: [rank, name.length],
    }),
  );
}

/** The first that fits decides. */
const syntaxes = [
  [/#\*\*(?<streamName>[^*>\n]+)(?:\*\* ?)?>(?<query>[^*\n]{0,60})$/, topics],
  [/#(?:\*\*)?(?<query>[^#*>\s][^#*>\n]{0,59}|)$/, streams],
  [/(?<sign>@_?)\*{0,2}(?<query>[^@*_\s][^@*\n]{0,59}|)$/, mentions],
  [/:(?<query>[a-z0-9_+-]{2,40})$/, emoji],
] as const;

/**
 * @returns undefined if nothing before the cursor can be completed
 */
export function findCompletions(
  text: string,
  cursor: number,
  sources: CompletionSources,
): Completions | undefined {
  const fencesBefore = text.slice(0, cursor).match(fence)?.length ?? 0;
  if (fencesBefore % 2 === 1) return undefined;
  const before = text.slice(Math.max(0, cursor - lookBackMax), cursor);
  for (const [syntax, find] of syntaxes) {
    const found = new RegExp(`(?<=^|[\\s(])${syntax.source}`).exec(before);
    if (found === null) continue;
    const { query = '', sign = '', streamName = '' } = found.groups ?? {};
    const candidates = find({ query: foldText(query), sign, streamName }, sources);
    const items = candidates.toSorted(compare).slice(0, completionsMax);
    return items.length === 0 ? undefined : { start: cursor - found[0].length, items };
  }
  return undefined;
}
