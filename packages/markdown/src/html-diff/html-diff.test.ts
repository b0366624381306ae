import fc from 'fast-check';
import { parseFragment, serialize } from 'parse5';
import type { DefaultTreeAdapterTypes } from 'parse5';
import { describe, expect, it } from 'vitest';

import { createTestContext } from '../../tests/test-context.ts';
import { renderMessage } from '../render-message.ts';
import { htmlDiff } from './html-diff.ts';
import { matchingBlocks } from './matching-blocks.ts';

const context = createTestContext({ inlineImagePreview: false }, { linkifiers: [] });
const html = (content: string): string => renderMessage(content, context).html;
const inserted = (text: string): string => `<span class="highlight_text_inserted">${text}</span>`;
const deleted = (text: string): string => `<span class="highlight_text_deleted">${text}</span>`;

/** The rows of reference facts, markdown 16. */
const rows: readonly (readonly [name: string, before: string, after: string, diff: string])[] = [
  [
    'a replaced word',
    'soup at noon on the deck',
    'soup at one on the deck',
    `<p>soup at ${inserted('one')} ${deleted('noon')} on the deck</p>`,
  ],
  [
    'an added word',
    'soup at noon',
    'soup at noon sharp',
    `<p>soup at noon ${inserted('sharp')} </p>`,
  ],
  ['markup alone', 'old *soup* pot here', 'old soup pot here', '<p>old soup pot here</p>'],
  [
    'a new paragraph',
    'one line of text here',
    'one line of text here\n\nand a new paragraph',
    `<div><p>one line of text here</p> <p>${inserted('and a new paragraph')}</p></div>`,
  ],
  [
    'characters beyond ASCII',
    'café is open',
    'café is shut',
    `<p>caf&#233; is ${inserted('shut')} ${deleted('open')} </p>`,
  ],
  [
    'a new item',
    '* figs\n* limes',
    '* figs\n* dates\n* limes',
    `<ul><li>figs</li> <li>${inserted('dates')}</li> <li>limes</li> </ul>`,
  ],
  [
    'nothing in common',
    'all different',
    'nothing alike',
    `<div><p>${inserted('nothing alike')}</p> <p>${deleted('all different')}</p></div>`,
  ],
  [
    'a later line',
    'line one\nline two',
    'line one\nline three',
    `<p>line one<br> line ${inserted('three')} ${deleted('two')} </p>`,
  ],
];

type Node = DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.DocumentFragment;

/** The words of a difference without those in one kind of mark. */
function wordsWithout(diff: string, className: string): string[] {
  const texts: string[] = [];
  const visit = (node: Node): void => {
    if ('value' in node) texts.push(node.value);
    if ('attrs' in node && node.attrs.some(({ value }) => value === className)) return;
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
    // Blocks and line breaks separate words.
    if ('tagName' in node && /^(?:p|li|h[1-6]|br|td|th|pre|hr)$/.test(node.tagName))
      texts.push(' ');
  };
  visit(parseFragment(diff));
  return texts
    .join('')
    .split(/\s+/u)
    .filter((word) => word !== '');
}

