/**
 * Compares searched phrases with the original text, in any letter case (reference facts, messages 9). The one fold function decides
 * equality; it gives the statement a table of just the characters that the phrases can match.
 */
import { foldName } from '@parley/api';

type FoldedLetter = {
  readonly source: string;
  readonly folded: string;
  /**
   * Whether a character is the lower case of its folded form. Marks combine with both letters of such a pair or with neither; other
   * characters that fold, such as ſ, ǰ or ﬁ, may combine with a mark after they are folded.
   */
  readonly isCasePair: boolean;
};

/** The ASCII letters below it are folded by `fold_by_table` without a table. */
const firstListedCodePoint = 0x80;
/** All scripts with letter case lie below this code point. */
const lastCasedCodePoint = 0x1_ff_ff;

const firstMark = /^\p{M}/u;

function makeFoldTable(): readonly FoldedLetter[] {
  const letters: FoldedLetter[] = [];
  for (let codePoint = firstListedCodePoint; codePoint <= lastCasedCodePoint; codePoint += 1) {
    const source = String.fromCodePoint(codePoint);
    // Statements normalize before they fold, so a character that normalization replaces never occurs.
    if (!/^\p{Changes_When_Uppercased}$/u.test(source) || source.normalize('NFC') !== source)
      continue;
    const folded = foldName(source);
    if (folded !== source)
      letters.push({ source, folded, isCasePair: folded.toLowerCase() === source });
  }
  return letters;
}

let foldTable: readonly FoldedLetter[] | undefined;

/**
 * The letters whose folding decides whether a phrase is found. Letters of pairs match a phrase that contains their folded form. Others also
 * match if that form may become part of a character of the phrase, or may combine with a mark at its beginning.
 */
function lettersFor(phrases: readonly string[]): readonly FoldedLetter[] {
  foldTable ??= makeFoldTable();
  const met = new Set(phrases.flatMap((phrase) => Array.from(phrase)));
  const parts = new Set(phrases.flatMap((phrase) => Array.from(phrase.normalize('NFD'))));
  const beginsWithMark = phrases.some((phrase) => firstMark.test(phrase));
  return foldTable.filter(({ folded, isCasePair }) =>
    isCasePair
      ? met.has(folded)
      : beginsWithMark || Array.from(folded.normalize('NFD')).some((part) => parts.has(part)),
  );
}

/** Phrases in the form that a statement compares; each is a value to bind. */
export type FoldedPhrases = {
  readonly phrases: readonly string[];
  readonly characters: string;
  readonly folded: string;
  readonly expanding: readonly string[];
  readonly expansions: readonly string[];
};

/** @param phrases in their original form, well-formed and without NUL */
export function foldPhrases(phrases: readonly string[]): FoldedPhrases {
  const wanted = [...new Set(phrases.map(foldName))];
  const letters = lettersFor(wanted);
  const single = letters.filter(({ folded }) => Array.from(folded).length === 1);
  const expanding = letters.filter(({ folded }) => Array.from(folded).length > 1);
  return {
    phrases: wanted,
    characters: single.map(({ source }) => source).join(''),
    folded: single.map(({ folded }) => folded).join(''),
    expanding: expanding.map(({ source }) => source),
    expansions: expanding.map(({ folded }) => folded),
  };
}

/** Expressions for the result of `foldPhrases`. */
export type PhraseExpressions = Readonly<Record<keyof FoldedPhrases, string>>;

/** @returns the condition that each phrase occurs in the raw content or in the topic of the message */
export function phrasesSql(message: string, given: PhraseExpressions): string {
  const fold = (column: string): string =>
    `fold_by_table(${message}.${column}, ${given.characters}, ${given.folded}, ${given.expanding}, ${given.expansions})`;
  return `(SELECT bool_and(strpos(shown.content, asked.phrase) > 0 OR strpos(shown.topic, asked.phrase) > 0)
    FROM (SELECT ${fold('content')} AS content, ${fold('topic')} AS topic OFFSET 0) shown, unnest(${given.phrases}) asked (phrase))`;
}
