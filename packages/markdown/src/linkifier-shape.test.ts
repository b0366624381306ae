import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { isLinkifierPattern } from './linkifier-shape.ts';

describe('a pattern of a linkifier', () => {
  test.each([
    '#(?P<id>[0-9]+)',
    '(?P<id>[0-9a-f]{40})',
    'TKT-(?P<id>\\d+)',
    'a_b=c/d: (?P<x>[a-z]+)',
    '!(?P<id>[0-9]+)',
    '(?P<org>[a-z]+)/(?P<repo>[a-z-]+)#(?P<id>[0-9]+)',
    '(?P<a>x)+(?P<b>y)',
    'Zürich-(?P<n>[1-9])',
    '(?P<id>[])(]+)',
    '(?P<id>\\)\\(x)',
    '(?P<id>(?:a|b)+)',
  ])('%s', (pattern) => {
    expect(isLinkifierPattern(pattern)).toBe(true);
  });

  test.each([
    ['no group', '#[0-9]+'],
    ['a group without a name', '#([0-9]+)'],
    ['something after the last group', '#(?P<id>[0-9]+).'],
    ['a repeated group', '#(?P<id>[0-9])+'],
    ['a prefix of other characters', '$(?P<id>[0-9]+)'],
    ['two signs', '!!(?P<id>[0-9]+)'],
    ['something else between groups', '(?P<a>x).*(?P<b>y)'],
    ['a group without an end', '#(?P<id>[0-9]+'],
    ['a class without an end', '#(?P<id>[0-9)'],
    ['an empty group', '#(?P<id>)'],
    ['two groups with one name', '(?P<id>x)(?P<id>y)'],
    ['a lookahead', '(?P<id>x(?=y))'],
    ['a back reference', '(?P<a>x)(?P<id>(?P=a))'],
    ['a far too large pattern', '(?P<id>(?:(?:(?:a{40}){40}){40}){40})'],
    ['a repetition of nothing', '+(?P<id>x)'],
    ['two lines', '#(?P<id>a\nb)'],
    ['nothing', ''],
    ["JavaScript's form of a named group", '#(?<id>[0-9]+)'],
  ])('is none: %s', (_what, pattern) => {
    expect(isLinkifierPattern(pattern)).toBe(false);
  });

  test('any pattern is checked in short time', () => {
    const parts = fc.constantFrom('(?P<id>', '(', ')', '[', ']', '\\', '+', '{9}', 'a', '#', ' ');
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 60 }), (written) => {
        expect(typeof isLinkifierPattern(written.join(''))).toBe('boolean');
      }),
    );
  });
});
