import { contextOfData, findEmojiCode, renderMessage } from '@parley/markdown';
import { describe, expect, test } from 'vitest';

import table from './emoji-datasource.json' with { type: 'json' };
import {
  findGemoji,
  findReactionEmoji,
  findSourceEmoji,
  readEmojiCode,
  writeEmoji,
} from './source-emoji.ts';

const names = Object.entries(table).flatMap(([code, all]) => all.map((name) => ({ code, name })));
const charactersOf = (code: string): string =>
  String.fromCodePoint(...code.split('-').map((point) => Number.parseInt(point, 16)));

describe('each of the 1,972 names of the table', () => {
  test('is one emoji', () => {
    expect(names).toHaveLength(1_972);
    expect(names.filter(({ code, name }) => findSourceEmoji(name) !== code)).toEqual([]);
  });

  test('is its own emoji in a text, by a name here or as it is', () => {
    const others = names.filter(({ code, name }) => {
      const written = writeEmoji(name, code);
      const ours = findEmojiCode(written.replaceAll(':', ''));
      return written !== charactersOf(code) && ours !== code.replaceAll('-fe0f', '');
    });
    expect(others).toEqual([]);
  });

  test('is its own emoji as a reaction, or none', () => {
    const found = names.map(({ code, name }) => ({ code, name, shown: findReactionEmoji(code) }));
    const others = found.filter(
      ({ code, shown }) =>
        shown !== undefined && !code.replaceAll('-fe0f', '').startsWith(shown.code),
    );
    expect(others).toEqual([]);
    expect(found.filter(({ shown }) => shown !== undefined).length).toBeGreaterThan(1_400);
  });
});

test.each([
  ['white_check_mark', 'check'],
  ['thinking_face', 'thinking'],
  ['thumbsup', '+1'],
  ['x', 'cross_mark'],
  ['smile', 'big_smile'],
  ['football', 'american_football'],
  ['woman-shrugging', 'shrug'],
  ['flag-de', undefined],
])('%s is %s here', (name, shown) => {
  expect(findReactionEmoji(findSourceEmoji(name) ?? '')?.name).toBe(shown);
});

test('a name that the source does not have is text, also where another emoji has it here', () => {
  expect([writeEmoji('party-parrot', undefined), findEmojiCode('check')]).toEqual([
    ':party-parrot:',
    '2705',
  ]);
  const context = contextOfData({
    realmUri: 'https://chat.example.com',
    users: [],
    groups: [],
    streams: [],
    emoji: [],
    linkifiers: [],
    inlineImagePreview: false,
    translateEmoticons: false,
  });
  for (const name of ['check', 'zulip'])
    expect(renderMessage(writeEmoji(name, undefined), context).html).not.toContain('class="emoji');
});

test('an emoji whose name a custom one has here is written as it is', () => {
  expect(writeEmoji('tada', '1f389', (name) => name === 'tada')).toBe('🎉');
});

test('names that Mattermost has beside those of the table are found', () => {
  expect(['rofl', 'thinking', 'person_bald', 'nosuch'].map(findGemoji)).toEqual([
    '1f923',
    '1f914',
    '1f9d1-200d-1f9b2',
    undefined,
  ]);
});

test('a code of the source is read without skin tones', () => {
  expect([readEmojiCode('1F44B-1F3FD'), readEmojiCode('x'), readEmojiCode(7)]).toEqual([
    '1f44b',
    undefined,
    undefined,
  ]);
});
