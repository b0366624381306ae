/** Searches as people type them (`stream:general sender:ann@example.com -is:read words`): their terms, and what they may go on with. */
import type { CompletionSources } from './completion.ts';
import { ascending } from './narrow.ts';
import type { Narrow, NarrowTerm } from './narrow.ts';
import { bestOf, foldText, rankName } from './ranking.ts';

export type SearchSources = Pick<CompletionSources, 'people' | 'streams' | 'topicsOf'>;

const suggestionsMax = 7;
const operators = ['stream', 'topic', 'sender', 'pm-with', 'is', 'has'] as const;
type Operator = (typeof operators)[number];
/** A word, or an operator with its operand, which quotation marks keep together. */
const token = /-?[a-z-]+:"[^"]*"?|\S+/gi;
/** Its sign, its operator if it has one, and the operand or the word. */
const parts = /^(-?)(?:([a-z-]+):)?"?([^"]*)"?$/i;

function isOperator(name: string): name is Operator {
  return operators.some((each) => each === name);
}

function operandOf(
  operator: Operator,
  written: string,
  sources: SearchSources,
): NarrowTerm['operand'] {
  const folded = foldText(written);
  if (operator === 'stream')
    return sources.streams.find(({ name }) => foldText(name) === folded)?.stream_id ?? written;
  if (operator !== 'pm-with') return written;
  const ids = written
    .split(',')
    .map((address) => foldText(address.trim()))
    .map((address) => sources.people.find(({ email }) => foldText(email) === address)?.user_id);
  return ids.every((id) => id !== undefined) ? ascending(ids) : written;
}

/** The terms of a search. Words that belong to no operator are searched for together. */
export function parseSearch(text: string, sources: SearchSources): Narrow {
  const terms: NarrowTerm[] = [];
  const words: string[] = [];
  for (const [written] of text.matchAll(token)) {
    const [, sign, name = '', operand = ''] = parts.exec(written) ?? [];
    const operator = name.toLowerCase();
    if (!isOperator(operator)) words.push(written);
    else if (operand !== '')
      terms.push({
        operator,
        operand: operandOf(operator, operand, sources),
        ...(sign === '-' && { negated: true }),
      });
  }
  return words.length === 0 ? terms : [...terms, { operator: 'search', operand: words.join(' ') }];
}

type Offer = { readonly operator: Operator; readonly operand: string; readonly detail: string };

/** What may follow each operator: the operand, and what it is called. */
const operands: Readonly<
  Record<
    Operator,
    (sources: SearchSources, before: Narrow) => readonly (readonly [string, string?])[]
  >
> = {
  stream: ({ streams }) => streams.map(({ name }) => [name]),
  topic({ topicsOf }, before) {
    const streamId = before.find((term) => term.operator === 'stream')?.operand;
    return typeof streamId === 'number' ? topicsOf(streamId).map((topic) => [topic]) : [];
  },
  sender: ({ people }) => people.map(({ email, full_name }) => [email, full_name]),
  'pm-with': ({ people }) => people.map(({ email, full_name }) => [email, full_name]),
  is: () => [['unread'], ['mentioned'], ['starred'], ['private'], ['alerted']],
  has: () => [['link'], ['image'], ['attachment']],
};

function offersFor(
  operator: Operator,
  query: string,
  sources: SearchSources,
  before: Narrow = [],
): readonly Offer[] {
  return bestOf(
    operands[operator](sources, before),
    ([operand, detail = '']) => rankName(`${detail} ${operand}`.trim(), query),
    suggestionsMax,
  ).map(([operand, detail = '']) => ({ operator, operand, detail }));
}

/** Suggestions for a word: an operator that it begins, a stream or a person that it may mean. */
function offersForWord(query: string, sources: SearchSources): readonly Offer[] {
  const begun = operators
    .filter((operator) => operator.startsWith(query))
    .map((operator) => ({ operator, operand: '', detail: '' }));
  const streams = offersFor('stream', query, sources).slice(0, 3);
  const people = offersFor('sender', query, sources).slice(0, 3);
  return [...begun, ...streams, ...people];
}

/** @returns what the last word of a search may become; nothing if it has ended */
export function suggestSearches(text: string, sources: SearchSources) {
  const last = [...text.matchAll(token)].at(-1);
  if (last === undefined || last.index + last[0].length < text.length) return [];
  const before = text.slice(0, last.index);
  const [, sign = '', name = '', typed = ''] = parts.exec(last[0]) ?? [];
  const operator = name.toLowerCase();
  const offers = isOperator(operator)
    ? offersFor(operator, foldText(typed), sources, parseSearch(before, sources))
    : offersForWord(foldText(last[0].slice(sign.length)), sources);
  return offers.slice(0, suggestionsMax).map((offer) => {
    const operand = /\s/.test(offer.operand) ? `"${offer.operand}"` : offer.operand;
    const term = `${sign}${offer.operator}:${operand}`;
    return {
      /** What it adds to the search. */
      term,
      /** What it is called beside that. */
      detail: offer.detail,
      /** The whole search with it. */
      text: before + term + (operand === '' ? '' : ' '),
    };
  });
}
