/** Words as Postgres finds them in a text. Texts are already folded: the parser itself folds the case of ASCII only. */
import type { Queryable } from '@parley/database';

// The stop words of Postgres lack most single letters (reference facts, messages 9).
const singleLetter = /^[a-z]$/;

/** @returns the distinct words of a folded text, stemmed, without stop words, the longest first */
export async function findSearchWords(db: Queryable, folded: string): Promise<string[]> {
  const { rows } = await db.query<{ words: string[] }>({
    name: 'search-words',
    text: `SELECT tsvector_to_array(to_tsvector('english', $1)) AS words`,
    values: [folded],
  });
  return (rows[0]?.words ?? [])
    .filter((word) => !singleLetter.test(word))
    .toSorted((a, b) => b.length - a.length);
}

/** @returns the text of the tsquery that asks for all of the words */
export function allOfWords(words: readonly string[]): string {
  return words
    .map((word) => `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`)
    .join(' & ');
}

export type TextRange = { readonly start: number; readonly end: number };

// Characters for private use, which no folded text holds.
const opening = '\u{e000}';
const closing = '\u{e001}';

function rangesIn(marked: string, text: string): TextRange[] {
  const ranges: TextRange[] = [];
  let at = 0;
  let start = 0;
  for (const piece of marked.split(/([\u{e000}\u{e001}])/u)) {
    if (piece === opening) start = at;
    else if (piece === closing) ranges.push({ start, end: at });
    else if (text.startsWith(piece, at)) at += piece.length;
    // Marks in a text that came back changed would stand anywhere.
    else return [];
  }
  return ranges;
}

/**
 * Finds where words stand in texts, by the parser and the stemmer that index them.
 *
 * @param texts folded
 * @param wordQuery from `allOfWords`
 * @returns for each text the ranges of its hits, ascending, in UTF-16 units
 */
export async function findWordRanges(
  db: Queryable,
  texts: readonly string[],
  wordQuery: string,
): Promise<TextRange[][]> {
  const { rows } = await db.query<{ marked: string }>({
    name: 'search-ranges',
    text: `SELECT ts_headline('english', t.body, $2::tsquery, $3) AS marked
      FROM unnest($1::text[]) WITH ORDINALITY t (body, n) ORDER BY t.n`,
    values: [texts, wordQuery, `HighlightAll=true, StartSel="${opening}", StopSel="${closing}"`],
  });
  return rows.map(({ marked }, n) => rangesIn(marked, texts[n] ?? ''));
}
