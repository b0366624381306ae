/**
 * The ranges of words in texts, by the parser and the stemmer of the index. The result for a piece between white space depends only on
 * whether the text begins or ends with it. Most pieces are single words with known stems; only pieces that the parser may take for an
 * address, a compound or a number go to Postgres.
 */
import type { Queryable } from '@parley/database';

import { findStems, plainWord } from './word-stems.ts';

export type TextRange = { readonly start: number; readonly end: number };

/** Letters with punctuation that joins nothing: its words are the runs of letters. */
const simplePiece = /^[a-z!"'(),;?[\]{}]+[.:]?$/;

const space = 0x20;
const tab = 0x09;
const carriageReturn = 0x0d;
const lowerA = 0x61;
const lowerZ = 0x7a;
const lastAscii = 0x7f;

/** Calls back for every piece that can contain a word with one of the initials, which stemming never changes. */
function visitPieces(
  text: string,
  initials: ReadonlySet<number>,
  visit: (start: number, end: number) => void,
): void {
  let start = 0;
  let isLetters = true;
  let hasInitial = false;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at === text.length ? space : text.charCodeAt(at);
    if (code === space || (code >= tab && code <= carriageReturn)) {
      if (hasInitial && (!isLetters || initials.has(text.charCodeAt(start)))) visit(start, at);
      start = at + 1;
      isLetters = true;
      hasInitial = false;
    } else if (code >= lowerA && code <= lowerZ) {
      hasInitial ||= initials.has(code);
    } else {
      isLetters = false;
      // Postgres may have another lower case for other letters.
      hasInitial ||= code > lastAscii || initials.has(code);
    }
  }
}

/** The words of a simple piece that can be among the searched ones. */
function wordsIn(piece: string, initials: ReadonlySet<number>): (TextRange & { word: string })[] {
  return Array.from(piece.matchAll(/[a-z]+/g), ({ 0: word, index }) => ({
    word,
    start: index,
    end: index + word.length,
  })).filter(({ word }) => initials.has(word.charCodeAt(0)));
}

// Characters for private use, which no folded text contains.
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
    // If the text came back changed, its marks could be anywhere.
    else return [];
  }
  return ranges;
}

/** Sends pieces to Postgres. */
async function findParsed(
  db: Queryable,
  pieces: readonly string[],
  wordQuery: string,
): Promise<ReadonlyMap<string, TextRange[]>> {
  if (pieces.length === 0) return new Map();
  const { rows } = await db.query<{ marked: string }>({
    name: 'search-ranges',
    text: `SELECT ts_headline('english', t.body, $2::tsquery, $3) AS marked
      FROM unnest($1::text[]) WITH ORDINALITY t (body, n) ORDER BY t.n`,
    values: [pieces, wordQuery, `HighlightAll=true, StartSel="${opening}", StopSel="${closing}"`],
  });
  return new Map(pieces.map((piece, n) => [piece, rangesIn(rows[n]?.marked ?? '', piece)]));
}

/** @returns the text of the tsquery that matches all of the words */
export function allOfWords(words: readonly string[]): string {
  return words
    .map((word) => `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`)
    .join(' & ');
}

/**
 * Finds the ranges of words in texts.
 *
 * @param texts folded
 * @param words from `findSearchWords`
 * @returns for each text the ranges of its hits, ascending, in UTF-16 units
 */
export async function findWordRanges(
  db: Queryable,
  texts: readonly string[],
  words: readonly string[],
): Promise<TextRange[][]> {
  const initials = new Set(words.map((word) => word.charCodeAt(0)));
  const simple = new Map<string, (TextRange & { word: string })[]>();
  const others = new Set<string>();
  const places = texts.map((text) => {
    const pieces: { piece: string; start: number }[] = [];
    visitPieces(text, initials, (start, end) => {
      const piece = text.slice(start, end);
      if (!simple.has(piece)) {
        const own = simplePiece.test(piece) ? wordsIn(piece, initials) : undefined;
        if (own?.every(({ word }) => plainWord.test(word)) !== true) {
          const from = Math.max(start - 1, 0);
          const other = text.slice(from, end + 1);
          others.add(other);
          pieces.push({ piece: other, start: from });
          return;
        }
        simple.set(piece, own);
      }
      pieces.push({ piece, start });
    });
    return pieces;
  });
  const known = new Set(simple.values().flatMap((own) => own.map(({ word }) => word)));
  const [stems, parsed] = await Promise.all([
    findStems(db, known),
    findParsed(db, [...others], allOfWords(words)),
  ]);
  const searched: ReadonlySet<string | null | undefined> = new Set(words);
  const hits = new Map<string, readonly TextRange[]>(parsed);
  for (const [piece, own] of simple)
    hits.set(
      piece,
      own.filter(({ word }) => searched.has(stems.get(word))),
    );
  return places.map((pieces) =>
    pieces.flatMap(({ piece, start }) =>
      (hits.get(piece) ?? []).map((hit) => ({ start: start + hit.start, end: start + hit.end })),
    ),
  );
}
