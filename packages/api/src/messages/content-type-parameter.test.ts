import { expect, test } from 'vitest';

import { parseContentType } from './content-type-parameter.ts';

test('a type in its plain form is one word, a slash and one word', () => {
  expect(parseContentType(' Text/HTML; charset=utf-8')).toBe('text/html');
  expect(parseContentType('image/svg+xml')).toBe('image/svg+xml');
  for (const text of [
    '',
    'x',
    'a/b/c',
    'a/b\r\nX: y',
    'a /b',
    `a/${'b'.repeat(101)}`,
    'ä/b',
    'a/\0',
  ])
    expect(parseContentType(text)).toBeUndefined();
});
