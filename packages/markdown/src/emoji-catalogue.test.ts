import { describe, expect, it } from 'vitest';

import { createTestContext } from '../tests/test-context.ts';
import {
  extraEmoji,
  findEmojiCode,
  listEmojiByCategory,
  namesOfEmojiCode,
} from './emoji-catalogue.ts';
import catalogue from './emoji-names.json' with { type: 'json' };
import { renderMessage } from './render-message.ts';

const context = createTestContext();
const catalogued = Object.entries(catalogue);
const pairs = catalogued.flatMap(([code, names]) => names.map((name) => ({ code, name })));

/** The names of every emoji in the catalogue. */
function allCodes(): string[] {
  const codes = new Set(Object.keys(catalogue));
  for (let point = 0x20; point <= 0x1_ffff; point += 1)
    codes.add(point.toString(16).padStart(4, '0'));
  return [...codes].filter((code) => namesOfEmojiCode(code).length > 0);
}

describe('the emoji catalogue', () => {
  it("has exactly the reference's names for its emoji, the canonical one first", () => {
    expect([catalogued.length, pairs.length]).toEqual([1036, 1552]);
    for (const [code, names] of catalogued) expect(namesOfEmojiCode(code)).toEqual(names);
    expect(pairs.filter(({ code, name }) => findEmojiCode(name) !== code)).toEqual([]);
  });

  it('shows each emoji under any of its names, as its label', () => {
    const unlike = pairs.filter(({ code, name }) => {
      const label = name.replaceAll('_', ' ');
      const span = `<span aria-label="${label}" class="emoji emoji-${code}" role="img" title="${label}">:${name}:</span>`;
      // Two are the names of custom emoji in this context.
      return (
        context.realmEmoji(name) === undefined &&
        renderMessage(`:${name}:`, context).html !== `<p>${span}</p>`
      );
    });
    expect(unlike).toEqual([]);
  });

  it('adds newer emoji, whose names lead back to them', () => {
    const codes = allCodes();
    expect(codes.length).toBeGreaterThan(1036 + 200);
    for (const code of codes)
      for (const name of namesOfEmojiCode(code)) {
        expect(findEmojiCode(name)).toBe(code);
        expect(name).toMatch(/^[a-z0-9_+-]+$/);
      }
    expect(findEmojiCode('smiling_face_with_three_hearts')).toBe('1f970');
    // Its short name belongs to another emoji.
    expect(namesOfEmojiCode('3299')).toEqual(['japanese_secret_button']);
  });

  it('excludes skin tones, joined sequences, flags and newer blocks', () => {
    for (const code of ['1f3fb', '1f44d-1f3fb', '1f468-200d-1f469', '1f1e6', '1fae0', '1f7e0']) {
      expect(namesOfEmojiCode(code)).toEqual([]);
    }
    expect(findEmojiCode('us')).toBeUndefined();
    expect(findEmojiCode(extraEmoji.name)).toBeUndefined();
  });

  it('lists each emoji once, in the category where people look for it', () => {
    const categories = listEmojiByCategory();
    const listed = [...categories.values()].flat();
    expect(listed.map(({ code }) => code).toSorted()).toEqual(allCodes().toSorted());
    for (const { code, names } of listed) expect(names).toEqual(namesOfEmojiCode(code));
    const codesOf = (category: string) => categories.get(category)?.map(({ code }) => code);
    expect(codesOf('Animals & Nature')).toContain('1f98a');
    expect(codesOf('Symbols')).toContain('0023-20e3');
  });

  it('maps raw characters and names to the same code', () => {
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
