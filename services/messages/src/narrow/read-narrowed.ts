import { badNarrow } from '@parley/contracts';
import { readWithin, StatementTimeout } from '@parley/database';
import type { Queryable } from '@parley/database';

import type { MessagesContext } from '../context.ts';
import type { CompiledNarrow } from './compile-narrow.ts';

/**
 * Reads messages of a narrow. The index finds words, but neither phrases nor what is left out, so a search for very common words can
 * come down to reading every message. It gets a bounded time, and is refused rather than said to be unavailable: clients repeat what
 * is unavailable, and this would take as long every time.
 *
 * @throws ApiError `BAD_NARROW` when a search takes too long
 */
export async function readNarrowed<Result>(
  { pool, searchTimeoutMs }: Pick<MessagesContext, 'pool' | 'searchTimeoutMs'>,
  { searchedWords }: Pick<CompiledNarrow, 'searchedWords'>,
  read: (db: Queryable) => Promise<Result>,
): Promise<Result> {
  if (searchedWords === undefined) return read(pool);
  try {
    return await readWithin(pool, searchTimeoutMs, read);
  } catch (error) {
    if (!(error instanceof StatementTimeout)) throw error;
    throw badNarrow('too many messages to search: add a rarer word, a stream or a sender');
  }
}
