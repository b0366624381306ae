import { describe, expect, test } from 'vitest';

import { characterOf, searchEmoji } from './emoji.ts';

test.each([
  ['1f44d', '👍\u{FE0F}'],
  ['2764', '❤\u{FE0F}'],
  ['0031-20e3', '1\u{FE0F}\u{20E3}'],
  ['', ''],
  ['zulip', ''],
  ['ffffffff', ''],
])('the character of code %j is %j', (code, character) => {
  expect(characterOf(code)).toBe(character);
});

describe('a search for emoji', () => {
  const offered = [['cup_with_straw'], ['thumbs_up', '+1'], ['up']].map((names) => ({
    emoji_name: names[0] ?? '',
    emoji_code: '1f44d',
    reaction_type: 'unicode_emoji' as const,
    names,
  }));
  const search = (query: string) => searchEmoji(offered, query).map(({ emoji_name }) => emoji_name);

  test('finds beginnings of names first, then of words, then the rest', () => {
    expect(search('up')).toEqual(['up', 'thumbs_up', 'cup_with_straw']);
  });

  test('finds further names and names of several words', () => {
    expect(search('+1')).toEqual(['thumbs_up']);
    expect(search('cup with')).toEqual(['cup_with_straw']);
    expect(search('none')).toEqual([]);
  });
});
