import { expect, test } from 'vitest';

import { hashSessionToken, makeSessionToken, sessionTokenPattern } from './session-tokens.ts';

test('a token has 256 random bits, and another token has others', () => {
  const tokens = Array.from({ length: 100 }, makeSessionToken);
  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) {
    expect(token).toMatch(sessionTokenPattern);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  }
});

test('the stored form reveals nothing of the token', () => {
  const token = makeSessionToken();
  const stored = hashSessionToken(token);
  expect(stored).toHaveLength(32);
  expect(stored).not.toEqual(Buffer.from(token, 'base64url'));
  expect(hashSessionToken(token)).toEqual(stored);
});