describe('the difference of two renderings', () => {
  it.each(rows)('shows %s', (_name, before, after, diff) => {
    expect(htmlDiff(html(before), html(after))).toBe(diff);
  });

  it('shows the example of the history', () => {
    expect(htmlDiff(html('content before edit'), html('content after edit'))).toBe(
      `<p>content ${inserted('after')} ${deleted('before')} edit</p>`,
    );
  });

  it('shows a changed link target, and only that', () => {
    const old = 'see [map](https://quay.com/a) now and then';
    const changed = htmlDiff(html(old), html(old.replace('/a', '/b')));
    expect(changed).toContain(
      `${inserted(' Link: https://quay.com/b')} ${deleted(' Link: https://quay.com/a')}`,
    );
    expect(htmlDiff(html(old), html(`${old} again`))).not.toContain('Link:');
  });

  it('compares pictures by their source', () => {
    const before = html('look at :party_newt: over there today');
    expect(htmlDiff(before, html('look at :party_newt: over there today'))).not.toContain('span');
    const after = html('look at :rocket: over there today');
    expect(htmlDiff(before, after)).toContain('<span class="highlight_text_deleted"><img ');
  });

  it('does not show strikethrough', () => {
    expect(htmlDiff(html('~~old~~ soup pot here'), html('old soup pot here'))).toBe(
      '<p>old soup pot here</p>',
    );
  });

  it('may be empty', () => {
    expect(htmlDiff('', '')).toBe('');
    expect(htmlDiff('', html('a'))).toBe(`<p>${inserted('a')}</p>`);
  });

  const letters = (words: readonly string[]): string[] => Array.from(words.join('')).toSorted();
  const word = fc.constantFrom(
    'fig',
    'lime',
    'sum',
    'date',
    'pear',
    'plum',
    '*fig*',
    '**lime**',
    'é',
  );
  const joint = fc.constantFrom(' ', ' ', ' ', '\n', '\n\n', '\n* ', '\n> ', '\n\n# ', '\n1. ');
  const content = fc
    .array(fc.tuple(word, joint), { minLength: 1, maxLength: 60 })
    .map((parts) => parts.flat().join('').trim());

  it('contains all words of both texts, in order, as balanced HTML', () => {
    fc.assert(
      fc.property(content, content, (before, after) => {
        const diff = htmlDiff(html(before), html(after));
        expect(wordsWithout(diff, 'highlight_text_deleted').join('')).toBe(
          wordsWithout(html(after), '').join(''),
        );
        // Words of the old text may touch if an insertion between them is removed.
        expect(letters(wordsWithout(diff, 'highlight_text_inserted'))).toEqual(
          letters(wordsWithout(html(before), '')),
        );
        const parsed = parseFragment(diff);
        expect(parsed.childNodes.filter((node) => !('value' in node))).toHaveLength(1);
        const again = serialize(parsed);
        expect(again).toBe(serialize(parseFragment(again)));
      }),
    );
  });

  it('writes balanced HTML for any input', () => {
    const piece = fc.constantFrom(
      '<p>',
      '</p>',
      '<ul>',
      '</ul>',
      '<li>',
      '</li>',
      '<a href="x">',
      '</a>',
      '<b>',
      '</b>',
      '<br>',
      '<img src="a">',
      '<table><tr><td>',
      '</td></tr></table>',
      '<',
      '>',
      '"',
      '<a href="',
      'word ',
      ' w',
      '<ins>',
      '<p onclick=x>',
      '&lt;',
    );
    const soup = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(soup, soup, (before, after) => {
        const diff = htmlDiff(before, after);
        let depth = 0;
        for (const [, slash, tag = ''] of diff.matchAll(/<(\/?)([a-z]+)[^>]*>/g)) {
          if (tag !== 'br' && tag !== 'img') depth += slash === '/' ? -1 : 1;
          expect(depth).toBeGreaterThanOrEqual(0);
        }
        expect(depth).toBe(0);
        expect(diff).not.toMatch(/<[a-z][^>]* onclick|<ins/);
      }),
    );
  });
});

describe('the cost of a difference', () => {
  const length = 100_000;
  const words = (make: (index: number) => string): string =>
    `<p>${Array.from({ length: 25_000 }, (_item, index) => make(index)).join(' ')}`.slice(
      0,
      length,
    );

  // Each of these would take billions of comparisons, or calls nested so deeply that the stack overflows.
  it.each([
    ['few words in another order', words((i) => `w${i % 400}`), words((i) => `w${(i * 7) % 400}`)],
    ['one word', words(() => 'a'), words(() => 'b')],
    ['nested tags', '<b>'.repeat(length / 3), '<i>'.repeat(length / 3)],
    ['unclosed tags', '<a '.repeat(length / 3), '<a <'.repeat(length / 4)],
    ['blocks', '<p>a</p>'.repeat(length / 8), '<ul><li>a</li></ul>'.repeat(length / 20)],
  ])('is bounded for %s', (_name, before, after) => {
    expect(htmlDiff(before, after)).toBeTypeOf('string');
  });

  it('stays a correct difference when steps run out', () => {
    const key = (index: number): string => `k${index % 4000}`;
    const before = Array.from({ length: 50_000 }, (_item, index) => key(index));
    const after = Array.from({ length: 50_000 }, (_item, index) => key(index * index));
    let last = { before: 0, after: 0 };
    for (const block of matchingBlocks(before, after)) {
      expect(block.before).toBeGreaterThanOrEqual(last.before);
      expect(block.after).toBeGreaterThanOrEqual(last.after);
      expect(before.slice(block.before, block.before + block.size)).toEqual(
        after.slice(block.after, block.after + block.size),
      );
      last = { before: block.before + block.size, after: block.after + block.size };
    }
  });
});
