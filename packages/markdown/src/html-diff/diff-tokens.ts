import { attributeOf, splitHtml, voidTags } from './html-pieces.ts';
import type { HtmlPiece } from './html-pieces.ts';

/** One word, picture or link target, with the tags around it. */
export type DiffToken = {
  /** The key for comparisons, without markup. */
  readonly key: string;
  readonly html: string;
  /** Link targets are shown only when they change. */
  readonly isHiddenWhenEqual: boolean;
  readonly tagsBefore: string[];
  readonly tagsAfter: string[];
};

const whitespace = /[ \t\n\r]/;

/** Strikethrough is not shown in a difference, because it would look like the difference's own marks. */
const unmarkable = new Set(['ins', 'del']);

/**
 * Makes the tokens of a rendering (reference facts, markdown 16.1).
 *
 * @returns at least one token, so that the tags of a rendering without words have a place
 */
export function diffTokens(html: string): DiffToken[] {
  const pieces = splitHtml(html).filter(
    (piece) => piece.kind === 'text' || !unmarkable.has(piece.tag),
  );
  const tokens: DiffToken[] = [];
  const openLinks: string[] = [];
  let waiting: string[] = [];

  const push = (key: string, tokenHtml: string, isHiddenWhenEqual = false): void => {
    tokens.push({ key, html: tokenHtml, isHiddenWhenEqual, tagsBefore: waiting, tagsAfter: [] });
    waiting = [];
  };
  const pushEnd = (tag: string, next: HtmlPiece | undefined): void => {
    const isSpaced = next?.kind === 'text' && whitespace.test(next.text[0] ?? '');
    const end = `</${tag}>${isSpaced ? ' ' : ''}`;
    const last = tokens.at(-1);
    if (waiting.length > 0 || last === undefined) waiting.push(end);
    else last.tagsAfter.push(end);
  };

  for (const [index, piece] of pieces.entries()) {
    const next = pieces[index + 1];
    if (piece.kind === 'text') {
      for (const [word] of piece.text.matchAll(/\S+(?:\s+|$)/gu)) push(`w${word.trimEnd()}`, word);
    } else if (piece.kind === 'close') {
      if (voidTags.has(piece.tag)) continue;
      if (piece.tag === 'a') {
        const href = openLinks.pop() ?? '';
        if (href !== '') push(`h${href}`, ` Link: ${href} `, true);
      }
      pushEnd(piece.tag, next);
    } else {
      const start = `<${piece.tag}${piece.attributes}>`;
      if (piece.tag === 'a') openLinks.push(attributeOf(piece.attributes, 'href') ?? '');
      if (piece.tag === 'img') push(`i${attributeOf(piece.attributes, 'src') ?? ''}`, start);
      else waiting.push(start);
      if (voidTags.has(piece.tag)) pushEnd(piece.tag, next);
    }
  }
  const last = tokens.at(-1);
  if (last === undefined) push('w', '');
  else last.tagsAfter.push(...waiting);
  return tokens;
}
