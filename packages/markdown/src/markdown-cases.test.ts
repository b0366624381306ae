import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { renderMessage } from './render-message.ts';
import { createTestContext } from './test-context.ts';

type MarkdownCase = { name: string; input: string; expected: string };

const cases = readFileSync(new URL('../testdata/markdown-cases.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as MarkdownCase);

/** Cases that the renderer does not meet; exactly these must fail, so that the list stays true. */
const casesNotYetSupported: readonly string[] = [];

/** Highlighting and KaTeX's numbers depend on library versions (reference facts, markdown 19). */
const casesComparedByText = new Set([
  'fence-python',
  'fence-braces-dot',
  'quote-fence-nested-code',
]);
const casesComparedByStructure = new Set(['math-inline', 'math-block']);

const tokenSpan = /<span class="[a-z0-9]+">|<\/span>/g;

/** Tags with their fixed attributes, without the parts that KaTeX renames between versions. */
function katexStructure(html: string): string {
  return html
    .replaceAll(/ style="[^"]*"/g, '')
    .replaceAll(/class="mord [a-z]+"/g, 'class="mord"')
    .replaceAll(/class="katex-(base|strut|sizing)/g, 'class="$1')
    .replaceAll(' display="block"', '');
}

function comparable(name: string, html: string): string {
  if (casesComparedByText.has(name)) return html.replaceAll(tokenSpan, '');
  return casesComparedByStructure.has(name) ? katexStructure(html) : html;
}

function rendered({ name, input }: MarkdownCase): string {
  const context = createTestContext({ translateEmoticons: name.startsWith('emoticon-on') });
  return renderMessage(input, context).html;
}

describe('the cases of the reference renderer', () => {
  it('are all here', () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(196);
  });

  it.each(cases.filter(({ name }) => !casesNotYetSupported.includes(name)))('$name', (testCase) => {
    const { name, expected } = testCase;
    expect(comparable(name, rendered(testCase))).toBe(comparable(name, expected));
  });

  it('leaves out exactly the cases that fail', () => {
    const failing = cases
      .filter((testCase) => {
        const { name, expected } = testCase;
        return comparable(name, rendered(testCase)) !== comparable(name, expected);
      })
      .map(({ name }) => name);
    expect(failing).toEqual(casesNotYetSupported);
  });
});
