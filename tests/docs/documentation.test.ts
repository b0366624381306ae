import { readFileSync, readdirSync } from 'node:fs';

import { expect, test } from 'vitest';

import { generatedPages } from './generated-pages.ts';

test.each(generatedPages())(
  '$path agrees with the code (written by npm run docs)',
  ({ path, text }) => {
    expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')).toBe(text);
  },
);

test('no two decisions have the same number', () => {
  const names = readdirSync(new URL('../../docs/decisions/', import.meta.url));
  const numbers = names.map((name) => name.slice(0, 4));
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
});
