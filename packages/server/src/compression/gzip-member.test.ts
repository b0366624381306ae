import { gunzipSync, inflateRawSync } from 'node:zlib';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { DeflatedPiece } from './gzip-member.ts';
import { deflatePiece, deflatePieceInPool, gzipMember, storedPiece } from './gzip-member.ts';

const headerBytes = 10;
const trailerBytes = 8;

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'ab'.repeat(40_000)));
const way = fc.constantFrom('deflated', 'aside', 'stored');

async function pieceOf(
  plain: Buffer,
  how: 'deflated' | 'aside' | 'stored',
): Promise<DeflatedPiece> {
  if (how === 'stored') return storedPiece(plain);
  return how === 'aside' ? deflatePieceInPool(plain, 1) : deflatePiece(plain, 6);
}

test('one member of any pieces in any order unpacks to their content', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, way), { maxLength: 8 }), async (parts) => {
      const pieces = await Promise.all(parts.map(([each, how]) => pieceOf(Buffer.from(each), how)));
      const member = Buffer.concat(gzipMember(pieces));
      const content = parts.map(([each]) => each).join('');
      expect(gunzipSync(member).toString()).toBe(content);
      // It is one member to its end: some clients read no second one.
      const deflated = member.subarray(headerBytes, -trailerBytes);
      expect(inflateRawSync(deflated).toString()).toBe(content);
    }),
  );
});

test('a piece may be in several members', () => {
  const [one, two] = ['first '.repeat(100), 'second '.repeat(100)].map((each) =>
    deflatePiece(Buffer.from(each), 6),
  );
  if (one === undefined || two === undefined) throw new Error('two pieces');
  for (const pieces of [
    [one, two],
    [two, one],
    [one, one],
  ]) {
    const unpacked = gunzipSync(Buffer.concat(gzipMember(pieces)));
    expect(unpacked).toHaveLength(pieces.reduce((sum, { sum: { bytes } }) => sum + bytes, 0));
  }
});
