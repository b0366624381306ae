import { findEmojiCode, namesOfEmojiCode } from '@parley/markdown';
import { expect, test } from 'vitest';

import { chooseEmoji, findReactedEmoji } from './emoji-choice.ts';

const noCustomEmoji = { named: undefined, coded: undefined };
/** The whole catalogue: one code point each, or a keycap. */
const emoji = Array.from({ length: 0x2_0000 }, (_item, point) =>
  point.toString(16).padStart(4, '0'),
)
  .flatMap((point) => [point, `${point}-20e3`])
  .map((code) => ({ code, names: namesOfEmojiCode(code) }))
  .filter(({ names }) => names.length > 0);

test('every emoji is accepted under each of its names, with and without its code', () => {
  expect(emoji.length).toBeGreaterThanOrEqual(1036);
  for (const { code, names } of emoji)
    for (const name of names)
      for (const given of [code, undefined]) {
        const named = { name, code: given, type: undefined };
        const key = { reactionType: 'unicode_emoji', emojiCode: code };
        expect(chooseEmoji(named, noCustomEmoji)).toEqual({
          emoji: { ...key, emojiName: name },
          fault: undefined,
        });
        expect(findReactedEmoji(named, noCustomEmoji)).toEqual(key);
      }
});

test('a code with a foreign name gets the canonical name', () => {
  for (const { code, names } of emoji)
    for (const name of ['', 'nothing', findEmojiCode('tada') === code ? 'heart' : 'tada'])
      expect(chooseEmoji({ name, code, type: 'unicode_emoji' }, noCustomEmoji)).toEqual({
        emoji: { reactionType: 'unicode_emoji', emojiCode: code, emojiName: names[0] },
        fault: undefined,
      });
});
