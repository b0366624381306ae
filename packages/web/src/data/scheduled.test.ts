import { expect, test } from 'vitest';

import { quickTimes } from './scheduled.ts';

function times(now: string) {
  return quickTimes(new Date(now)).map(({ name, at }) => [
    name,
    at.toLocaleString('sv-SE').slice(0, 16),
  ]);
}

test('on an afternoon one may choose the evening, the next morning and the next week', () => {
  // A Thursday.
  expect(times('2026-11-26T15:20:00')).toEqual([
    ['hour', '2026-11-26 16:20'],
    ['evening', '2026-11-26 18:00'],
    ['tomorrow', '2026-11-27 09:00'],
    ['monday', '2026-11-30 09:00'],
  ]);
});

test('at night the evening is over', () => {
  expect(times('2026-11-26T22:00:00').map(([name]) => name)).toEqual([
    'hour',
    'tomorrow',
    'monday',
  ]);
});

test('on a Sunday the next morning is that of Monday', () => {
  expect(times('2026-11-29T12:00:00')).toEqual([
    ['hour', '2026-11-29 13:00'],
    ['evening', '2026-11-29 18:00'],
    ['tomorrow', '2026-11-30 09:00'],
  ]);
});
