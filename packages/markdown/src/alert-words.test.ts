import { expect, it } from 'vitest';

import { alertWordMatches } from './alert-words.ts';

it('finds words of any case between boundaries', () => {
  expect(alertWordMatches('The SOUP, is (hot)', ['soup', 'Hot', 'cold', ''])).toEqual([
    'soup',
    'Hot',
  ]);
  expect(alertWordMatches('soup', ['soup'])).toEqual(['soup']);
  expect(alertWordMatches('see pea soup today', ['pea soup'])).toEqual(['pea soup']);
});

it('does not accept other neighbours as boundaries', () => {
  for (const text of ['asoup', 'soups', 'pea-soup', 'soup/pea', '"soup"', 'xsoup']) {
    expect(alertWordMatches(text, ['soup'])).toEqual([]);
  }
  expect(alertWordMatches('soups soup', ['soup'])).toEqual(['soup']);
});

it('reads inline code and quotes, and not fenced blocks', () => {
  expect(alertWordMatches('`soup`', ['soup'])).toEqual(['soup']);
  expect(alertWordMatches('> soup', ['soup'])).toEqual(['soup']);
  expect(alertWordMatches('```quote\nsoup\n```', ['soup'])).toEqual(['soup']);
  expect(alertWordMatches('```spoiler soup\nsoup\n```', ['soup'])).toEqual([]);
  expect(alertWordMatches('```\nsoup\n```', ['soup'])).toEqual([]);
});
