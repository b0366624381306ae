import type { Role } from '@parley/api';
import type { IdentityProviderConfig } from '@parley/config';
import { lockUsersForActivityChange } from '@parley/store';

import { entryForEveryone } from '../accounts/account-events.ts';
import { changeRole } from '../accounts/change-person.ts';
import { isLastAdministrator } from '../accounts/deactivate-account.ts';
import type { PeopleContext } from '../people-context.ts';

const ascending: readonly Role[] = ['guest', 'member', 'administrator'];

/** @returns the highest role that the groups give; undefined if they give none */
export function findRoleOfGroups(
  roles: IdentityProviderConfig['roles'],
  groups: readonly string[],
): Role | undefined {
  const given = new Set(
    groups.flatMap((group) => (Object.hasOwn(roles, group) ? [roles[group]] : [])),
  );
  return ascending.findLast((role) => given.has(role));
}

/**
 * @param current of the account
 * @returns the role for a sign-in; without one of the groups nobody is raised, and an administrator becomes a member
 */
export function roleAfterSignIn(
  current: Role,
  { groupsClaim, roles }: Pick<IdentityProviderConfig, 'groupsClaim' | 'roles'>,
  groups: readonly string[],
): Role {
  if (groupsClaim === undefined) return current;
  return findRoleOfGroups(roles, groups) ?? (current === 'administrator' ? 'member' : current);
}

/**
 * Gives a person the role of the groups at the provider. The last administrator stays one.
 *
 * @returns whether the role is as the groups say
 */
export async function applyGroups(
  context: PeopleContext,
  config: Pick<IdentityProviderConfig, 'groupsClaim' | 'roles'>,
  userId: number,
  groups: readonly string[],
): Promise<boolean> {
  return context.eventLog.transaction(async (client) => {
    const people = await lockUsersForActivityChange(client, userId, []);
    const user = people.find(({ id }) => id === userId);
    if (user?.isActive !== true) return { result: true };
    const role = roleAfterSignIn(user.role, config, groups);
    if (role === user.role) return { result: true };
    if (isLastAdministrator(people, user)) return { result: false };
    const changed = await changeRole(context, client, people, user, role);
    return {
      result: true,
      append: {
        entries: [entryForEveryone(changed.events, changed.effects)],
        changeId: changed.changeId,
        accountUserIds: changed.userIds,
      },
    };
  });
}
