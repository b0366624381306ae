import { beginLinkingEndpoint, changeOwnAccountEndpoint } from '@parley/api/people';
import { expect, it } from 'vitest';

import { hasOwnPassword } from './password-login.ts';

const change = changeOwnAccountEndpoint;
const link = beginLinkingEndpoint;

it.each([
  [true, 'a new password', change, { old_password: 'x', new_password: 'y' }],
  [true, 'a new address', change, { old_password: 'x', email: 'a@b.c' }],
  [true, 'a confirmation', link, { provider: 'work', password: 'x' }],
  [false, 'another change', change, { full_name: 'Rina', old_password: 'x', new_password: '' }],
  [false, 'a new address without a password', change, { email: 'a@b.c', old_password: '' }],
  [false, 'an empty confirmation', link, { password: '' }],
  [false, 'a field that the endpoint ignores', change, { full_name: 'Rina', password: 'x' }],
  [false, 'fields of another endpoint', link, { old_password: 'x', new_password: 'y' }],
] as const)('%s for %s', (expected, _what, endpoint, fields) => {
  const query = new Map<string, string>(Object.entries(fields));
  expect(hasOwnPassword({ endpoint, form: new Map(), query })).toBe(expected);
  expect(hasOwnPassword({ endpoint, form: query, query: new Map() })).toBe(expected);
});
