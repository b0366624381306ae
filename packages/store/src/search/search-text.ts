/** The text by which a message is found, and the place of each of its characters in the shown text (reference facts, messages 9). */
import { foldName } from '@parley/api';

const isAscii = /^[\0-\x7f]*$/;
const variationSelectors = /\p{Variation_Selector}/gu;
/** More marks than any script gives a letter (Unicode Standard Annex 15, 13). Their order takes time with the square of their number. */
const sparseMarks = /(\p{M}{30})\p{M}+/gu;

/** Upper-case letters with two marks that exist as one letter in lower case only. */
const twoMarks = /[ΪΫ][\u0300\u0301\u0342]/g;

/** @returns the text without letter case: texts that are the same for `foldName` become the same */
export function foldWords(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  return (
    foldName(text.replaceAll(sparseMarks, '$1'))
      // The index contains their parts, as for every letter that is several characters in upper case.
      .replaceAll(twoMarks, (letter) => letter.normalize('NFD'))
      .toLowerCase()
      // Lower case changes a sigma at the end of a word to another letter.
      .replaceAll('ς', 'σ')
      // They choose among pictures of one character.
      .replaceAll(variationSelectors, '')
  );
}

const surrogate = /[\ud800-\udfff]/;
// The units that fold as a whole: ASCII, a character with its marks, and the pieces of a Korean syllable.
const clusters =
  /[\0-\x7f]+(?!\p{M})|[\uac00-\ud7a3]?[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]+|\P{M}\p{M}*|\p{M}+/gu;

/** Whether each UTF-16 unit folds to one in the same place: folding a character of the basic plane never shortens it. */
function foldsInPlace(text: string, folded: string): boolean {
  return text.length === folded.length && !surrogate.test(text) && text.normalize('NFC') === text;
}

/** A run of the folded text, which ends where the next one begins. */
type FoldedRun = {
  readonly at: number;
  readonly start: number;
  /** The end of the run's part of the source; undefined if each unit has one unit there. */
  readonly end: number | undefined;
};

/** A folded text with the place of each of its UTF-16 units in the source. */
export class SourceText {
  folded = '';
  readonly #runs: FoldedRun[] = [];

  /** Adds text that is unchanged in the source. */
  addText(text: string, at: number): void {
    const folded = foldWords(text);
    if (foldsInPlace(text, folded)) {
      this.#addRun(folded, at, undefined);
      return;
    }
    for (const match of text.matchAll(clusters)) {
      const [cluster] = match;
      const start = at + match.index;
      if (isAscii.test(cluster)) this.#addRun(foldWords(cluster), start, undefined);
      else this.addUnit(cluster, start, start + cluster.length);
    }
  }

  /** Adds text that is one whole in the source. A whole of no length marks a place that cannot be wrapped, such as a tag. */
  addUnit(text: string, start: number, end: number): void {
    this.#addRun(foldWords(text), start, end);
  }

  #addRun(folded: string, start: number, end: number | undefined): void {
    if (folded === '') return;
    this.#runs.push({ at: this.folded.length, start, end });
    this.folded += folded;
  }

  /** @returns the ranges of the source that show the folded range; several if other source text lies between them */
  sourceRanges(start: number, end: number): { start: number; end: number }[] {
    const ranges: { start: number; end: number }[] = [];
    for (let n = this.#runAt(start); n < this.#runs.length; n += 1) {
      const run = this.#runs[n];
      if (run === undefined || run.at >= end) break;
      const isWhole = run.end !== undefined;
      const runEnd = this.#runs[n + 1]?.at ?? this.folded.length;
      const from = isWhole ? run.start : run.start + Math.max(start, run.at) - run.at;
      const to = isWhole ? run.end : run.start + Math.min(end, runEnd) - run.at;
      const last = ranges.at(-1);
      if (from >= to) continue;
      if (last !== undefined && last.end >= from) last.end = to;
      else ranges.push({ start: from, end: to });
    }
    return ranges;
  }

  /** @returns the index of the run that contains a unit of the folded text */
  #runAt(unit: number): number {
    let low = 0;
    let high = this.#runs.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#runs[middle]?.at ?? 0) <= unit) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};

const htmlTokens =
  /<(?:"[^"]*"|'[^']*'|[^'"<>])*>|&(?:#\d+|#x[\da-f]+|[a-z][\da-z]*);|[^<&]+|[<&]/gi;
const emojiImage = /^<img [^>]*alt="(:[^":]+:)"/i;
/** Tags within a line of text, which part no compound: in a block of code each token may have its own. */
const inlineTag = /^<\/?(?:a|b|code|del|em|i|span|strong|sub|sup|time|u)[\s>]/i;
/** Stands for an inline tag. */
export const tagJoint = '\u0001';
// A span inside these would end them, because browsers take HTML out of MathML and SVG.
const foreignTag = /^<(\/?)(?:math|svg)[\s/>]/i;

type HtmlVisitor = {
  /** Text that is unchanged in the HTML. */
  readonly text: (text: string, start: number) => void;
  /** Text with another source in the HTML. */
  readonly unit: (text: string, start: number, end: number) => void;
  /** Text that cannot be wrapped: the text of a tag, and text that is not HTML. */
  readonly fixed: (text: string, end: number) => void;
};

function visitHtml(html: string, visit: HtmlVisitor): void {
  let foreignDepth = 0;
  for (const match of html.matchAll(htmlTokens)) {
    const [token] = match;
    const start = match.index;
    const end = start + token.length;
    if (token.startsWith('<') && token.length > 1) {
      const foreign = foreignTag.exec(token);
      if (foreign !== null) foreignDepth += foreign[1] === '/' ? -1 : 1;
      visit.fixed(inlineTag.test(token) ? tagJoint : ` ${emojiImage.exec(token)?.[1] ?? ''} `, end);
      continue;
    }
    const isEntity = token.startsWith('&') && token.length > 1;
    const shown = isEntity ? (entities[token.toLowerCase()] ?? ' ') : token;
    if (foreignDepth > 0) visit.fixed(shown, end);
    else if (isEntity) visit.unit(shown, start, end);
    else visit.text(shown, start);
  }
}

/**
 * Reads the text of rendered HTML. Tags and attributes are not words; a picture of an emoji gives its name.
 *
 * @param html from the renderer, so well-formed
 */
export function readHtml(html: string): SourceText {
  const text = new SourceText();
  visitHtml(html, {
    text: (shown, start) => text.addText(shown, start),
    unit: (shown, start, end) => text.addUnit(shown, start, end),
    fixed: (shown, end) => text.addUnit(shown, end, end),
  });
  return text;
}

const topicEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A topic as HTML. */
export function escapeTopic(topic: string): string {
  return topic.replaceAll(/[&<>"']/g, (character) => topicEscapes[character] ?? character);
}

/** @returns the text of rendered HTML, folded */
export function shownText(html: string): string {
  let shown = '';
  const add = (text: string): void => {
    shown += foldWords(text);
  };
  visitHtml(html, { text: add, unit: add, fixed: add });
  return shown;
}
