/** Words of a search as Postgres finds them. Texts are already folded, because the parser folds the case of ASCII only. */
import type { Queryable } from '@parley/database';

import { findStems, plainWord } from './word-stems.ts';

// The stop words of Postgres lack most single letters (reference facts, messages 9).
const singleLetter = /^[a-z]$/;

/** @returns the distinct words of a folded text, stemmed, without stop words, the longest first */
export async function findSearchWords(db: Queryable, folded: string): Promise<string[]> {
  const plain = folded.split(/[\t-\r ]+/).filter((word) => word !== '');
  const words = plain.every((word) => plainWord.test(word))
    ? [...new Set((await findStems(db, new Set(plain))).values())]
    : await parseWords(db, folded);
  return words
    .filter((word) => word !== null)
    .filter((word) => !singleLetter.test(word))
    .toSorted((a, b) => b.length - a.length);
}

async function parseWords(db: Queryable, folded: string): Promise<string[]> {
  const { rows } = await db.query<{ words: string[] }>({
    name: 'search-words',
    text: `SELECT tsvector_to_array(to_tsvector('english', $1)) AS words`,
    values: [folded],
  });
  return rows[0]?.words ?? [];
}
