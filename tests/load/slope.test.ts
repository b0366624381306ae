import { expect, test } from 'vitest';

import { findSlopePerHour } from './slope.ts';

test('the slope of a line is found, whatever noise lies evenly around it', () => {
  const line = Array.from({ length: 20 }, (_, n) => [n * 30, 1_000 + n] as const);
  expect(findSlopePerHour(line)).toBe(120);
  const noisy = line.flatMap(([secs, value]) => [
    [secs, value + 50] as const,
    [secs, value - 50] as const,
  ]);
  expect(findSlopePerHour(noisy)).toBe(120);
});

test('nothing has a slope that was seen once, or at one moment', () => {
  expect(findSlopePerHour([])).toBe(0);
  expect(findSlopePerHour([[30, 5]])).toBe(0);
  expect(
    findSlopePerHour([
      [30, 5],
      [30, 9],
    ]),
  ).toBe(0);
});
