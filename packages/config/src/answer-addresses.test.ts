import { expect, test } from 'vitest';

import { parseAnswerAddresses } from './answer-addresses.ts';

test('an address with one % has a place for a token', () => {
  expect(parseAnswerAddresses('Reply+%@Chat.Example')).toEqual({
    before: 'reply+',
    after: '@chat.example',
  });
  expect(parseAnswerAddresses('%@in.chat.example').before).toBe('');
  expect(parseAnswerAddresses('%-answer@chat.example').after).toBe('-answer@chat.example');
});

test.each([
  'reply@chat.example',
  '%+%@chat.example',
  'reply+%',
  'reply+%@',
  'reply@%.example',
  're ply%@chat.example',
  'Ann <reply+%@chat.example>',
  '.%@chat.example',
])('%s is none', (text) => {
  expect(() => parseAnswerAddresses(text)).toThrow('one %');
});

test('the token must fit', () => {
  expect(parseAnswerAddresses(`${'a'.repeat(22)}%@chat.example`).before).toHaveLength(22);
  expect(() => parseAnswerAddresses(`${'a'.repeat(23)}%@chat.example`)).toThrow('22 characters');
});
