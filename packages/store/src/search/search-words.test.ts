import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { escapeTopic, foldWords } from './search-text.ts';
import { readSearchedWords, searchWords, wordFinder } from './search-words.ts';

const scripts: Readonly<Record<string, string>> = {
  Latin: 'aàçßEfIİſﬁŞz',
  Greek: 'αάΣσςωΪ',
  Cyrillic: 'бйЁжяІ',
  Arabic: 'عربيَّةپ',
  Hebrew: 'עבריתּ',
  Devanagari: 'हिन्दीक़',
  Thai: 'ภาษาไทยที่',
  Georgian: 'ქართულიᲐ',
  Han: '東京会議々葛',
  Kana: 'ひらカタガー',
  Hangul: '한국어각',
  Ethiopic: 'አማርኛ',
};
const letters = Object.values(scripts).map((of) =>
  fc.string({ unit: fc.constantFrom(...Array.from(of)), minLength: 1, maxLength: 6 }),
);
const between = fc.constantFrom(
  ...Array.from('-_/.:@ ,\'"<&(0९٣😀\u200d\ufe0f\u0301'),
  '://',
  '\n',
);
const piece = fc.oneof(...letters, between, between, between);
const html = fc.oneof(
  piece.map(escapeTopic),
  fc.constantFrom('<b>', '</b>', '<br>', '&#39;', '<img class="emoji" alt=":a_b:">'),
);

describe('searchWords', () => {
  it('find a message by each run of letters in it, and mark that, in twelve scripts', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        const runs = text.match(/\p{L}[\p{L}\p{M}]*|\p{N}+/gu) ?? [];
        const found = new Set(searchWords('', escapeTopic(text)).split(' '));
        for (const run of runs) {
          const { words, ignored } = readSearchedWords(run);
          if (ignored.length > 0) continue;
          expect([run, words.filter((word) => !found.has(word))]).toEqual([run, []]);
          expect(words.length).toBeGreaterThan(0);
          expect(wordFinder(words)(foldWords(text))).not.toEqual([]);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('are exactly those that have ranges', () => {
    fc.assert(
      fc.property(
        fc.array(html, { maxLength: 10 }),
        fc.array(piece, { maxLength: 4 }),
        (parts, query) => {
          const text = parts.join('');
          const found = new Set(searchWords(text, '').split(' '));
          for (const word of readSearchedWords(query.join('')).words) {
            const ranges = wordFinder([word])(foldWords(text));
            expect([word, ranges.length > 0]).toEqual([word, found.has(word)]);
            for (const [n, { start, end }] of ranges.entries()) {
              expect(start).toBeGreaterThanOrEqual(ranges[n - 1]?.end ?? 0);
              expect(end).toBeGreaterThan(start);
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('bound what a message adds to the index', () => {
    const long = 'x'.repeat(10_000);
    expect(searchWords('', `${long} ${'\u0301'.repeat(100)}yet`)).toBe(`${'x'.repeat(100)} yet`);
    const names = Array.from({ length: 5000 }, (_, n) => `${n}`.padEnd(100, '𝒳')).join(' ');
    expect(Buffer.byteLength(searchWords('', names))).toBeLessThan(2 ** 20);
    expect(searchWords('', 'a b c '.repeat(3000))).toBe('');
  });
});

describe('readSearchedWords', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['The waves, and', ['wave'], ['the', 'and']],
    ['client/server', ['client-server'], []],
    ['https://google.com', ['googl-com'], []],
    ['https://', ['https'], []],
    ['to-do or A', ['to-do'], ['or', 'a']],
    ["don't", [], ['don', 't']],
    ['東京は', ['東京', '京は'], []],
    ['3月', ['3-月'], []],
    ['v2', ['v-2'], []],
  ])('%s', (query, words, ignored) => {
    expect(readSearchedWords(query)).toEqual({ words, ignored });
  });
});
