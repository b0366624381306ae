import { expect, test } from 'vitest';

import { idPieces } from './id-pieces.ts';

test('ids come once each, in ascending order and in pieces', () => {
  expect(idPieces([])).toEqual([]);
  expect(idPieces([3, 1, 3])).toEqual([[1, 3]]);
  const many = Array.from({ length: 12_001 }, (_, n) => 12_000 - n);
  const pieces = idPieces([...many, ...many]);
  expect(pieces.map((piece) => piece.length)).toEqual([5_000, 5_000, 2_001]);
  expect(pieces.flat()).toEqual(many.toReversed());
});
