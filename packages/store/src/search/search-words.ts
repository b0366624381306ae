/**
 * The words by which messages are found, for the index, queries and highlights alike (reference facts, messages 9). A text is read as units:
 * runs of letters, runs of digits, and each Chinese, Japanese or Korean character. Units with nothing or only joints between them are a
 * compound. Its words are its units and its pairs of neighbours, so it is found by each part, and in whole or in part by pairs. Characters
 * have only their pairs, unless they stand alone.
 */
import { stem } from 'porter2';

import { foldWords, shownText, tagJoint } from './search-text.ts';
import { searchStopWords } from './stop-words.ts';

export type TextRange = { readonly start: number; readonly end: number };

type Word = TextRange & { readonly word: string };

type Unit = Word & {
  readonly isStopWord: boolean;
  readonly isCharacter: boolean;
};

const kinds = { other: 1, letter: 2, character: 3, digit: 4, mark: 5, joint: 6 } as const;
type Kind = (typeof kinds)[keyof typeof kinds];

const patterns: readonly (readonly [Kind, RegExp])[] = [
  [kinds.character, /[\p{L}&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}]]/v],
  [kinds.letter, /\p{L}/v],
  [kinds.digit, /\p{N}/v],
  [kinds.mark, /\p{M}/v],
  [kinds.joint, new RegExp(`[-_/.:@${tagJoint}]`, 'u')],
];

/** By code point, 0 where it is not known yet: a pattern takes longer than all else together. */
const knownKinds = new Uint8Array(0x11_00_00);

function kindOf(codePoint: number): number {
  const known = knownKinds[codePoint];
  if (known !== undefined && known !== 0) return known;
  const text = String.fromCodePoint(codePoint);
  const kind = patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? kinds.other;
  knownKinds[codePoint] = kind;
  return kind;
}

const stopWords: ReadonlySet<string> = new Set(searchStopWords);

/** An index takes no words of two kibibytes. Longer runs are found by their beginnings. */
const unitMaxLength = 100;

/** An index takes a mebibyte of a message, and a unit of text is at most three bytes. Only names of others make a message this long. */
const wordsMaxLength = 300_000;

function unitOf(run: string, kind: number, start: number, initials?: ReadonlySet<number>): Unit {
  const end = start + run.length;
  const isCharacter = kind === kinds.character;
  if (kind !== kinds.digit && initials?.has(run.charCodeAt(0)) === false)
    return { word: '', start, end, isStopWord: true, isCharacter };
  const word = run.length > unitMaxLength ? run.slice(0, unitMaxLength).toWellFormed() : run;
  const isStopWord = stopWords.has(word);
  return {
    word: kind === kinds.letter && !isStopWord ? stem(word) : word,
    start,
    end,
    isStopWord,
    isCharacter,
  };
}

/**
 * @param folded from `foldWords`
 * @param initials if given, letters and characters that begin otherwise count for nothing; stemming never changes the beginning
 */
function compoundsOf(folded: string, initials?: ReadonlySet<number>): Unit[][] {
  const compounds: Unit[][] = [];
  let compound: Unit[] | undefined;
  let at = 0;
  const kindHere = (): number => {
    const codePoint = folded.codePointAt(at);
    return codePoint === undefined ? 0 : kindOf(codePoint);
  };
  const pass = (): void => {
    at += (folded.codePointAt(at) ?? 0) > 0xff_ff ? 2 : 1;
  };
  while (at < folded.length) {
    const kind = kindHere();
    const start = at;
    pass();
    if (kind === kinds.joint) continue;
    if (kind === kinds.other || kind === kinds.mark) {
      compound = undefined;
      continue;
    }
    for (let next = kindHere(); ; next = kindHere()) {
      const isSame = next === kind && kind !== kinds.character;
      const isMarked = next === kinds.mark && kind !== kinds.digit;
      if (!isSame && !isMarked) break;
      pass();
    }
    if (compound === undefined) {
      compound = [];
      compounds.push(compound);
    }
    compound.push(unitOf(folded.slice(start, at), kind, start, initials));
  }
  return compounds;
}

function areCharacters(one: Unit | undefined, next: Unit | undefined): boolean {
  return one?.isCharacter === true && next?.isCharacter === true && one.end === next.start;
}

