import { expect, test } from 'vitest';

import { checkContent, checkTopic } from './message-text.ts';

test('a topic is trimmed, and cut at 60 code points', () => {
  expect(checkTopic('  lunch ')).toBe('lunch');
  expect(checkTopic('😀'.repeat(60))).toBe('😀'.repeat(60));
  expect(checkTopic('😀'.repeat(61))).toBe(`${'😀'.repeat(57)}...`);
  expect(checkTopic(`${'a'.repeat(60)}  `)).toBe('a'.repeat(60));
});

test('a missing or blank topic, or one with NUL, is refused', () => {
  expect(() => checkTopic(undefined)).toThrow('Missing topic');
  expect(() => checkTopic('  ')).toThrow("Topic can't be empty");
  expect(() => checkTopic('a\0')).toThrow('null bytes');
});

test('content loses only white space at its end, and is cut at 10000 code points', () => {
  expect(checkContent('  a \n')).toBe('  a');
  expect(checkContent('😀'.repeat(10_000))).toBe('😀'.repeat(10_000));
  expect(checkContent('😀'.repeat(10_001))).toBe(`${'😀'.repeat(9_980)}\n[message truncated]`);
});

test('empty content, or content with NUL, is refused', () => {
  expect(() => checkContent(' \n')).toThrow('Message must not be empty');
  expect(() => checkContent('a\0b')).toThrow('Message must not contain null bytes');
});
