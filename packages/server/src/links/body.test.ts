import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { bytesOf, cutAt, joined, textOf } from './body.ts';

const pieces = fc.array(fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes)));

describe('pieces', () => {
  it('are cut at any number of bytes without loss', () => {
    fc.assert(
      fc.property(pieces, fc.nat({ max: 30 }), (body, bytes) => {
        const [before, behind] = cutAt(body, bytes);
        expect(bytesOf(before)).toBe(Math.min(bytes, bytesOf(body)));
        expect(joined([...before, ...behind])).toEqual(joined(body));
      }),
    );
  });

  it('form one text, even if a letter is cut', () => {
    const text = 'ünïcode 🎉';
    const body = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
    expect([textOf(body), textOf(text), textOf([])]).toEqual([text, text, '']);
    expect([bytesOf(body), bytesOf(text), bytesOf([])]).toEqual([14, 14, 0]);
  });
});
