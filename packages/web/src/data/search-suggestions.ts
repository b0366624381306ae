/** Searches as people type them (`stream:general sender:ann@example.com -is:read words`): their terms, and what they may go on with. */
import { foldText, rankName } from './completion.ts';
import type { Narrow, NarrowTerm } from './narrow.ts';

export type SearchSources = {
  readonly people: readonly {
    readonly user_id: number;
    readonly full_name: string;
    readonly email: string;
  }[];
  readonly streams: readonly { readonly stream_id: number; readonly name: string }[];
  /** Names of a stream's topics, the latest first. */
  readonly topicsOf: (streamId: number) => readonly string[];
};

export type SearchSuggestion = {
  /** What it adds to the search. */
  readonly term: string;
  /** What it is called beside that. */
  readonly detail: string;
  /** The whole search with it. */
  readonly text: string;
};

const suggestionsMax = 7;
const operators = ['stream', 'topic', 'sender', 'pm-with', 'is', 'has'] as const;
type Operator = (typeof operators)[number];
const fixedOperands: Readonly<Record<string, readonly string[]>> = {
  is: ['unread', 'mentioned', 'starred', 'private', 'alerted'],
  has: ['link', 'image', 'attachment'],
};

/** A word, or an operator with its operand, which quotation marks keep together. */
const token = /-?[a-z-]+:"[^"]*"?|\S+/gi;
const operatorToken = /^(-?)([a-z-]+):"?([^"]*)"?$/i;

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
    .map((address) =>
      sources.people.find(({ email }) => foldText(email) === foldText(address.trim())),
    )
    .map((person) => person?.user_id);
  return ids.every((id) => id !== undefined) ? ids.toSorted((one, other) => one - other) : written;
}

/** The terms of a search. Words that belong to no operator are searched for together. */
export function parseSearch(text: string, sources: SearchSources): Narrow {
  const terms: NarrowTerm[] = [];
  const words: string[] = [];
  for (const [written] of text.matchAll(token)) {
    const [, sign, name = '', operand = ''] = operatorToken.exec(written) ?? [];
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

function best<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  query: string,
): readonly Item[] {
  return items
    .map((item) => ({ item, rank: rankName(nameOf(item), query) }))
    .filter(({ rank }) => rank !== undefined)
    .toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0))
    .slice(0, suggestionsMax)
    .map(({ item }) => item);
}

function offersFor(
  operator: Operator,
  query: string,
  before: Narrow,
  sources: SearchSources,
): readonly Offer[] {
  switch (operator) {
    case 'stream':
      return best(sources.streams, ({ name }) => name, query).map(({ name }) => ({
        operator,
        operand: name,
        detail: '',
      }));
    case 'sender':
    case 'pm-with':
      return best(sources.people, ({ full_name, email }) => `${full_name} ${email}`, query).map(
        ({ email, full_name }) => ({ operator, operand: email, detail: full_name }),
      );
    case 'topic': {
      const streamId = before.find((term) => term.operator === 'stream')?.operand;
      if (typeof streamId !== 'number') return [];
      return best(sources.topicsOf(streamId), (topic) => topic, query).map((topic) => ({
        operator,
        operand: topic,
        detail: '',
      }));
    }
    case 'is':
    case 'has':
      return best(fixedOperands[operator] ?? [], (operand) => operand, query).map((operand) => ({
        operator,
        operand,
        detail: '',
      }));
  }
}

/** Suggestions for a word: an operator that it begins, a stream or a person that it may mean. */
function offersForWord(query: string, sources: SearchSources): readonly Offer[] {
  const begun = operators
    .filter((operator) => operator.startsWith(query))
    .map((operator) => ({ operator, operand: '', detail: '' }));
  const streams = offersFor('stream', query, [], sources).slice(0, 3);
  const people = offersFor('sender', query, [], sources).slice(0, 3);
  return [...begun, ...streams, ...people];
}

/** @returns what the last word of a search may become; nothing if it has ended */
export function suggestSearches(text: string, sources: SearchSources): readonly SearchSuggestion[] {
  const last = [...text.matchAll(token)].at(-1);
  if (last === undefined || last.index + last[0].length < text.length) return [];
  const before = text.slice(0, last.index);
  const [, sign = '', name = '', typed = ''] = operatorToken.exec(last[0]) ?? [];
  const operator = name.toLowerCase();
  const word = last[0].startsWith('-') ? last[0].slice(1) : last[0];
  const offers = isOperator(operator)
    ? offersFor(operator, foldText(typed), parseSearch(before, sources), sources)
    : offersForWord(foldText(word), sources);
  const negation = isOperator(operator) ? sign : last[0].startsWith('-') ? '-' : '';
  return offers.slice(0, suggestionsMax).map((offer) => {
    const operand = /\s/.test(offer.operand) ? `"${offer.operand}"` : offer.operand;
    const term = `${negation}${offer.operator}:${operand}`;
    return { term, detail: offer.detail, text: before + term + (operand === '' ? '' : ' ') };
  });
}
