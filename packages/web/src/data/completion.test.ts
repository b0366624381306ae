import { describe, expect, test } from 'vitest';

import { findCompletions } from './completion.ts';
import type { CompletionSources } from './completion.ts';
import { rankName } from './ranking.ts';

function person(user_id: number, full_name: string) {
  return { user_id, full_name, email: `user${user_id}@example.com` };
}

const sources: CompletionSources = {
  people: [
    person(1, 'Zoe'),
    person(2, 'Ana Zapata'),
    person(3, 'Émile Roy'),
    person(4, 'Alex Kim'),
    person(5, 'Alex Kim'),
  ],
  groups: [{ name: 'anglers', description: 'Who fish' }],
  streams: [
    { stream_id: 2, name: 'boat design' },
    { stream_id: 3, name: 'deck' },
    { stream_id: 1, name: 'design' },
  ],
  topicsOf: (streamId) => (streamId === 1 ? ['sails', 'oars and sails', 'hull'] : []),
  emoji: [
    { name: 'tada', character: '🎉' },
    { name: 'thumbs_up', character: '👍' },
    { name: 'up', character: '🆙' },
    { name: 'cup_with_straw', character: '🥤' },
  ],
  hasWildcards: true,
};

function complete(text: string, given: Partial<CompletionSources> = {}) {
  const found = findCompletions(text, text.length, { ...sources, ...given });
  return found?.items.map(({ insert }) => text.slice(0, found.start) + insert);
}

describe('completions', () => {
  test.each([
    [
      'a name from its beginning, then from the beginning of a word',
      '@z',
      ['@**Zoe** ', '@**Ana Zapata** '],
    ],
    ['a name with a space', 'see @ana za', ['see @**Ana Zapata** ']],
    ['a name without its accents', '@emile', ['@**Émile Roy** ']],
    ['people of the same name by their ids', '@alex', ['@**Alex Kim|4** ', '@**Alex Kim|5** ']],
    ['a person by address', '@user3', ['@**Émile Roy** ']],
    ['a mention begun in full syntax', '@**zo', ['@**Zoe** ']],
    ['a silent mention', '@_zo', ['@_**Zoe** ']],
    ['people before groups', '@an', ['@**Ana Zapata** ', '@*anglers* ']],
    ['everybody', '@all', ['@**all** ']],
    ['streams', '#de', ['#**deck** ', '#**design** ', '#**boat design** ']],
    [
      'topics, the likely ones first',
      '#**design>',
      ['#**design>sails** ', '#**design>oars and sails** ', '#**design>hull** '],
    ],
    ['topics after a stream', '#**design** >oar', ['#**design>oars and sails** ']],
    [
      'emoji, the best match first',
      'ha :up',
      ['ha :up: ', 'ha :thumbs_up: ', 'ha :cup_with_straw: '],
    ],
  ])('offer %s', (_, text, expected) => {
    expect(complete(text)).toEqual(expected);
  });

  test.each([
    ['in an address', 'ana@zoe'],
    ['in a word', 'C#de'],
    ['after one letter of an emoji', ':t'],
    ['for an unknown name', '@nobody'],
    ['in a block of code', '```\n@zo'],
    ['in a block of code in a quote', '~~~quote\n```py\n@zo'],
    ['in a spoiler without a header, which is code', '```spoiler\n@zo'],
    ['for topics of an unknown stream', '#**none>s'],
    ['in plain text', 'hello'],
  ])('offer nothing %s', (_, text) => {
    expect(complete(text)).toBeUndefined();
  });

  test('offer names again after a block of code, and in blocks of text', () => {
    expect(complete('```\n@\n```\n@zo')).toEqual(['```\n@\n```\n@**Zoe** ']);
    for (const block of ['```spoiler The end\n', '~~~quote\n', '```quote\nsaid\n```\n'])
      expect(complete(`${block}@zo`)).toEqual([`${block}@**Zoe** `]);
  });

  test('offer those first who are likely', () => {
    const people = sources.people.toReversed();
    expect(complete('@alex', { people })?.[0]).toBe('@**Alex Kim|5** ');
  });

  test('offer no mention of everybody where it means nothing', () => {
    expect(complete('@all', { hasWildcards: false })).toBeUndefined();
  });

  test('offer at most eight', () => {
    const people = Array.from({ length: 50 }, (_, index) => person(index, `Max ${index}`));
    expect(complete('@max', { people })).toHaveLength(8);
  });

  test('read only the text before the cursor', () => {
    expect(findCompletions('@zo and more', 3, sources)).toMatchObject({ start: 0 });
  });
});

test.each([
  ['Ana Zapata', 'ana', 0],
  ['Ana Zapata', 'zap', 1],
  ['release-notes', 'notes', 1],
  ['Ana Zapata', 'pata', undefined],
])('the rank of %s for %s is %s', (name, query, rank) => {
  expect(rankName(name, query)).toBe(rank);
});
