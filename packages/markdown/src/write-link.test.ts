import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createTestContext } from '../tests/test-context.ts';
import { renderMessage } from './render-message.ts';
import { writeLink } from './write-link.ts';

const context = createTestContext();
const url = 'https://forge.example/1';
/** The targets of the links in a sentence that ends with a link. */
const targetsOf = (label: string, target = url): string[] =>
  Array.from(
    renderMessage(
      `Ada updated ${writeLink(label, target)} \`a\` **b** $$c$$.`,
      context,
    ).html.matchAll(/ href="([^"]*)"/g),
    ([, href = '']) => href,
  );

test.each([
  ['PR #1 plain', 'PR #1 plain'],
  ['list[0]', 'list[0]'],
  ['a [b] [c [d]]', 'a [b] [c [d]]'],
  ['[WIP] thing](http://evil.example)', '(WIP) thing)(http://evil.example)'],
  ['see [this](http://evil.example)', 'see (this)(http://evil.example)'],
  ['a ] b', 'a ) b'],
  ['list[0', 'list(0'],
  [']x[', ')x('],
  ['a ` b', "a ' b"],
  ['two\nlines', 'two lines'],
  ['see [this]\u0002(http://evil.example)', 'see (this)(http://evil.example)'],
  ['a *\u0003* b', 'a * * b'],
])('the label %j is written as %j', (label, written) => {
  expect(writeLink(label, url)).toBe(`[${written}](${url})`);
  expect(targetsOf(label)).toContain(url);
});

test('an address cannot end early', () => {
  const target = 'https://forge.example/a(b)[c]<d>\n"e"';
  expect(targetsOf('x', target)).toEqual(['https://forge.example/a%28b%29[c]%3Cd%3E%0A%22e%22']);
});

test.each(['`q`', '`', '$$q$$', '$$'])('an address with %s stays whole', (marks) => {
  expect(targetsOf('x', `${url}/${marks}`)).toHaveLength(1);
});

test('without an address the label stands alone', () => {
  expect(writeLink('[WIP', ' ')).toBe('(WIP');
});

test('no label takes the link away or ends it', () => {
  const parts = [
    '[',
    ']',
    '(',
    ')',
    '](',
    '`',
    '``',
    '$$',
    '**',
    '*',
    '@**',
    '#**',
    '!',
    'x',
    ' ',
    '\u0002',
  ];
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ unit: 'grapheme', maxLength: 3 })), {
        maxLength: 12,
      }),
      (pieces) => {
        expect(targetsOf(pieces.join(''))).toContain(url);
      },
    ),
    { numRuns: 2_000 },
  );
});
