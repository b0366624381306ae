import { describe, expect, it } from 'vitest';

import { createTestContext } from '../tests/test-context.ts';
import { extraEmoji, findEmojiCode, isEmojiName, namesOfEmojiCode } from './emoji-catalogue.ts';
import { ownEmojiNames } from './emoji-names.ts';
import { renderMessage } from './render-message.ts';

const context = createTestContext();

describe('the emoji catalogue', () => {
  it('has the names of the reference as they are, the canonical one first', () => {
    for (const [code, names] of ownEmojiNames) {
      expect(namesOfEmojiCode(code).slice(0, names.split(' ').length)).toEqual(names.split(' '));
      for (const name of names.split(' ')) expect(findEmojiCode(name)).toBe(code);
    }
    expect(findEmojiCode('smile')).toBe('263a');
    expect(findEmojiCode('cat')).toBe('1f408');
  });

  it('gives the emoji whose short name another one has a name all the same', () => {
    expect(findEmojiCode('cat_face')).toBe('1f431');
    expect(findEmojiCode('dog_face')).toBe('1f436');
  });

  it('has more than a thousand emoji, each with names that lead back to it', () => {
    const codes = new Set<string>();
    for (let point = 0x20; point <= 0x1_ffff; point += 1) {
      const code = point.toString(16).padStart(4, '0');
      const names = namesOfEmojiCode(code);
      if (names.length > 0) codes.add(code);
      for (const name of names) {
        expect(findEmojiCode(name)).toBe(code);
        expect(isEmojiName(name, code)).toBe(true);
        expect(name).toMatch(/^[a-z0-9_+-]+$/);
      }
    }
    expect(codes.size).toBeGreaterThan(1036);
  });

  it('takes every alias of a code for valid, and no name of another', () => {
    for (const name of ['+1', 'thumbs_up', 'like']) expect(isEmojiName(name, '1f44d')).toBe(true);
    expect(isEmojiName('tada', '1f44d')).toBe(false);
    expect(isEmojiName('Tada', '1f389')).toBe(false);
    expect(isEmojiName('nothing', '1f44d')).toBe(false);
    expect(isEmojiName('constructor', '1f44d')).toBe(false);
  });

  it('offers no skin tones, joined sequences, flags and newer blocks', () => {
    for (const code of ['1f3fb', '1f44d-1f3fb', '1f468-200d-1f469', '1f1e6', '1fae0', '1f7e0']) {
      expect(namesOfEmojiCode(code)).toEqual([]);
    }
    expect(findEmojiCode('us')).toBeUndefined();
    expect(findEmojiCode(extraEmoji.name)).toBeUndefined();
  });

  it('leads raw characters and names to the same code', () => {
    for (const [character, code] of [
      ['🎉', '1f389'],
      ['❤', '2764'],
      ['🦊', '1f98a'],
      ['⌚', '231a'],
      ['㊗', '3297'],
    ] as const) {
      const [name = ''] = namesOfEmojiCode(code);
      const byName = renderMessage(`:${name}:`, context).html;
      expect(byName).toContain(`class="emoji emoji-${code}"`);
      expect(renderMessage(character, context).html).toBe(byName);
    }
  });

  it('knows keycaps by name only', () => {
    expect(findEmojiCode('hash')).toBe('0023-20e3');
    expect(findEmojiCode('one')).toBe('0031-20e3');
    expect(renderMessage('1\u{FE0F}\u{20E3}', context).html).toBe('<p>1\u{FE0F}\u{20E3}</p>');
  });

  it('leaves raw characters outside the ranges as text', () => {
    expect(renderMessage('© ™ 🀄', context).html).toBe('<p>© ™ 🀄</p>');
    expect(renderMessage(':tm:', context).html).toContain('emoji-2122');
  });
});
