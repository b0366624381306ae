import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { foldName } from './fold.ts';

/** Unassigned and private characters have neither case nor parts. */
const everyCharacter = Array.from({ length: 0x11_00_00 }, (_, codePoint) =>
  String.fromCodePoint(codePoint),
).filter((text) => !/[\p{Cn}\p{Co}\p{Cs}]/u.test(text));

describe('foldName', () => {
  it('returns the same for upper and lower case', () => {
    expect(foldName('πρωτεΐνη')).toBe(foldName('ΠΡΩΤΕΪ\u0301ΝΗ'));
    expect(foldName('straße')).toBe(foldName('STRASSE'));
    expect(foldName('E\u0301te\u0301')).toBe(foldName('ÉTÉ'));
  });

  it('does not change a folded text', () => {
    const changed = everyCharacter.filter((text) => foldName(foldName(text)) !== foldName(text));
    expect(changed).toEqual([]);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), (...texts) => {
        for (const text of [...texts, texts.join('\u0345\u0308')])
          expect(foldName(foldName(text))).toBe(foldName(text));
      }),
    );
  });

  it('returns the same for a text and its upper case', () => {
    const changed = everyCharacter.filter(
      (text) => foldName(text.toUpperCase()) !== foldName(text),
    );
    expect(changed).toEqual([]);
  });
});
