import { expect, test } from 'vitest';

import { rankLoosely } from './ranking.ts';

test.each([
  ['general', 'gen', 0],
  ['the general', 'gen', 1],
  ['roses general', 'gen ros', 2],
  ['roses general', 'gen > ros', 2],
  ['general', 'ner', 3],
  ['roses general', 'gnl', 4],
  ['general', 'nl', undefined],
  ['general', 'gen xyz', undefined],
])('the rank of %s for %s is %s', (name, query, rank) => {
  expect(rankLoosely(name, query)).toBe(rank);
});
