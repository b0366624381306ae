import { expect, test } from 'vitest';

import { applyReplacement } from './altered-sources.ts';

test('a replacement whose text is absent or ambiguous is refused', () => {
  const replacement = { file: 'a file', find: 'x', put: 'y' };
  expect(applyReplacement('axb', replacement)).toBe('ayb');
  expect(() => applyReplacement('ab', replacement)).toThrow('0 times');
  expect(() => applyReplacement('xx', replacement)).toThrow('2 times');
});