function pairOf(one: Unit, next: Unit): Word {
  const joint = one.isCharacter && next.isCharacter ? '' : '-';
  return { word: `${one.word}${joint}${next.word}`, start: one.start, end: next.end };
}

/** Calls back for each word of the text; a word that overlaps earlier ones ends with or behind them. */
function visitWords(
  folded: string,
  visit: (word: Word) => void,
  initials?: ReadonlySet<number>,
): void {
  for (const compound of compoundsOf(folded, initials)) {
    for (const [n, unit] of compound.entries()) {
      const before = compound[n - 1];
      if (unit.word === '') continue;
      const isInside = areCharacters(before, unit) || areCharacters(unit, compound[n + 1]);
      if (before !== undefined && before.word !== '') visit(pairOf(before, unit));
      if (!unit.isStopWord && !isInside) visit(unit);
    }
  }
}

/** @returns the words that find a message, as `message_words_vector` takes them */
export function searchWords(topic: string, html: string): string {
  const words = new Set<string>();
  let length = 0;
  visitWords(`${foldWords(topic)} ${shownText(html)}`, ({ word }) => {
    if (words.has(word) || length + word.length > wordsMaxLength) return;
    words.add(word);
    length += word.length;
  });
  return [...words].join(' ');
}

/**
 * Writing ten thousand words takes a tenth of a second, in which nobody else could send. English messages have fewer than this many, and a
 * Chinese one of three thousand characters.
 */
const sentMaxLength = 10_000;

/** @returns what a send writes of the words that find a message; if there are more, all are written a moment later (`renewSearchWords`) */
export function sentSearchWords(
  topic: string,
  html: string,
): { readonly search_words: string; readonly has_more_words?: boolean } {
  const words = searchWords(topic, html);
  return words.length <= sentMaxLength
    ? { search_words: words }
    : { search_words: words.slice(0, words.lastIndexOf(' ', sentMaxLength)), has_more_words: true };
}

export type SearchedWords = {
  /** All of them are in a found message; the longest first. */
  readonly words: readonly string[];
  /** The query's other words, which are too common. */
  readonly ignored: readonly string[];
};

/** @returns the words of a query: compounds are looked for by their pairs, and the scheme of an address not at all */
export function readSearchedWords(query: string): SearchedWords {
  const folded = foldWords(query);
  const words = new Set<string>();
  const ignored = new Set<string>();
  for (const compound of compoundsOf(folded)) {
    const [first, ...rest] = compound;
    if (first === undefined) continue;
    const asked = rest.length > 0 && folded.startsWith('://', first.end) ? rest : compound;
    for (const [n, unit] of asked.entries()) {
      const before = asked[n - 1];
      if (before !== undefined) words.add(pairOf(before, unit).word);
      else if (asked.length === 1) (unit.isStopWord ? ignored : words).add(unit.word);
    }
  }
  return {
    words: [...words].toSorted((a, b) => b.length - a.length),
    ignored: [...ignored],
  };
}

/** @returns the first UTF-16 units of all units in the words */
function initialsOf(words: readonly string[]): ReadonlySet<number> {
  const initials = new Set<number>();
  for (const part of words.flatMap((word) => word.split('-'))) {
    initials.add(part.charCodeAt(0));
    for (const character of part)
      if (kindOf(character.codePointAt(0) ?? 0) === kinds.character)
        initials.add(character.charCodeAt(0));
  }
  return initials;
}

/**
 * @param words from `readSearchedWords`
 * @returns what finds their ranges in a folded text, ascending, in UTF-16 units
 */
export function wordFinder(words: readonly string[]): (folded: string) => TextRange[] {
  const wanted = new Set(words);
  const initials = initialsOf(words);
  return (folded) => {
    const ranges: { start: number; end: number }[] = [];
    visitWords(
      folded,
      ({ word, start, end }) => {
        if (!wanted.has(word)) return;
        const last = ranges.at(-1);
        if (last === undefined || last.end <= start) ranges.push({ start, end });
        else last.end = end;
      },
      initials,
    );
    return ranges;
  };
}

/** @returns the text of the tsquery that matches all of the words */
export function allOfWords(words: readonly string[]): string {
  return words
    .map((word) => `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`)
    .join(' & ');
}
