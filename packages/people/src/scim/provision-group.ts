/** User groups as a program keeps them by SCIM (decision 0052), with the functions, rules and events of the interface's own changes. */
import { operator } from '@parley/store/access';
import { ApiError } from '@parley/api';
import { scimRefusal } from '@parley/api/scim';
import type { Client, Queryable } from '@parley/database';
import { findScimGroup, findScimUsers, listScimMembers } from '@parley/store/scim';

import {
  createGroup,
  editGroup,
  groupNameTaken,
  removeGroup,
} from '../organization/change-groups.ts';
import type { PeopleContext } from '../people-context.ts';

/** Who comes into a group, and who goes; nobody is in both. */
export type MembersChange = {
  /** Whether everybody goes whom SCIM shows in the group and who is not added. */
  readonly isReplaced: boolean;
  /** They may be members. */
  readonly added: ReadonlySet<number>;
  /** Any numbers; those that are of no member change nothing. */
  readonly removed: ReadonlySet<number>;
};

const nobody: MembersChange = { isReplaced: false, added: new Set(), removed: new Set() };

/** What a request says about a group; what is absent stays as it is. */
export type ProvisionedGroup = {
  readonly name?: string | undefined;
  readonly externalId?: string | null | undefined;
  readonly members?: MembersChange | undefined;
};

function noSuchGroup(groupId: number): ApiError {
  return scimRefusal(404, `There is no group ${groupId}.`);
}

/** @throws ApiError `uniqueness` in place of the refusal of a name that is taken */
async function refusingAsScim<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.message === groupNameTaken(name).message)
      throw scimRefusal(409, error.message, 'uniqueness');
    throw error;
  }
}

/** @throws ApiError `invalidValue` naming the first id that is of no person whom SCIM shows */
async function checkMembers(db: Queryable, ids: readonly number[]): Promise<void> {
  const known = new Set((await findScimUsers(db, ids)).map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw scimRefusal(400, `There is no user ${unknown}.`, 'invalidValue');
}

/** @throws ApiError `uniqueness`; `invalidValue` for an unknown member; if there are too many groups or members */
export async function createProvisionedGroup(
  context: PeopleContext,
  { name, externalId, members = nobody }: ProvisionedGroup & { readonly name: string },
): Promise<number> {
  const added = [...members.added];
  await checkMembers(context.pool, added);
  return refusingAsScim(name, () =>
    createGroup(context, operator, {
      name,
      description: '',
      members: added,
      ...(typeof externalId === 'string' && { externalId }),
    }),
  );
}

/** @returns those who go: members that SCIM does not show, such as bots, stay */
async function findRemoved(
  client: Client,
  groupId: number,
  present: ReadonlySet<number>,
  { isReplaced, added, removed }: MembersChange,
): Promise<number[]> {
  const shown = isReplaced
    ? ((await listScimMembers(client, [groupId])).get(groupId) ?? [])
    : await findScimUsers(
        client,
        [...removed].filter((id) => present.has(id)),
      );
  return shown.map(({ id }) => id).filter((id) => !added.has(id));
}

/**
 * Changes a group. Unless its members are replaced, only those who are named are looked at.
 *
 * @param groupId any integer
 * @throws ApiError 404; `uniqueness`; `invalidValue` for an unknown member
 */
export async function changeProvisionedGroup(
  context: PeopleContext,
  groupId: number,
  { name, externalId, members = nobody }: ProvisionedGroup,
): Promise<void> {
  if ((await findScimGroup(context.pool, groupId)) === undefined) throw noSuchGroup(groupId);
  await refusingAsScim(name ?? '', () =>
    editGroup(context, operator, groupId, async (client, group) => {
      const present = new Set(group.memberIds);
      const added = [...members.added].filter((id) => !present.has(id)).toSorted((a, b) => a - b);
      await checkMembers(client, added);
      const removed = await findRemoved(client, group.id, present, members);
      return { name, externalId, added, removed };
    }),
  );
}

/**
 * @param groupId any integer
 * @throws ApiError 404
 */
export async function deleteProvisionedGroup(
  context: PeopleContext,
  groupId: number,
): Promise<void> {
  if ((await findScimGroup(context.pool, groupId)) === undefined) throw noSuchGroup(groupId);
  await removeGroup(context, operator, groupId);
}
