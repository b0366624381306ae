/** Searches as people type them (`stream:general from:ann@example.com -is:read words`): their terms, and what they may go on with. */
import { foldName } from '@parley/api/fold';

import { texts } from '../texts.ts';
import type { CompletionSources } from './completion.ts';
import { ascending } from './narrow.ts';
import type { Narrow, NarrowTerm } from './narrow.ts';
import { bestOf, foldText, rankName } from './ranking.ts';

export type SearchSources = Pick<CompletionSources, 'people' | 'streams' | 'topicsOf'> & {
  /** Bots and deactivated people too, who are not suggested. */
  readonly everybody: CompletionSources['people'];
  /** Also those that are not suggested: archived ones. */
  readonly allStreams: CompletionSources['streams'];
};

const suggestionsMax = 7;
const operators = ['stream', 'topic', 'sender', 'pm-with', 'is', 'has', 'before', 'after'] as const;
type Operator = (typeof operators)[number];

/** What people who know other programs write. */
const aliases: ReadonlyMap<string, Operator> = new Map([
  ['from', 'sender'],
  ['channel', 'stream'],
  ['in', 'stream'],
  ['subject', 'topic'],
  ['dm', 'pm-with'],
]);

/** A word, or an operator with its operand, which quotation marks keep together. */
const token = /-?[a-z-]+:"[^"]*"?|\S+/gi;
/** Its sign, its operator if it has one, and the operand or the word. */
const parts = /^(-?)(?:([a-z-]+):)?"?([^"]*)"?$/i;
const day = /^\d{4}-\d\d-\d\d$/;

function findOperator(name: string): Operator | undefined {
  const written = name.toLowerCase();
  return aliases.get(written) ?? operators.find((each) => each === written);
}

/** Why a search cannot be made. */
class Misunderstanding extends Error {}

