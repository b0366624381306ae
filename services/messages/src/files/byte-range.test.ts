import fc from 'fast-check';
import { expect, test } from 'vitest';

import { parseRange } from './byte-range.ts';

test.each([
  ['bytes=0-0', 10, { first: 0, last: 0 }],
  ['bytes=2-4', 10, { first: 2, last: 4 }],
  ['bytes=5-', 10, { first: 5, last: 9 }],
  ['bytes=5-100', 10, { first: 5, last: 9 }],
  ['bytes=-3', 10, { first: 7, last: 9 }],
  ['bytes=-30', 10, { first: 0, last: 9 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=-5', 0, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=4-2', 10, undefined],
  ['bytes=-', 10, undefined],
  ['bytes=0-1,3-4', 10, undefined],
  ['lines=0-1', 10, undefined],
  ['bytes=0-99999999999999999999', 10, undefined],
  ['', 10, undefined],
])('%s of %d bytes', (header, size, range) => {
  expect(parseRange(header, size)).toEqual(range);
});

test('a range is always within the file', () => {
  fc.assert(
    fc.property(fc.nat(), fc.option(fc.nat()), fc.nat(), (first, last, size) => {
      const range = parseRange(`bytes=${first}-${last ?? ''}`, size);
      if (range === undefined || range === 'unsatisfiable') return;
      expect(range.first).toBeLessThanOrEqual(range.last);
      expect(range.last).toBeLessThan(size);
    }),
  );
});
