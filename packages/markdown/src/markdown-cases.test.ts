import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { createTestContext } from '../tests/test-context.ts';
import { renderMessage } from './render-message.ts';

type MarkdownCase = { name: string; input: string; expected: string };

/** What this renderer does better than the recorded one; README.md lists it. */
const mended: Readonly<Record<string, string>> = {
  'table-needs-own-block':
    '<p>intro</p>\n<table>\n<thead>\n<tr>\n<th>p</th>\n<th>q</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>',
};

const recorded = readFileSync(new URL('../testdata/markdown-cases.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as MarkdownCase);
const cases = recorded.map((of) => ({ ...of, expected: mended[of.name] ?? of.expected }));

/** Token spans of code and KaTeX's numbers depend on the libraries (reference facts, markdown 19). */
const casesComparedByText = new Set(['fence-python', 'quote-fence-nested-code']);
const casesComparedByStructure = new Set(['math-inline', 'math-block']);

const tokenSpan = /<span class="[a-z0-9]+">|<\/span>/g;

/** A formula without its lengths, which are rounded differently. */
function katexStructure(html: string): string {
  return html.replaceAll(/ style="[^"]*"/g, '');
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

  it.each(cases)('$name', (testCase) => {
    const { name, expected } = testCase;
    expect(comparable(name, rendered(testCase))).toBe(comparable(name, expected));
  });

  it('all pass: exactly this many byte for byte, and the named ones by text or structure', () => {
    const loose = cases.filter((testCase) => rendered(testCase) !== testCase.expected);
    const failing = cases.filter((testCase) => {
      const { name, expected } = testCase;
      return comparable(name, rendered(testCase)) !== comparable(name, expected);
    });
    const looseNames = loose.map(({ name }) => name);
    process.stdout.write(
      `cases of the reference renderer: ${cases.length - loose.length} byte for byte, ${loose.length} by text or structure\n`,
    );
    expect(looseNames.toSorted()).toEqual(
      [...casesComparedByText, ...casesComparedByStructure].toSorted(),
    );
    expect(failing).toEqual([]);
    expect(cases.length - loose.length).toBe(192);
  });
});
