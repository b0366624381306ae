import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { textOf } from './body.ts';
import { BrokenFrame, FrameReader, frameOf } from './frames.ts';

const frames = fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), {
  maxLength: 8,
});

/** Splits bytes at these places, which may be equal or beyond the end. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b);
  return [...sorted, bytes.length].map((end, index) => bytes.subarray(sorted[index - 1] ?? 0, end));
}

describe('frames', () => {
  it('are read as written, wherever the bytes are split', () => {
    fc.assert(
      fc.property(frames, fc.array(fc.nat(), { maxLength: 20 }), (sent, places) => {
        const received: (readonly [string, string])[] = [];
        const reader = new FrameReader((text, body) => received.push([text, textOf(body)]));
        const wellFormed = sent.map(
          ([text, body]) => [text.toWellFormed(), body.toWellFormed()] as const,
        );
        const bytes = Buffer.concat(wellFormed.flatMap(([text, body]) => frameOf(text, body)));
        for (const chunk of cut(bytes, places)) reader.push(chunk);
        expect(received).toEqual(wellFormed);
      }),
    );
  });

  it('are read from single bytes', () => {
    const received: string[] = [];
    const reader = new FrameReader((text, body) => received.push(text + textOf(body)));
    for (const byte of Buffer.concat([...frameOf('a', 'b'), ...frameOf(''), ...frameOf('', 'ü')]))
      reader.push(Buffer.from([byte]));
    expect(received).toEqual(['ab', '', 'ü']);
  });

  it('are refused if longer than the maximum, before they arrive', () => {
    const reader = new FrameReader(() => undefined);
    expect(() => reader.push(Buffer.alloc(8, 0xff))).toThrow(BrokenFrame);
  });
});
