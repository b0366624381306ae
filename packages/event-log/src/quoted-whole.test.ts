import fc from 'fast-check';
import { expect, test } from 'vitest';

import { quotedWhole } from './quoted-whole.ts';

/** Reads a constant as Postgres does: up to the first place where its tag occurs again. */
function readBack(constant: string): { readonly text: string; readonly rest: string } {
  const tag = /^\$[a-z]\w*\$/u.exec(constant)?.[0];
  if (tag === undefined) throw new Error(`no constant: ${constant}`);
  const end = constant.indexOf(tag, tag.length);
  return { text: constant.slice(tag.length, end), rest: constant.slice(end + tag.length) };
}

const piece = fc.oneof(
  fc.string(),
  fc.constantFrom('$', '$$', '$e', '$e0', '$e0$', '$e1$', '$e1', "'", "''", '\\', 'e0$'),
);

test('whatever a text holds, the constant holds it and ends with it', () => {
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      expect(readBack(quotedWhole(text))).toEqual({ text, rest: '' });
    }),
  );
});
