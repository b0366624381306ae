/**
 * The comparison of searched phrases with what was written, regardless of case (reference facts, messages 9). The one fold function
 * decides what is the same; the statement gets from it a table of just the characters that the phrases can meet.
 */
import { foldName } from '@parley/contracts';

type FoldTable = {
  /** By a folded character: the characters that fold to it alone. */
  readonly sources: ReadonlyMap<string, readonly string[]>;
  /** Characters that fold to several. */
  readonly expanding: readonly { readonly source: string; readonly folded: string }[];
};

/** The ASCII letters below it are folded by `fold_by_table` without a table. */
const firstListedCodePoint = 0x80;
/** All scripts with letter case lie below this code point. */
const lastCasedCodePoint = 0x1_ff_ff;

function makeFoldTable(): FoldTable {
  const sources = new Map<string, string[]>();
  const expanding: { source: string; folded: string }[] = [];
  for (let codePoint = firstListedCodePoint; codePoint <= lastCasedCodePoint; codePoint += 1) {
    const source = String.fromCodePoint(codePoint);
    // Statements normalize before they fold, so what normalization replaces is never met.
    if (!/^\p{Changes_When_Uppercased}$/u.test(source) || source.normalize('NFC') !== source)
      continue;
    const folded = foldName(source);
    if (folded === source) continue;
    if (Array.from(folded).length > 1) expanding.push({ source, folded });
    else sources.set(folded, [...(sources.get(folded) ?? []), source]);
  }
  return { sources, expanding };
}

let foldTable: FoldTable | undefined;

/** Phrases as a statement compares them; each is a value to bind. */
export type FoldedPhrases = {
  readonly phrases: readonly string[];
  readonly characters: string;
  readonly folded: string;
  readonly expanding: readonly string[];
  readonly expansions: readonly string[];
};

/** @param phrases as they were written, well-formed and without NUL */
export function foldPhrases(phrases: readonly string[]): FoldedPhrases {
  foldTable ??= makeFoldTable();
  const table = foldTable;
  const wanted = [...new Set(phrases.map(foldName))];
  const met = new Set(wanted.flatMap((phrase) => Array.from(phrase)));
  const pairs = [...met].flatMap((folded) =>
    (table.sources.get(folded) ?? []).map((source) => ({ source, folded })),
  );
  const expanding = table.expanding.filter(({ folded }) =>
    Array.from(folded).some((character) => met.has(character)),
  );
  return {
    phrases: wanted,
    characters: pairs.map(({ source }) => source).join(''),
    folded: pairs.map(({ folded }) => folded).join(''),
    expanding: expanding.map(({ source }) => source),
    expansions: expanding.map(({ folded }) => folded),
  };
}

/** Expressions of what `foldPhrases` gave. */
export type PhraseExpressions = Readonly<Record<keyof FoldedPhrases, string>>;

/** @returns the condition that each phrase occurs in the raw content or in the topic of the message */
export function phrasesSql(message: string, given: PhraseExpressions): string {
  const fold = (column: string): string =>
    `fold_by_table(${message}.${column}, ${given.characters}, ${given.folded}, ${given.expanding}, ${given.expansions})`;
  return `(SELECT bool_and(strpos(shown.content, asked.phrase) > 0 OR strpos(shown.topic, asked.phrase) > 0)
    FROM (SELECT ${fold('content')} AS content, ${fold('topic')} AS topic OFFSET 0) shown, unnest(${given.phrases}) asked (phrase))`;
}
