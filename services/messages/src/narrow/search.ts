/** The `search` operator: words and phrases (reference facts, messages 9). */
import type { NarrowTerm } from '@parley/api/messages';
import { limits } from '@parley/api';
import type { Queryable } from '@parley/database';
import {
  allOfWords,
  foldPhrases,
  foldWords,
  phrasesSql,
  readEarlierWords,
  readSearchedWords,
} from '@parley/store';
import type { ListHints, MessageCondition, MessageListBuilder } from '@parley/store';

export const searchOperator = 'search';

/** At most this many words of a query are looked up in the index; the found messages are then checked for all of them. */
const indexedWordsMax = 32;

/** A longer query contains more than a message can: it matches nothing. */
const queryMaxLength = limits.contentMaxCodePoints + limits.topicMaxCodePoints;

/**
 * Joins the search terms that are not negated into one, with spaces (reference facts, messages 9).
 *
 * @returns the terms, with the joined one in the place of the first of them
 */
export function joinSearchTerms(terms: readonly NarrowTerm[]): NarrowTerm[] {
  const isJoined = (term: NarrowTerm): boolean => term.operator === searchOperator && !term.negated;
  const joined = terms.filter(isJoined);
  const [first] = joined;
  if (first === undefined) return [...terms];
  const operand = joined.map((term) => String(term.operand)).join(' ');
  return terms.flatMap((term) => {
    if (!isJoined(term)) return [term];
    return term === first ? [{ ...term, operand }] : [];
  });
}

/** A quotation mark inside a word does not open a phrase, and a single one is punctuation. */
function phrasesOf(query: string): string[] {
  return [...query.matchAll(/"([^"]+)"|[^\s]+/g)].flatMap(([, phrase]) =>
    phrase === undefined ? [] : [phrase],
  );
}

export type SearchMeaning = {
  readonly condition: MessageCondition;
  readonly hints: ListHints;
  /** The words to mark in the found messages. */
  readonly searchedWords: readonly string[];
  /** The words of a query that are too common to be looked for. */
  readonly ignoredWords: readonly string[];
};

/** Words of Postgres' parser that are those of this release too. */
const plainQuery = /^[a-z\s]*$/;

/** @returns the words and phrases of a search term */
export async function compileSearch(
  query: string,
  { db, list }: { readonly db: Queryable; readonly list: MessageListBuilder },
): Promise<SearchMeaning> {
  const isTooLong = query.length > queryMaxLength;
  const { words, ignored } = readSearchedWords(isTooLong ? '' : query);
  if (words.length === 0)
    return { condition: () => 'false', hints: {}, searchedWords: [], ignoredWords: ignored };
  const folded = foldWords(query);
  const earlier = plainQuery.test(folded) ? [] : await readEarlierWords(db, folded);
  const bindAny = (max: number): string =>
    list.bind(
      [words, earlier]
        .filter((all) => all.length > 0)
        .map((all) => `(${allOfWords(all.slice(0, max))})`)
        .join(' | '),
      'text',
    );
  const indexed = bindAny(indexedWordsMax);
  const all =
    Math.max(words.length, earlier.length) > indexedWordsMax
      ? `(${indexed}::tsquery && ${bindAny(Infinity)}::tsquery)`
      : `${indexed}::tsquery`;
  // Written so that no index can serve it: another condition uses the index, or none does.
  const hasWords: MessageCondition = (message) => `(${message}.search @@ ${all}) IS TRUE`;
  const phrases = phrasesOf(query);
  let condition = hasWords;
  if (phrases.length > 0) {
    const folded = foldPhrases(phrases);
    const given = {
      phrases: list.bind(folded.phrases, 'text[]'),
      characters: list.bind(folded.characters, 'text'),
      folded: list.bind(folded.folded, 'text'),
      expanding: list.bind(folded.expanding, 'text[]'),
      expansions: list.bind(folded.expansions, 'text[]'),
    };
    condition = (message) => `(${hasWords(message)} AND ${phrasesSql(message, given)})`;
  }
  return { condition, hints: { words: indexed }, searchedWords: words, ignoredWords: ignored };
}
