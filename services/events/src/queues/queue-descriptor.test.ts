import { expect, test } from 'vitest';

import { mirrorClientOf, parseQueueNarrow } from './queue-descriptor.ts';

test('one flat pair and a list of pairs are equivalent', () => {
  expect(parseQueueNarrow(['stream', 'x'])).toEqual([['stream', 'x']]);
  expect(parseQueueNarrow([['stream', 'x']])).toEqual([['stream', 'x']]);
  expect(
    parseQueueNarrow([
      ['stream', 'x'],
      ['topic', 'y'],
    ]),
  ).toEqual([
    ['stream', 'x'],
    ['topic', 'y'],
  ]);
  expect(parseQueueNarrow([])).toEqual([]);
});

test.each([
  [['stream'], 'narrow[0] is not a list'],
  [['stream', 5], 'narrow[0] is not a list'],
  [[['stream']], 'narrow[0] should have exactly 2 items'],
  [
    [
      ['is', 'private'],
      ['stream', 5],
    ],
    'narrow[1][1] is not a string',
  ],
  [[[5, 'x']], 'narrow[0][0] is not a string'],
  [[['pm-with', 'a@b']], 'Operator pm-with not supported.'],
  [['search', 'x'], 'Operator search not supported.'],
])('%j is refused', (narrow, text) => {
  expect(() => parseQueueNarrow(narrow)).toThrow(text);
});

test('a client is a mirror according to its name', () => {
  expect(mirrorClientOf('jabber_Mirror')).toEqual({ mirrorClient: 'jabber_Mirror' });
  expect(mirrorClientOf('website')).toEqual({});
});
