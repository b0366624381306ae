import { expect, test } from 'vitest';

import { texts } from '../../texts.ts';
import { commandOf, commands } from './commands.ts';

const { next, star, starred } = texts.keyboard.commands;

test.each([
  ['j', false, next],
  ['ArrowDown', false, next],
  ['s', false, star],
  ['s', true, starred],
  ['j', true, undefined],
  ['g', false, undefined],
  ['x', false, undefined],
  ['toString', false, undefined],
] as const)('%s (after g: %s) gives its command', (key, isPrefixed, label) => {
  expect(commandOf(key, isPrefixed)?.label).toBe(label);
});

test('no key gives two commands', () => {
  const keys = commands.flatMap((command) => command.keys);
  expect(new Set(keys).size).toBe(keys.length);
});
