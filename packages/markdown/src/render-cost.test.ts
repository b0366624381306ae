import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createTestContext } from '../tests/test-context.ts';
import { renderHtmlByRules, renderMessage } from './render-message.ts';
import { StepBudget, StepsExceeded } from './step-budget.ts';

const length = 10_000;
const htmlMaxCodePoints = 100_000;

const linkifiers = [
  { id: 1, pattern: 'TKT-(?P<n>[0-9]+)', urlFormat: 'https://a.example/%(n)s' },
  { id: 2, pattern: '#(?P<n>[0-9](?:.*y)?)', urlFormat: 'https://a.example/%(n)s' },
  { id: 3, pattern: '(?P<n>(?:[a-z]+)+!)', urlFormat: 'https://a.example/%(n)s' },
];
const context = createTestContext({ translateEmoticons: true }, { linkifiers });

/** The cost and the result of rendering a message by all rules; undefined if it is too much. */
function costOf(content: string): { steps: number; html: string | undefined } {
  const budget = new StepBudget();
  try {
    const html = renderHtmlByRules(content, context, { budget, isPlain: false });
    return { steps: budget.spent, html };
  } catch (error) {
    if (error instanceof StepsExceeded) return { steps: budget.spent, html: undefined };
    throw error;
  }
}

/** The cost of a message, which is never refused. */
const htmlLengthOf = (content: string): number =>
  Array.from(renderMessage(content, context).html).length;

const fill = (unit: string, size = length): string =>
  unit.repeat(Math.ceil(size / unit.length)).slice(0, size);

/** Marks, alone and in pairs, for hostile messages. */
const marks = [
  '*',
  '**',
  '***',
  '~~',
  '`',
  '``',
  '```\n',
  '```quote\n',
  '```spoiler x\n',
  '```py\n',
  '> ',
  '>',
  '- ',
  '1. ',
  '  - ',
  '    ',
  '# ',
  '---\n',
  '|',
  'a | b\n--|--\n',
  '\n',
  '\n\n',
  '[',
  ']',
  '](',
  '[x](',
  '(',
  ')',
  '<',
  '"',
  "'",
  '&',
  ':',
  ':tada:',
  '❤',
  ':)',
  '@**',
  '@**all**',
  '@*',
  '#**',
  '#**garden>x**',
  '$$',
  '$$x$$',
  '!avatar(',
  'http://',
  'https://q.com/a.png',
  'q.com',
  'c@q.com',
  'TKT-4',
  '#1 ',
  'a',
  ' ',
  '\t',
  '_',
  '/',
  '.',
  '-',
  '\u{100000}',
  '\u0002',
  'é',
  '🎉',
  '\\',
];

