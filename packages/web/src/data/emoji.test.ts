import { describe, expect, test } from 'vitest';

import { characterOf, mostUsed, searchEmoji } from './emoji.ts';

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

  test('finds a whole name first, then what is popular, then the rest', () => {
    const found = (query: string) =>
      searchEmoji(
        [
          ['1f4cc', 'push_pin', 'thumb_tack'],
          ['1f44e', '-1', 'thumbs_down'],
          ['1f44d', '+1', 'thumbs_up'],
          ['2665', 'hearts'],
          ['1f60d', 'heart_eyes'],
          ['2764', 'heart', 'love'],
          ['1f525', 'fire'],
          ['1f692', 'fire_truck', 'truck'],
        ].map(([emoji_code = '', ...names]) => ({
          emoji_name: names[0] ?? '',
          emoji_code,
          reaction_type: 'unicode_emoji' as const,
          names,
        })),
        query,
      ).map(({ emoji_name }) => emoji_name);
    expect(found('thumb')).toEqual(['+1', '-1', 'push_pin']);
    expect(found('heart')).toEqual(['heart', 'hearts', 'heart_eyes']);
    expect(found('truck')).toEqual(['fire_truck']);
  });

  test('finds further names and names of several words', () => {
    expect(search('+1')).toEqual(['thumbs_up']);
    expect(search('cup with')).toEqual(['cup_with_straw']);
    expect(search('none')).toEqual([]);
  });
});

test('the emoji used most come first, then the latest, then popular ones', () => {
  const unicode = (emoji_name: string, emoji_code: string) => ({
    emoji_name,
    emoji_code,
    reaction_type: 'unicode_emoji' as const,
  });
  const own = { emoji_name: 'ship', emoji_code: '7', reaction_type: 'realm_emoji' } as const;
  const [anchor, wave] = [unicode('anchor', '2693'), unicode('wave', '1f44b')];
  const names = (used: Parameters<typeof mostUsed>[0], deactivated: boolean) =>
    mostUsed(used, {
      realm_emoji: {
        7: { id: '7', name: 'ship', source_url: '', deactivated, author: undefined },
      },
    }).map(({ emoji_name }) => emoji_name);
  expect(names([], false)).toEqual(['+1', 'heart', 'tada', 'joy', 'check', 'eyes']);
  const used = [wave, anchor, own, wave];
  expect(names(used, false)).toEqual(['wave', 'ship', 'anchor', '+1', 'heart', 'tada']);
  expect(names(used, true)).toEqual(['wave', 'anchor', '+1', 'heart', 'tada', 'joy']);
});
