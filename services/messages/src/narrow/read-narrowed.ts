import { badNarrow } from '@parley/api';
import type { HangUpSignal } from '@parley/api';
import { CallerReads, isStatementTimeout } from '@parley/database';

import type { MessagesContext } from '../context.ts';
import type { CompiledNarrow } from './compile-narrow.ts';

/** The database and signal for one caller, who may disconnect. */
export type NarrowReads = {
  readonly database: CallerReads;
  /** For statements that may take long, see `readNarrowed`. */
  readonly costly: CallerReads;
};

/** @param signal used by nothing else of the request */
export function narrowReads(
  { pool, costlyPool }: Pick<MessagesContext, 'pool' | 'costlyPool'>,
  signal: HangUpSignal,
): NarrowReads {
  return {
    database: new CallerReads(pool, signal),
    costly: new CallerReads(costlyPool, signal),
  };
}

/**
 * Reads messages of a narrow. The index finds words but neither phrases nor exclusions, so a search for very common words may have to read
 * every message; and each of many terms is a part of the statement that must be planned. Such a statement uses separate connections and has
 * a time limit. At the limit it gets a 400, not a 503: clients repeat a 503, and every repeat would take as long.
 *
 * @throws ApiError `BAD_NARROW` if it takes too long
 */
export async function readNarrowed<Result>(
  { database, costly }: NarrowReads,
  { searchedWords, hasManyTerms }: Pick<CompiledNarrow, 'searchedWords' | 'hasManyTerms'>,
  read: (db: CallerReads) => Promise<Result>,
): Promise<Result> {
  if (searchedWords === undefined && !hasManyTerms) return read(database);
  try {
    return await read(costly);
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    throw badNarrow(
      searchedWords === undefined
        ? 'the terms take too long together: leave some out'
        : 'too many messages to search: add a rarer word, a stream or a sender',
    );
  }
}
