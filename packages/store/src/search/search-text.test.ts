import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { SourceText, escapeTopic, foldWords, readHtml, shownText } from './search-text.ts';

describe('foldWords', () => {
  it('folds case beyond ASCII, in any normalization form', () => {
    expect(foldWords('Straße STRASSE ΟΔΟΣ οδος')).toBe('strasse strasse οδοσ οδοσ');
    expect(foldWords('E\u0301TE\u0301')).toBe('été');
    for (const written of ['πρωτεΐνη', 'ΠΡΩΤΕΪ\u0301ΝΗ'])
      expect(foldWords(written)).toBe('πρωτει\u0308\u0301νη');
    expect(foldWords('\u1112\u1161\u11ab')).toBe('한');
  });

  it('folds pieces like the whole', () => {
    const syllable = new SourceText();
    syllable.addText('억가\u11a8', 0);
    expect(syllable.folded).toBe('억각');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const source = new SourceText();
        source.addText(text, 0);
        expect(source.folded).toBe(foldWords(text));
      }),
    );
  });

  it('returns the same for texts that are equal without case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(foldWords(text.toUpperCase().normalize('NFC'))).toBe(
          foldWords(text.toUpperCase().normalize('NFC').toLowerCase().toUpperCase()),
        );
      }),
    );
  });
});

describe('shownText', () => {
  it('is the visible text of the HTML, in which inline tags part nothing', () => {
    const html =
      '<p>x<b title="no > no">Y</b>&amp;&lt;i&gt; <img class="emoji" alt=":Cat:" src="a"></p>';
    expect(shownText(html).trim()).toBe('x\u0001y\u0001&<i>  :cat:');
  });
});

describe('readHtml', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<b>',
      '</b>',
      '<a href="?a&amp;b>c">',
      '</a>',
      '<math>',
      '</math>',
      '&amp;',
      '&lt;',
      '&#39;',
      '&#x1f600;',
    ),
    fc.string({ unit: 'grapheme', maxLength: 6 }).map(escapeTopic),
  );

  it('returns positions at which the source can be wrapped', () => {
    fc.assert(
      fc.property(fc.array(piece), fc.nat(40), fc.nat(20), (pieces, start, length) => {
        const html = pieces.join('');
        const text = readHtml(html);
        let last = 0;
        for (const range of text.sourceRanges(start, start + length)) {
          expect(range.start).toBeGreaterThanOrEqual(last);
          expect(range.end).toBeGreaterThan(range.start);
          last = range.end;
          const [before, inside] = [html.slice(0, range.start), html.slice(range.start, range.end)];
          expect(inside).toMatch(/^(?:[^<>&]|&[#\w]+;)*$/);
          expect(before).not.toMatch(/&[#\w]*$/);
          expect(before.isWellFormed() && inside.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it('agrees with the indexed text', () => {
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const html = pieces.join('');
        expect(shownText(html)).toBe(readHtml(html).folded);
      }),
    );
  });
});
