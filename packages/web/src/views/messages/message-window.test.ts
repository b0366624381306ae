import fc from 'fast-check';
import { expect, test } from 'vitest';

import { moveDown, moveUp, shownMax, shownPartOf, windowAround } from './message-window.ts';
import type { MessageWindow } from './message-window.ts';

const ids = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => 10 + 2 * index);

test('the newest messages are shown at first', () => {
  const all = ids(1_000);
  const part = shownPartOf(all, undefined);
  expect(part.ids).toEqual(all.slice(-shownMax));
  expect([part.above, part.below]).toEqual([700, 0]);
});

test('moving up and down shows every message, never more than the page may have', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_500 }),
      fc.array(fc.constantFrom('up', 'down'), { maxLength: 40 }),
      (count, moves) => {
        const all = ids(count);
        let window: MessageWindow;
        for (const move of moves) {
          const part = shownPartOf(all, window);
          window = move === 'up' ? moveUp(all, part) : moveDown(all, part);
          const next = shownPartOf(all, window);
          expect(next.ids.length).toBeLessThanOrEqual(shownMax);
          expect(next.ids.length).toBeGreaterThan(Math.min(shownMax, count) - 100);
          expect(next.above + next.ids.length + next.below).toBe(count);
        }
      },
    ),
  );
});

test('a window around a message shows it', () => {
  const all = ids(1_000);
  for (const id of [10, 500, 1_111, 2_008])
    expect(shownPartOf(all, windowAround(all, id)).ids.some((each) => each >= id)).toBe(true);
});

test('a window at the end of the list goes on with it', () => {
  const all = ids(400);
  const window = moveDown(all, shownPartOf(all, undefined));
  expect(shownPartOf([...all, 5_000], window).ids.at(-1)).toBe(5_000);
});

test('while new messages come, the first one shown stays for many of them', () => {
  const firstShown = new Set(
    Array.from({ length: 200 }, (_, count) => shownPartOf(ids(400 + count), undefined).ids[0]),
  );
  expect(firstShown.size).toBe(3);
});