function findStreamId(written: string, { allStreams }: SearchSources): number {
  const folded = foldName(written.replace(/^#/, '').trim());
  const found = allStreams.find(({ name }) => foldName(name) === folded);
  if (found === undefined) throw new Misunderstanding(texts.search.noStream(written));
  return found.stream_id;
}

function findPerson(
  written: string,
  { everybody, people }: SearchSources,
): SearchSources['people'][number] {
  const folded = foldName(written.trim());
  const named = people.filter(({ full_name }) => foldName(full_name) === folded);
  const found = everybody.find(({ email }) => foldName(email) === folded) ?? named[0];
  if (found === undefined) throw new Misunderstanding(texts.search.nobody(written));
  if (named.length > 1) throw new Misunderstanding(texts.search.several(written));
  return found;
}

function findChoice(operator: 'is' | 'has', written: string): string {
  const choices = operands[operator].map(([choice]) => choice);
  const found = choices.find((choice) => choice === written.toLowerCase());
  if (found === undefined)
    throw new Misunderstanding(texts.search.noChoice(operator, choices, written));
  return found;
}

/** @throws Misunderstanding */
function termOf(operator: Operator, written: string, sources: SearchSources): NarrowTerm {
  if (written === '') throw new Misunderstanding(texts.search.noOperand(operator));
  switch (operator) {
    case 'stream':
      return { operator: 'stream', operand: findStreamId(written, sources) };
    case 'sender':
      return { operator, operand: findPerson(written, sources).email };
    case 'pm-with':
      return {
        operator,
        operand: ascending(written.split(',').map((each) => findPerson(each, sources).user_id)),
      };
    case 'is':
    case 'has':
      return { operator, operand: findChoice(operator, written) };
    case 'before':
    case 'after':
      if (!day.test(written) || Number.isNaN(Date.parse(written)))
        throw new Misunderstanding(texts.search.noDay(operator, written));
      return { operator, operand: written };
    case 'topic':
      return { operator, operand: written };
  }
}

/**
 * The terms of a search. Words that belong to no operator are searched for together.
 *
 * @returns also why it cannot be made: what is wrong with an operand
 */
export function parseSearch(
  text: string,
  sources: SearchSources,
): { readonly narrow: Narrow; readonly fault?: string } {
  const terms: NarrowTerm[] = [];
  const words: string[] = [];
  let fault: string | undefined;
  for (const [written] of text.matchAll(token)) {
    const [, sign, name = '', operand = ''] = parts.exec(written) ?? [];
    const operator = findOperator(name);
    if (operator === undefined) {
      words.push(written);
      continue;
    }
    try {
      terms.push({
        ...termOf(operator, operand, sources),
        ...(sign === '-' && { negated: true }),
      });
    } catch (problem) {
      if (!(problem instanceof Misunderstanding)) throw problem;
      fault ??= problem.message;
    }
  }
  const search: NarrowTerm[] =
    words.length === 0 ? [] : [{ operator: 'search', operand: words.join(' ') }];
  return { narrow: [...terms, ...search], ...(fault !== undefined && { fault }) };
}

type Offer = { readonly operator: string; readonly operand: string; readonly detail: string };

/** What an operator may be followed by, and what that is called. */
type Operand = readonly [operand: string, detail?: string];

/** Those that are the same for everybody. */
const operands: Readonly<Record<'is' | 'has', readonly Operand[]>> = {
  is: [['unread'], ['mentioned'], ['starred'], ['private'], ['alerted']],
  has: [['link'], ['image'], ['attachment']],
};

function operandsOf(
  operator: Operator,
  { streams, people, topicsOf }: SearchSources,
  before: Narrow,
): readonly Operand[] {
  switch (operator) {
    case 'stream':
      return streams.map(({ name }) => [name]);
    case 'topic': {
      const streamId = before.find((term) => term.operator === 'stream')?.operand;
      return typeof streamId === 'number' ? topicsOf(streamId).map((topic) => [topic]) : [];
    }
    case 'sender':
    case 'pm-with':
      return people.map(({ email, full_name }) => [email, full_name]);
    case 'is':
    case 'has':
      return operands[operator];
    case 'before':
    case 'after':
      return [];
  }
}

/** @param name of the operator, as it was written */
function offersFor(
  name: string,
  query: string,
  sources: SearchSources,
  before: Narrow = [],
): readonly Offer[] {
  const operator = findOperator(name);
  return bestOf(
    operator === undefined ? [] : operandsOf(operator, sources, before),
    ([operand, detail = '']) => rankName(`${detail} ${operand}`.trim(), query),
    suggestionsMax,
  ).map(([operand, detail = '']) => ({ operator: name, operand, detail }));
}

function detailOf(name: string): string {
  const operator = findOperator(name);
  return operator === undefined ? '' : texts.search.operators[operator];
}

/** Suggestions for a word: an operator that it begins, a stream or a person that it may mean. */
function offersForWord(query: string, sources: SearchSources): readonly Offer[] {
  const begun = [...operators, ...aliases.keys()]
    .filter((name) => name.startsWith(query))
    .map((operator) => ({ operator, operand: '', detail: detailOf(operator) }));
  const streams = offersFor('stream', query, sources).slice(0, 3);
  const people = offersFor('sender', query, sources).slice(0, 3);
  return [...begun, ...streams, ...people];
}

/** @returns what the last word of a search may become; nothing if it has ended. A search that has not begun may begin with any operator */
export function suggestSearches(text: string, sources: SearchSources) {
  const last = [...text.matchAll(token)].at(-1);
  if (last === undefined)
    return operators.map((operator) => ({
      term: `${operator}:`,
      detail: texts.search.operators[operator],
      text: `${operator}:`,
    }));
  if (last.index + last[0].length < text.length) return [];
  const before = text.slice(0, last.index);
  const [, sign = '', name = '', typed = ''] = parts.exec(last[0]) ?? [];
  const offers = findOperator(name)
    ? offersFor(name, foldText(typed), sources, parseSearch(before, sources).narrow)
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
