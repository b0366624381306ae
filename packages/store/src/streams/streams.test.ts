import { expect, test } from 'vitest';

import { streamNameFault } from './streams.ts';

test('a stream name has 1 to 60 code points and no NUL', () => {
  expect(streamNameFault('a/"b"\nc')).toBeUndefined();
  expect(streamNameFault('🎉'.repeat(60))).toBeUndefined();
  expect(streamNameFault('')).toBe("Invalid stream name ''");
  expect(streamNameFault('x'.repeat(61))).toBe('Stream name too long (limit: 60 characters).');
  expect(streamNameFault('a\0b')).toBe("Stream name 'a\0b' contains NULL (0x00) characters.");
});
