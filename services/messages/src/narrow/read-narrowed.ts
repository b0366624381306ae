import { badNarrow } from '@parley/api';
import type { HangUpSignal } from '@parley/api';
import { CallerReads, isStatementTimeout } from '@parley/database';

import type { MessagesContext } from '../context.ts';
import type { CompiledNarrow } from './compile-narrow.ts';

/** Where a narrow is read for one caller, who may leave. */
export type NarrowReads = {
  readonly database: CallerReads;
  /** For statements that may take long, see `readNarrowed`. */
  readonly costly: CallerReads;
};

/** @param signal to which nothing else of the request may listen */
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
 * Reads messages of a narrow. The index finds words, but neither phrases nor what is left out, so a search for very common words can
 * come down to reading every message; and of many terms each is a part of the statement that has to be planned. Such a statement takes
 * none of the connections of other requests and gets a bounded time. It is refused rather than said to be unavailable: clients repeat
 * what is unavailable, and this would take as long every time.
 *
 * @throws ApiError `BAD_NARROW` when it takes too long
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
