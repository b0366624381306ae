import { badNarrow } from '@parley/contracts';
import { isStatementTimeout } from '@parley/database';
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
  { pool, searchPool }: Pick<MessagesContext, 'pool' | 'searchPool'>,
  { searchedWords }: Pick<CompiledNarrow, 'searchedWords'>,
  read: (db: Queryable) => Promise<Result>,
): Promise<Result> {
  if (searchedWords === undefined) return read(pool);
  try {
    return await read(searchPool);
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    throw badNarrow('too many messages to search: add a rarer word, a stream or a sender');
  }
}
