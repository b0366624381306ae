import fc from 'fast-check';
import { expect, test } from 'vitest';

import { checkFullName } from './full-name.ts';

test('a name is trimmed', () => {
  expect(checkFullName('  Inês Duarte ')).toBe('Inês Duarte');
});

test.each([
  ['a'.repeat(101), 'Name too long!'],
  ['👩'.repeat(101), 'Name too long!'],
  [' a ', 'Name too short!'],
  ['', 'Name too short!'],
  ['ann@home', 'Invalid characters in name!'],
  ['a\u0000b', 'Invalid characters in name!'],
  ['a\u200Db', 'Invalid characters in name!'],
  ['a\uE000b', 'Invalid characters in name!'],
  ['a\u0378b', 'Invalid characters in name!'],
  ['a\uD800b', 'Invalid characters in name!'],
  ...Array.from('*`\\>"').map((character) => [`a${character}b`, 'Invalid characters in name!']),
])('%j is refused: %s', (name, msg) => {
  expect(() => checkFullName(name)).toThrow(msg);
});

test('lengths count code points', () => {
  expect(checkFullName('é'.repeat(100))).toHaveLength(100);
  expect(checkFullName('🚢⚓')).toBe('🚢⚓');
});

test('an accepted name is accepted again, unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      let name: string;
      try {
        name = checkFullName(text);
      } catch {
        return;
      }
      expect(checkFullName(name)).toBe(name);
    }),
  );
});
