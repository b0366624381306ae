import { expect, test } from 'vitest';

import { findSlopePerHour } from './slope.ts';

test('the slope of a line is found despite evenly distributed noise', () => {
  const line = Array.from({ length: 20 }, (_, n) => [n * 30, 1_000 + n] as const);
  expect(findSlopePerHour(line)).toBe(120);
  const noisy = line.flatMap(([secs, value]) => [
    [secs, value + 50] as const,
    [secs, value - 50] as const,
  ]);
  expect(findSlopePerHour(noisy)).toBe(120);
});

test('there is no slope with one value or at one moment', () => {
  expect(findSlopePerHour([])).toBe(0);
  expect(findSlopePerHour([[30, 5]])).toBe(0);
  expect(
    findSlopePerHour([
      [30, 5],
      [30, 9],
    ]),
  ).toBe(0);
});
