import { badNarrow } from './errors.ts';
import { limits } from './limits.ts';

/**
 * @returns the terms of a narrow, each once, because a repeated term has no effect
 * @throws ApiError `BAD_NARROW` for more than a narrow may have
 */
export function distinctTerms<Term>(terms: readonly Term[]): Term[] {
  const distinct = new Map(terms.map((term) => [JSON.stringify(term), term]));
  if (distinct.size > limits.narrowTermsMax) throw badNarrow('too many terms');
  return [...distinct.values()];
}
