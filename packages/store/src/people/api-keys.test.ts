import { expect, test } from 'vitest';

import { generateApiKey } from './api-keys.ts';

test('keys are 32 letters and digits, and no two are equal', () => {
  const keys = Array.from({ length: 200 }, generateApiKey);
  for (const key of keys) expect(key).toMatch(/^[A-Za-z0-9]{32}$/);
  expect(new Set(keys).size).toBe(keys.length);
});
