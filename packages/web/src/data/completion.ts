/** What the text before the cursor may be completed to: mentions, streams, topics and emoji, in the syntax of messages. */
import { rankEmoji } from './emoji.ts';

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
const fence = /^ {0,3}(?:`{3}|~{3})/gm;

/** For comparisons: without case and accents. */
export function foldText(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/**
 * How well a name matches what was typed: 0 begins with it, 1 one of its words does.
 *
 * @param query folded
 * @returns undefined if it does not match
 */
export function rankName(name: string, query: string): number | undefined {
  const folded = foldText(name);
  if (folded.startsWith(query)) return 0;
  return folded
    .split(/(?<=[^\p{L}\p{N}])/u)
    .some((_, index, words) => words.slice(index).join('').startsWith(query))
    ? 1
    : undefined;
}

type Candidate = {
  readonly completion: Completion;
  /** Ascending: by match, then by what is likely. */
  readonly order: readonly number[];
};

function compare(one: Candidate, other: Candidate): number {
  for (const [index, rank] of one.order.entries()) {
    const difference = rank - (other.order[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.completion.label.localeCompare(other.completion.label);
}

function completionsFrom(start: number, candidates: readonly Candidate[]): Completions | undefined {
  if (candidates.length === 0) return undefined;
  const items = candidates.toSorted(compare).slice(0, completionsMax);
  return { start, items: items.map(({ completion }) => completion) };
}

/** @param sign `@` or `@_`, the silent one */
function mentionCandidates(sign: string, query: string, sources: CompletionSources): Candidate[] {
  const recency = new Map(sources.recentSenderIds.map((id, index) => [id, index]));
  const names = new Map<string, number>();
  for (const { full_name } of sources.people) names.set(full_name, (names.get(full_name) ?? 0) + 1);
  const people = sources.people.flatMap(({ user_id, full_name, email }): Candidate[] => {
    const rank = rankName(full_name, query) ?? (foldText(email).startsWith(query) ? 2 : undefined);
    if (rank === undefined) return [];
    const id = (names.get(full_name) ?? 0) > 1 ? `|${user_id}` : '';
    return [
      {
        completion: {
          kind: 'person',
          label: full_name,
          detail: email,
          insert: `${sign}**${full_name}${id}** `,
        },
        order: [rank, recency.get(user_id) ?? withoutRank, 1],
      },
    ];
  });
  const groups = sources.groups.flatMap(({ name, description }): Candidate[] => {
    const rank = rankName(name, query);
    if (rank === undefined || sign !== '@') return [];
    const insert = `@*${name}* `;
    return [
      {
        completion: { kind: 'group', label: name, detail: description, insert },
        order: [rank, withoutRank, 2],
      },
    ];
  });
  const wildcards = ['all', 'everyone', 'stream'].flatMap((word): Candidate[] => {
    if (!sources.hasWildcards || sign !== '@' || query === '' || !word.startsWith(query)) return [];
    const insert = `@**${word}** `;
    return [
      {
        completion: { kind: 'wildcard', label: word, detail: '', insert },
        order: [0, withoutRank, 3],
      },
    ];
  });
  return [...people, ...groups, ...wildcards];
}

function streamCandidates(query: string, sources: CompletionSources): Candidate[] {
  return sources.streams.flatMap(({ stream_id, name }): Candidate[] => {
    const rank = rankName(name, query);
    if (rank === undefined) return [];
    const order = [sources.subscribedIds.has(stream_id) ? 0 : 1, rank];
    return [
      { completion: { kind: 'stream', label: name, detail: '', insert: `#**${name}** ` }, order },
    ];
  });
}

function topicCandidates(
  streamName: string,
  query: string,
  sources: CompletionSources,
): Candidate[] {
  const stream = sources.streams.find(({ name }) => name === streamName);
  if (stream === undefined) return [];
  return sources.topicsOf(stream.stream_id).flatMap((topic, index): Candidate[] => {
    const rank = rankName(topic, query);
    if (rank === undefined) return [];
    const insert = `#**${streamName}>${topic}** `;
    return [
      {
        completion: { kind: 'topic', label: topic, detail: streamName, insert },
        order: [rank, index],
      },
    ];
  });
}

function emojiCandidates(query: string, sources: CompletionSources): Candidate[] {
  return sources.emoji.flatMap(({ name, character = '' }): Candidate[] => {
    const rank = rankEmoji([name], query);
    if (rank === undefined) return [];
    const insert = `:${name}: `;
    return [
      {
        completion: { kind: 'emoji', label: name, detail: character, insert },
        order: [rank, name.length],
      },
    ];
  });
}

const topicSyntax = /(?:^|[\s(])(#\*\*([^*>\n]+)(?:\*\* ?)?>([^*\n]{0,60}))$/;
const streamSyntax = /(?:^|[\s(])(#(?:\*\*)?([^#*>\s][^#*>\n]{0,59}|))$/;
const mentionSyntax = /(?:^|[\s(])((@_?)\*{0,2}([^@*_\s][^@*\n]{0,59}|))$/;
const emojiSyntax = /(?:^|[\s(])(:([a-z0-9_+-]{2,40}))$/;

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
  const topic = topicSyntax.exec(before);
  if (topic !== null) {
    const [, whole = '', streamName = '', query = ''] = topic;
    return completionsFrom(
      cursor - whole.length,
      topicCandidates(streamName, foldText(query), sources),
    );
  }
  const stream = streamSyntax.exec(before);
  if (stream !== null) {
    const [, whole = '', query = ''] = stream;
    return completionsFrom(cursor - whole.length, streamCandidates(foldText(query), sources));
  }
  const mention = mentionSyntax.exec(before);
  if (mention !== null) {
    const [, whole = '', sign = '', query = ''] = mention;
    return completionsFrom(
      cursor - whole.length,
      mentionCandidates(sign, foldText(query), sources),
    );
  }
  const emoji = emojiSyntax.exec(before);
  if (emoji === null) return undefined;
  const [, whole = '', query = ''] = emoji;
  return completionsFrom(cursor - whole.length, emojiCandidates(query, sources));
}
