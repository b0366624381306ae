import katex from 'katex';

import { escapeCode } from './escaping.ts';

function render(tex: string, displayMode: boolean): string | undefined {
  try {
    return katex.renderToString(tex, {
      displayMode,
      throwOnError: true,
      output: 'htmlAndMathml',
      // Unknown commands are errors of the author, not warnings for our console.
      strict: 'ignore',
      trust: false,
      // Bounds on what a few characters of TeX may grow to.
      maxExpand: 1000,
      maxSize: 50,
    });
  } catch {
    // A parse error, or nesting so deep that the parser ran out of stack: either way the
    // author sees the source marked as wrong.
    return undefined;
  }
}

const openTag = /<([a-z]+)((?: [a-zA-Z:-]+="[^"]*")+)(\s*\/?)>/g;
const attribute = / [a-zA-Z:-]+="[^"]*"/g;

/** Inline formulas are reparsed by the reference, which sorts their attributes. */
function sortAttributes(html: string): string {
  return html.replaceAll(openTag, (_whole, tag: string, attributes: string, end: string) => {
    const sorted = (attributes.match(attribute) ?? []).toSorted();
    return `<${tag}${sorted.join('')}${end}>`;
  });
}

/** An inline formula, or undefined when the TeX is wrong (reference facts, markdown 10). */
export function texInlineHtml(tex: string): string | undefined {
  const html = render(tex, false);
  return html === undefined ? undefined : sortAttributes(html);
}

/** The content of a math fence; blank lines separate formulas (reference facts, markdown 10). */
export function texBlockHtml(text: string): string {
  return text
    .split('\n\n')
    .map(
      (formula) => render(formula, true) ?? `<span class="tex-error">${escapeCode(formula)}</span>`,
    )
    .join('\n\n');
}
