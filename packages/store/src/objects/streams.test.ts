import { expect, test } from 'vitest';

import { weeklyTraffic } from './streams.ts';

test("weekly traffic depends on the stream's age and is rounded to two digits", () => {
  expect(weeklyTraffic(6, 1000)).toBeNull();
  expect(weeklyTraffic(7, 10)).toBe(10);
  expect(weeklyTraffic(14, 100)).toBe(50);
  expect(weeklyTraffic(28, 464)).toBe(120);
  expect(weeklyTraffic(400, 4 * 98_765)).toBe(99_000);
  expect(weeklyTraffic(400, 3)).toBe(1);
  expect(weeklyTraffic(400, 0)).toBe(0);
});
