import { describe, expect, test } from 'vitest';

import { indentItem, newLine } from './list-lines.ts';
import type { Replacement } from './list-lines.ts';

/** @param marked a text with `|` where the cursor is */
function after(
  marked: string,
  replace: (text: string, cursor: number) => Replacement | undefined,
): string | undefined {
  const cursor = marked.indexOf('|');
  const text = marked.replace('|', '');
  const made = replace(text, cursor);
  return made && `${text.slice(0, made.start)}${made.text}${text.slice(made.end)}`;
}

describe('a new line', () => {
  test.each([
    ['* one|', '* one\n* '],
    ['- one|', '- one\n- '],
    ['before\n  + one|', 'before\n  + one\n  + '],
    ['1. one|', '1. one\n2. '],
    ['9) one| more', '9) one\n10)  more'],
    ['* one\n* |', '* one\n'],
    ['* one\n* |\nafter', '* one\n\nafter'],
  ])('in the list %j makes %j', (text, made) => {
    expect(after(text, newLine)).toBe(made);
  });

  test.each(['one|', '*one*|', '|* one', '1.5|', '* one\ntwo|'])('is plain in %j', (text) => {
    expect(after(text, newLine)).toBe(undefined);
  });
});

describe('an item', () => {
  const move = (isOut: boolean) => (text: string, cursor: number) =>
    indentItem(text, cursor, isOut);

  test('goes into the list within its own, and out of it', () => {
    expect(after('* one\n* two|', move(false))).toBe('* one\n  * two');
    expect(after('* one\n  * two|', move(true))).toBe('* one\n* two');
  });

  test('of no other list goes nowhere', () => {
    expect(after('* one|', move(true))).toBe(undefined);
    expect(after('one|', move(false))).toBe(undefined);
  });
});
