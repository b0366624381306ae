import type { NarrowTerm } from '@parley/api/messages';
import { badNarrow } from '@parley/api';
import type { Queryable } from '@parley/database';
import { MessageListBuilder } from '@parley/store';
import type { ListHints } from '@parley/store';

import { narrowOperators } from './operators.ts';
import { joinSearchTerms } from './search.ts';
import type { AssumedStream, StreamIds } from './stream-ids.ts';

export type CompiledNarrow = {
  readonly list: MessageListBuilder;
  /** The bound id of the stream in the last stream term, negated or not. */
  readonly stream: string | undefined;
  /** The words to mark; undefined without a search term, empty if there is nothing to mark. */
  readonly searchedWords: readonly string[] | undefined;
  /** The words of searches that are too common to be looked for. */
  readonly ignoredWords: readonly string[];
  /** More than any client requests. */
  readonly hasManyTerms: boolean;
  /** Streams that were not looked up: a reader of the list must call `confirmStreams`. */
  readonly assumedStreams: readonly AssumedStream[];
};

/** Stream, topic, sender, a flag, a `has` term, words and a starting point, with one to spare. */
const usualTermsMax = 8;

/**
 * Compiles a narrow to a list of messages for one user. The terms in their order decide whether the list includes messages that the user
 * does not hold (reference facts, messages 6.5). The list itself checks permission again, in the snapshot that gives the content.
 *
 * @param streamIds if given, a named stream may be taken from there
 * @throws ApiError `BAD_NARROW`
 */
export async function compileNarrow(
  db: Queryable,
  userId: number,
  terms: readonly NarrowTerm[],
  streamIds?: StreamIds,
): Promise<CompiledNarrow> {
  const list = new MessageListBuilder(userId);
  let stream: string | undefined;
  let searchedWords: readonly string[] | undefined;
  const ignoredWords = new Set<string>();
  const assumedStreams: AssumedStream[] = [];
  let hasIs = false;
  for (const term of joinSearchTerms(terms)) {
    const operator = narrowOperators.get(term.operator);
    if (operator === undefined) throw badNarrow(`unknown operator ${term.operator}`);
    // Messages of a list that excludes a stream cannot confirm that stream.
    const kept = term.negated ? undefined : streamIds;
    const meaning = await operator(term.operand, { db, userId, list, streamIds: kept });
    const { condition, hints, history } = meaning;
    const negated = term.negated && meaning.neverNegated !== true;
    stream = meaning.stream ?? stream;
    if (meaning.assumedStream !== undefined) assumedStreams.push(meaning.assumedStream);
    if (meaning.searchedWords !== undefined)
      searchedWords = [...(searchedWords ?? []), ...(negated ? [] : meaning.searchedWords)];
    for (const word of meaning.ignoredWords ?? []) ignoredWords.add(word);
    if (history === 'none') hasIs = true;
    if (!negated && (history === 'this stream' || history === 'public streams'))
      list.withHistory = true;
    if (condition === undefined) continue;
    if (negated) {
      list.conditions.push((message) => `(${condition(message)}) IS NOT TRUE`);
      Object.assign(list.hints, meaning.negatedHints);
      continue;
    }
    list.conditions.push(condition);
    Object.assign(list.hints, hints);
    for (const hint of Object.keys(hints ?? {}) as (keyof ListHints)[])
      list.hinted.set(hint, condition);
  }
  if (hasIs) list.withHistory = false;
  const hasManyTerms = terms.length > usualTermsMax;
  return {
    list,
    stream,
    searchedWords,
    ignoredWords: [...ignoredWords],
    hasManyTerms,
    assumedStreams,
  };
}
