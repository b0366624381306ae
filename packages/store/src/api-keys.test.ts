import { expect, test } from 'vitest';

import {
  deriveKeySecrets,
  generateApiKey,
  openEventMembers,
  sealEventMembers,
} from './api-keys.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

test('keys are 32 letters and digits, and no two are equal', () => {
  const keys = Array.from({ length: 200 }, generateApiKey);
  for (const key of keys) expect(key).toMatch(/^[A-Za-z0-9]{32}$/);
  expect(new Set(keys).size).toBe(keys.length);
});

test('sealed members open under the same secret only, and not when altered', () => {
  const secrets = deriveKeySecrets('a'.repeat(32));
  const sealed = sealEventMembers(secrets, { api_key: 'q' });
  expect(sealed).not.toContain('api_key');
  expect(openEventMembers(secrets, sealed)).toEqual({ api_key: 'q' });
  expect(() => openEventMembers(deriveKeySecrets('b'.repeat(32)), sealed)).toThrow(/authenticate/);
  const altered = Buffer.from(sealed, 'base64');
  altered.writeUInt8(altered.readUInt8(altered.length - 1) ^ 1, altered.length - 1);
  expect(() => openEventMembers(secrets, altered.toString('base64'))).toThrow(/authenticate/);
});

test('a password verifies against its own hash only', async () => {
  const hash = await hashPassword('open sesame');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(hash).not.toBe(await hashPassword('open sesame'));
  expect(await verifyPassword('open sesame', hash)).toBe(true);
  expect(await verifyPassword('open sesame ', hash)).toBe(false);
  expect(await verifyPassword('', undefined)).toBe(false);
  expect(await verifyPassword('', null)).toBe(false);
});
