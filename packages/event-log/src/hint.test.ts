import fc from 'fast-check';
import { expect, test } from 'vitest';

import { decodeHint, encodeHint } from './hint.ts';

const position = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const entry = fc.record({
  position,
  length: fc.integer({ min: 1, max: 20_000 }),
  messageId: position,
  audience: position,
  payload: fc.json(),
});

test('a hint is read back as it was published', () => {
  fc.assert(
    fc.property(fc.nat(), fc.array(entry, { maxLength: 20 }), (epoch, entries) => {
      expect(decodeHint(encodeHint({ epoch, entries }))).toEqual({ epoch, entries });
    }),
  );
});

test('invalid hints are ignored', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const hint = decodeHint(text);
      if (hint !== undefined) expect(decodeHint(encodeHint(hint))).toEqual(hint);
    }),
  );
  for (const text of [
    '',
    'x',
    '1\n2 3',
    '1\n1 1 1\n{}',
    '1\n1 1 1 x\n{}',
    '1.5\n1 1 1 1\n{}',
    '1\n1 1 1 1',
  ]) {
    expect({ text, hint: decodeHint(text) }).toEqual({ text, hint: undefined });
  }
});
