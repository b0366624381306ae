/** Postgres' stems of single words, kept by the process: they are the same for every text, and reading one takes a statement. */
import type { Queryable } from '@parley/database';

/** One word that the parser takes for one in any context. */
export const plainWord = /^[a-z]{1,40}$/;

/** The longest of this many words take two megabytes together. */
const keptMax = 20_000;

// By word, the longest unused first; null for a word that is not indexed. The stemmer depends on the release of Postgres, and an index
// would not fit another stemmer either.
const kept = new Map<string, string | null>();

function keep(word: string, stem: string | null): void {
  kept.delete(word);
  kept.set(word, stem);
  if (kept.size <= keptMax) return;
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    break;
  }
}

/**
 * @param words each of the form `plainWord`
 * @returns the indexed stem by word; null for stop words
 */
export async function findStems(
  db: Queryable,
  words: Iterable<string>,
): Promise<ReadonlyMap<string, string | null>> {
  const stems = new Map<string, string | null>();
  const unknown: string[] = [];
  for (const word of words) {
    const stem = kept.get(word);
    if (stem === undefined) unknown.push(word);
    else {
      stems.set(word, stem);
      keep(word, stem);
    }
  }
  if (unknown.length === 0) return stems;
  const { rows } = await db.query<{ stems: readonly (string | null)[] }>({
    name: 'word-stems',
    text: `SELECT array_to_json(array_agg((tsvector_to_array(to_tsvector('english', w.word)))[1] ORDER BY w.n)) AS stems
      FROM unnest($1::text[]) WITH ORDINALITY w (word, n)`,
    values: [unknown],
  });
  for (const [n, word] of unknown.entries()) {
    const stem = rows[0]?.stems[n] ?? null;
    stems.set(word, stem);
    keep(word, stem);
  }
  return stems;
}
