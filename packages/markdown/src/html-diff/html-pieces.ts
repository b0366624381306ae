/** A piece of HTML from the source: `text` keeps its entities. */
export type HtmlPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly tag: string; readonly attributes: string }
  | { readonly kind: 'close'; readonly tag: string };

/** Elements of renderings without an end tag. */
export const voidTags: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'path']);

const tagStart = /<(\/?)([a-zA-Z][a-zA-Z0-9]*)/y;
const safeAttributes = /^(?:\s+[a-zA-Z][a-zA-Z:-]*="[^"<>]*")*\s*\/?$/;

/** The index of the `>` that ends a tag, or -1; quoted values may contain one. */
function tagEnd(html: string, start: number): number {
  let quote = '';
  for (let index = start; index < html.length; index += 1) {
    const character = html[index] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if (character === '>') {
      return index;
    }
  }
  return -1;
}

/**
 * Splits a rendering into tags and text in linear time. It reads the renderer's output. Anything else becomes text with its `<` escaped, or
 * a tag without attributes, so that a difference never contains more markup than the two renderings.
 */
export function splitHtml(html: string): HtmlPiece[] {
  const pieces: HtmlPiece[] = [];
  const pushText = (text: string): void => {
    if (text !== '') pieces.push({ kind: 'text', text: text.replaceAll('<', '&lt;') });
  };
  let copied = 0;
  for (let start = html.indexOf('<'); start !== -1; start = html.indexOf('<', start + 1)) {
    tagStart.lastIndex = start;
    const match = tagStart.exec(html);
    if (match === null) continue;
    const end = tagEnd(html, tagStart.lastIndex);
    // Nothing after this can be a tag either.
    if (end === -1) break;
    pushText(html.slice(copied, start));
    const tag = (match[2] ?? '').toLowerCase();
    if (match[1] === '/') {
      pieces.push({ kind: 'close', tag });
    } else {
      const attributes = html.slice(tagStart.lastIndex, end);
      const isSafe = safeAttributes.test(attributes);
      pieces.push({
        kind: 'open',
        tag,
        attributes: isSafe ? attributes.replace(/\s*\/?$/, '') : '',
      });
    }
    copied = end + 1;
    start = end;
  }
  pushText(html.slice(copied));
  return pieces;
}

/** The value of an attribute as written, with its entities. */
export function attributeOf(attributes: string, name: string): string | undefined {
  for (const [, key, value] of attributes.matchAll(/([a-zA-Z:-]+)="([^"]*)"/g)) {
    if (key === name) return value;
  }
  return undefined;
}
