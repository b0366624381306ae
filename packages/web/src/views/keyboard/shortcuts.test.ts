import { expect, test } from 'vitest';

import { commandOf, keysByCommand } from './shortcuts.ts';

test.each([
  ['j', false, 'next'],
  ['s', false, 'star'],
  ['s', true, 'starred'],
  ['j', true, undefined],
  ['g', false, undefined],
  ['x', false, undefined],
  ['toString', false, undefined],
] as const)('%s (after g: %s) means %s', (key, isPrefixed, command) => {
  expect(commandOf(key, isPrefixed)).toBe(command);
});

test('a command lists all its keys', () => {
  expect(keysByCommand.get('next')).toEqual(['j', 'ArrowDown']);
});
