import { expect, test } from 'vitest';

import { retryAfterSecs } from './retry-after.ts';

const now = Date.parse('2026-11-26T12:00:00Z');

test.each([
  [undefined, 0],
  ['0', 0],
  ['120', 120],
  ['Thu, 26 Nov 2026 12:02:00 GMT', 120],
  ['Thu, 26 Nov 2026 11:00:00 GMT', 0],
  ['-5', 0],
  ['1e9', 0],
  ['soon', 0],
  ['', 0],
])('%s is %i seconds', (header, secs) => {
  expect(retryAfterSecs(header, now)).toBe(secs);
});
