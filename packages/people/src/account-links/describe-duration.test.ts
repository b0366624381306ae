import { expect, test } from 'vitest';

import { describeDuration } from './describe-duration.ts';

test.each([
  [60, '1 minute'],
  [3_599, '59 minutes'],
  [3_600, '1 hour'],
  [86_399, '23 hours'],
  [864_000, '10 days'],
  [950_000, '10 days'],
])('%d seconds are %s', (secs, words) => {
  expect(describeDuration(secs)).toBe(words);
});
