/** What the text before the cursor may be completed to: mentions, streams, topics and emoji, in the syntax of messages. */
import { popularityOf } from './emoji.ts';
import { bestOf, foldText, rankEmoji, rankName, rankPerson } from './ranking.ts';
import type { Person, Stream, UserGroup } from './state.ts';

/** What there is to name, in each list what is likely first. */
export type CompletionSources = {
  readonly people: readonly Pick<Person, 'user_id' | 'full_name' | 'email'>[];
  readonly groups: readonly Pick<UserGroup, 'name' | 'description'>[];
  readonly streams: readonly Pick<Stream, 'stream_id' | 'name'>[];
  /** Names of a stream's topics. */
  readonly topicsOf: (streamId: number) => readonly string[];
  readonly emoji: readonly { readonly name: string; readonly character: string | undefined }[];
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

const completionsMax = 8;
/** The text before the cursor that is looked at: longer than any mention or link. */
const lookBackMax = 200;
const wildcards = ['all', 'everyone', 'stream'];
const fenceLine = /^ {0,3}(`{3,}|~{3,}) *(.*)$/gm;
/** After the fence, where the lines that follow are text. */
const textBlock = /^(?:quoted? *$|spoiler +\S)/;

/** What a syntax has before the cursor: the query folded, the rest as it was written. */
type Written = { readonly query: string; readonly sign: string; readonly streamName: string };

/** Everything that a syntax can name, what is likely first. */
type Offers = (written: Written, sources: CompletionSources) => readonly Completion[];

const mentions: Offers = ({ sign, query }, { people, groups, hasWildcards }) => {
  const sameNames = Map.groupBy(people, ({ full_name }) => full_name);
  const offers: readonly Completion[] = people.map(({ user_id, full_name, email }) => {
    const id = (sameNames.get(full_name)?.length ?? 0) > 1 ? `|${user_id}` : '';
    const insert = `${sign}**${full_name}${id}** `;
    return { kind: 'person', label: full_name, detail: email, insert };
  });
  // Groups and everybody cannot be mentioned silently.
  if (sign !== '@') return offers;
  const everybody = hasWildcards && query !== '' ? wildcards : [];
  return [
    ...offers,
    ...groups.map(
      ({ name, description }) =>
        ({ kind: 'group', label: name, detail: description, insert: `@*${name}* ` }) as const,
    ),
    ...everybody.map(
      (word) => ({ kind: 'wildcard', label: word, detail: '', insert: `@**${word}** ` }) as const,
    ),
  ];
};

const streams: Offers = (_, sources) =>
  sources.streams.map(({ name }) => ({
    kind: 'stream',
    label: name,
    detail: '',
    insert: `#**${name}** `,
  }));

const topics: Offers = ({ streamName }, sources) => {
  const stream = sources.streams.find(({ name }) => name === streamName);
  return (stream === undefined ? [] : sources.topicsOf(stream.stream_id)).map((topic) => ({
    kind: 'topic',
    label: topic,
    detail: streamName,
    insert: `#**${streamName}>${topic}** `,
  }));
};

const emoji: Offers = (_, sources) =>
  sources.emoji.map(({ name, character = '' }) => ({
    kind: 'emoji',
    label: name,
    detail: character,
    insert: `:${name}: `,
  }));

/** The first that fits decides. */
const syntaxes = [
  [/#\*\*(?<streamName>[^*>\n]+)(?:\*\* ?)?>(?<query>[^*\n]{0,60})$/, topics],
  [/#(?:\*\*)?(?<query>[^#*>\s][^#*>\n]{0,59}|)$/, streams],
  [/(?<sign>@_?)\*{0,2}(?<query>[^@*_\s][^@*\n]{0,59}|)$/, mentions],
  [/:(?<query>[a-z0-9_+-]{2,40})$/, emoji],
] as const;

function rankOf({ kind, label, detail }: Completion, query: string): number | undefined {
  if (kind === 'emoji') return rankEmoji([label], query, popularityOf(detail));
  return kind === 'person'
    ? rankPerson({ full_name: label, email: detail }, query)
    : rankName(label, query);
}

function endsInCode(text: string): boolean {
  const textFences: string[] = [];
  let code: string | undefined;
  for (const [, fence = '', info = ''] of text.matchAll(fenceLine)) {
    const isEnd = info.trim() === '';
    if (code !== undefined) code = isEnd && fence === code ? undefined : code;
    else if (isEnd && fence === textFences.at(-1)) textFences.pop();
    else if (textBlock.test(info)) textFences.push(fence);
    else code = fence;
  }
  return code !== undefined;
}

/**
 * @returns where the text begins that a completion replaces, which ends at the cursor, and the completions; undefined if nothing before the
 * cursor can be completed
 */
export function findCompletions(text: string, cursor: number, sources: CompletionSources) {
  if (endsInCode(text.slice(0, cursor))) return undefined;
  const before = text.slice(Math.max(0, cursor - lookBackMax), cursor);
  for (const [syntax, offersOf] of syntaxes) {
    const found = new RegExp(`(?<=^|[\\s(])${syntax.source}`).exec(before);
    if (found === null) continue;
    const { query: typed = '', sign = '', streamName = '' } = found.groups ?? {};
    const query = foldText(typed);
    const offers = offersOf({ query, sign, streamName }, sources);
    const items = bestOf(offers, (offer) => rankOf(offer, query), completionsMax);
    return items.length === 0 ? undefined : { start: cursor - found[0].length, items };
  }
  return undefined;
}
