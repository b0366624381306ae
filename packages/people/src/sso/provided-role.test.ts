import { expect, test } from 'vitest';

import { roleAfterSignIn } from './provided-role.ts';

const roles = { admins: 'administrator', staff: 'member', partners: 'guest' } as const;
const mapped = { groupsClaim: 'groups', roles };

test.each([
  [
    'the highest role of the groups counts',
    'guest',
    ['partners', 'admins', 'staff'],
    'administrator',
  ],
  ['a group can lower the role', 'administrator', ['partners'], 'guest'],
  ['without a group an administrator becomes a member', 'administrator', ['other'], 'member'],
  ['without a group nobody is raised', 'guest', [], 'guest'],
  [
    'names of members of every object are no groups',
    'guest',
    ['constructor', '__proto__'],
    'guest',
  ],
] as const)('%s', (_what, current, groups, expected) => {
  expect(roleAfterSignIn(current, mapped, groups)).toBe(expected);
});

test('groups mean nothing where none are configured', () => {
  const none = { groupsClaim: undefined, roles: {} };
  expect(roleAfterSignIn('administrator', none, ['admins'])).toBe('administrator');
});
