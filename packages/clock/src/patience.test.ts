import { expect, test } from 'vitest';

import { Patience } from './patience.ts';

/** A store that answers each attempt after the same time. @returns what the attempts got, up to the one that was answered */
function attemptsAt(answersAfterMs: number, random: number, attemptsMax = 20): number[] {
  const patience = new Patience(3_000, () => random);
  const got: number[] = [];
  while (got.length < attemptsMax && !got.some((ms) => ms >= answersAfterMs)) {
    const nextMs = patience.nextMs();
    got.push(nextMs);
    if (nextMs < answersAfterMs) patience.noteLate(nextMs);
  }
  return got;
}

test('each attempt gets twice as long as the one before that was late, and up to a quarter more', () => {
  expect(attemptsAt(10_000, 0)).toEqual([3_000, 6_000, 12_000]);
  expect(attemptsAt(10_000, 0.8)).toEqual([3_600, 7_200, 14_400]);
  expect(attemptsAt(Infinity, 0, 7).at(-1)).toBe(60_000);
});

test('attempts that are late together count once, and a success ends the patience', () => {
  const patience = new Patience(3_000, () => 0);
  for (let attempt = 0; attempt < 8; attempt += 1) patience.noteLate(3_000);
  expect(patience.nextMs()).toBe(6_000);
  patience.noteSuccess();
  expect(patience.nextMs()).toBe(3_000);
});
