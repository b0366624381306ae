import { expect, test } from 'vitest';

import { deriveToken, openUnder, sealUnder } from './derived-secrets.ts';
import { makeSessionToken, sessionTokenPattern } from './session-tokens.ts';

test('derived secrets differ by purpose and by secret, and stay the same', () => {
  const [one, other] = [makeSessionToken(), makeSessionToken()];
  expect(deriveToken(one, 'state')).toMatch(sessionTokenPattern);
  expect(deriveToken(one, 'state')).toBe(deriveToken(one, 'state'));
  expect(deriveToken(one, 'state')).not.toBe(deriveToken(one, 'nonce'));
  expect(deriveToken(one, 'state')).not.toBe(deriveToken(other, 'state'));
});

test('a text opens under its own secret only, and not when altered', () => {
  const token = makeSessionToken();
  const sealed = sealUnder(token, 'text');
  expect(sealed.toString('latin1')).not.toContain('text');
  expect(openUnder(token, sealed)).toBe('text');
  expect(openUnder(makeSessionToken(), sealed)).toBeUndefined();
  expect(openUnder(token, Buffer.alloc(3))).toBeUndefined();
  sealed.writeUInt8(sealed.readUInt8(sealed.length - 1) ^ 1, sealed.length - 1);
  expect(openUnder(token, sealed)).toBeUndefined();
});
