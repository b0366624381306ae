import { expect, test } from 'vitest';

import { hashPassword, verifyPassword } from './passwords.ts';

test('a password verifies against its own hash only', async () => {
  const hash = await hashPassword('open sesame');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(hash).not.toBe(await hashPassword('open sesame'));
  expect(await verifyPassword('open sesame', hash)).toBe(true);
  expect(await verifyPassword('open sesame ', hash)).toBe(false);
  expect(await verifyPassword('', undefined)).toBe(false);
  expect(await verifyPassword('', null)).toBe(false);
});