describe('the cost of rendering', () => {
  it('stays far below the limit for ordinary messages', () => {
    const paragraph =
      'The **quick** brown fox, *jumps* over `the` lazy dog. See https://quay.com/x?a=1, TKT-4 and @**Oleg Tarn** :tada:\n';
    const document = `# Plan\n\n${paragraph}\n* one\n  * two\n* three\n\n> quoted\n\na | b\n--|--\n1 | 2\n\n`;
    for (const content of [
      fill(paragraph),
      fill('word '),
      fill('line of text\n'),
      fill(document, 3000),
    ]) {
      const { steps, html } = costOf(content);
      expect(html).toBeTypeOf('string');
      expect(steps).toBeLessThan(5_000_000);
    }
  });

  it('is counted for every syntax alone and combined, with HTML of bounded length', () => {
    const pair = fc.tuple(fc.constantFrom(...marks), fc.constantFrom(...marks), fc.boolean());
    fc.assert(
      fc.property(pair, ([first, second, isMixed]) => {
        const content = isMixed
          ? fill(first + second)
          : fill(first, length / 2) + fill(second, length / 2);
        expect(htmlLengthOf(content)).toBeLessThanOrEqual(htmlMaxCodePoints);
        expect(costOf(content).steps).toBeGreaterThan(0);
      }),
    );
  });

  it('is bounded for any nesting', () => {
    const piece = fc.tuple(fc.constantFrom(...marks), fc.integer({ min: 1, max: 600 }));
    const nested = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) =>
      pieces
        .map(([mark, count]) => mark.repeat(count))
        .join('')
        .slice(0, length),
    );
    fc.assert(
      fc.property(nested, (content) => {
        expect(htmlLengthOf(content)).toBeLessThanOrEqual(htmlMaxCodePoints);
      }),
    );
  });

  // Each was slow in this renderer or is known to be slow in others.
  it.each([
    ['nested links', fill('[x](', 5000) + fill(')', 5000)],
    ['unclosed link titles', fill('[x]("')],
    ['brackets', fill('[', 5000) + fill(']', 5000)],
    ['unclosed targets in angle brackets', fill('[x](<')],
    ['stars around emoji', fill('*❤')],
    ['stars in pairs', fill('**a *')],
    ['a language line', `    :::${fill('a', 5000)}!`],
    ['the path of a language', `    #!${fill('/a', 5000)}!`],
    ['spaces after a fence', `\`\`\`${' '.repeat(9990)}!`],
    ['nested stars', `${fill('*', 4999)}a${fill('*', 4999)}`],
    ['nested emphasis', `${fill('*a ', 5000)}${fill('b*', 5000)}`],
    [
      'backticks of growing length',
      Array.from({ length: 140 }, (_item, n) => '`'.repeat(n)).join(' '),
    ],
    ['quotes', fill('> ')],
    ['quote fences', fill('```quote\n')],
    ['spoilers', fill('```spoiler x\n```\n')],
    ['lines in deep spoilers', fill('```spoiler x\n', 600) + fill('x\n\n', 9300)],
    ['lines in deep quote fences', fill('```quote\n', 450) + fill('x\n', 9500)],
    ['lines in a deep quote', '>'.repeat(199) + fill('x\n', 9800)],
    ['lines in quotes in lists', '- > '.repeat(100) + fill('x\n', 9600)],
    ['rules', fill('---\n')],
    ['headings', fill('# a\n')],
    ['lists of two kinds', fill('* a\n1. b\n')],
    ['deep lists', Array.from({ length: 140 }, (_item, n) => `${'  '.repeat(n)}* a`).join('\n')],
    ['tables', fill('a | b\n--|--\n')],
    ['a wide table', `${fill('a|', 3000)}\n${fill('-|', 3000)}\n${fill('b|', 3000)}`],
    [
      'short rows of a wide table',
      `${fill('a|', 2000)}\n${fill('-|', 2000)}\n${fill('x\n', 6000)}`,
    ],
    ['starts of addresses', fill('(<"')],
    ['parentheses in an address', `https://quay.com/${fill('(')}`],
    ['dots', fill('a.')],
    ['at signs', fill('a@a.')],
    ['mentions', fill('@**')],
    ['spaces', `a${' '.repeat(9998)}b`],
    ['closing hashes', `# a${fill(' #')}`],
    ['alternatives of linkifiers', fill('a', 9999)],
    ['wide linkifiers', fill('#1 ')],
    ['small formulas', fill('$$x$$ ')],
    ['a long formula', `$$${fill('x', 9000)}$$`],
    ['emoji', fill('😀')],
    ['the longest name of an emoji', fill(':rolling_on_the_floor_laughing:')],
    ['custom emoji', fill(':party_newt:')],
    ['short links', fill('a.tv ')],
    ['ampersands', fill('&')],
    ['ampersands and marks that nothing ends', fill('&`')],
    ['empty lines in code', fill('```\n\n```\n')],
    ['tabs', fill('a\t')],
    ['groups', fill('@*Ops* ')],
    ['items in quotes', fill('> - a\n\n')],
    ['the most private characters', fill('\u{10FFFD}')],
    ['macros that double', String.raw`$$\gdef\a#1{#1#1#1#1#1#1#1#1#1}\a{\a{${'x'.repeat(400)}}}$$`],
    [
      'macros in macros',
      String.raw`$$\def\a{xxxxxxxxxx}\def\b{\a\a\a\a\a\a\a\a\a\a}\def\c{\b\b\b\b\b\b\b\b\b\b}\c\c\c$$`,
    ],
    ['macros without end', String.raw`$$\def\a{\a\a}\a$$`],
    ['accents in a formula', `$$${'é'.repeat(1000)}$$`],
    ['code in a hard language', `\`\`\`typescript\n${fill('a: +', 9000)}\n\`\`\``],
  ])('is bounded for %s', (_name, content) => {
    expect(htmlLengthOf(content)).toBeLessThanOrEqual(htmlMaxCodePoints);
  });

  it('counts every level of quotes and lists', () => {
    const stepsAt = (mark: string, depth: number): number =>
      costOf(mark.repeat(depth) + fill('x\n', 5000)).steps;
    for (const mark of ['>', '- ', '1. ', '- > ']) {
      expect(stepsAt(mark, 40) - stepsAt(mark, 10)).toBeGreaterThan(30 * 5000);
    }
  });

  it('counts the HTML of formulas, however many runs contain them', () => {
    const { html, steps } = costOf(fill(`$$${'é'.repeat(100)}$$\n\n`, 3120));
    expect(html).toBeUndefined();
    expect(steps).toBeGreaterThan(10_000_000);
  });

  it('counts every linkifier in every run, and in every piece of nested emphasis', () => {
    const hundred = Array.from({ length: 100 }, (_item, id) => ({
      id,
      pattern: `(?P<n>[0-9]{3,${id + 4}})`,
      urlFormat: 'https://a.example/%(n)s',
    }));
    const stepsOf = (content: string): number => {
      const budget = new StepBudget(1_000_000_000);
      const crowded = createTestContext({}, { linkifiers: hundred });
      renderHtmlByRules(content, crowded, { budget, isPlain: false });
      return budget.spent;
    };
    const searches = 1000 * hundred.length;
    expect(stepsOf('a\n\n'.repeat(1000))).toBeGreaterThan(searches * 150);
    expect(stepsOf(`~~${'*a*b'.repeat(500)}~~`)).toBeGreaterThan(searches * 150);
  });

  it("counts every cell that a table's header adds to a row", () => {
    const { steps, html } = costOf(
      `${fill('a|', 2000)}\n${fill('-|', 2000)}\n${fill('x\n', 6000)}`,
    );
    expect(html).toBeUndefined();
    expect(steps).toBeGreaterThan(10_000_000);
  });

  it('grows in proportion to the text, for every syntax and for unclosed ones', () => {
    const texts = marks.flatMap((mark) =>
      ['', '"', '[', '(', '<', '`', '@**'].map((beginning) => ({ beginning, mark })),
    );
    const steep = texts.filter(({ beginning, mark }) => {
      const stepsOf = (size: number): number => costOf(beginning + fill(mark, size)).steps;
      return stepsOf(3200) > 2 * 16 * stepsOf(200);
    });
    expect(steep).toEqual([]);
  });

  it('exceeds the limit at the same step always', () => {
    const hostile = `${fill('a|', 2000)}\n${fill('-|', 2000)}\n${fill('x\n', 6000)}`;
    expect(costOf(hostile)).toEqual(costOf(hostile));
    expect(costOf(hostile).html).toBeUndefined();
  });
});
