/** User groups as a program keeps them by SCIM (decision 0052), with the functions, rules and events of the interface's own changes. */
import { operator } from '@parley/access';
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

/** What a request says about a group; absent members stay as they are. */
export type KeptGroup = {
  readonly name?: string | undefined;
  readonly externalId?: string | null | undefined;
  /** The people in it, in place of those that SCIM shows. */
  readonly memberIds?: ReadonlySet<number> | undefined;
};

function noSuchGroup(groupId: number): ApiError {
  return scimRefusal(404, `There is no group ${groupId}.`);
}

/** @throws ApiError `uniqueness` in place of the refusal of a name that is taken */
async function refusingAsScim<Result>(
  name: () => string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.message === groupNameTaken(name()).message)
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
export async function createKeptGroup(
  context: PeopleContext,
  { name, externalId, memberIds = new Set() }: KeptGroup & { readonly name: string },
): Promise<number> {
  const members = [...memberIds];
  await checkMembers(context.pool, members);
  return refusingAsScim(
    () => name,
    () =>
      createGroup(context, operator, {
        name,
        description: '',
        members,
        ...(typeof externalId === 'string' && { externalId }),
      }),
  );
}

/** Members that SCIM does not show, such as bots, stay. */
async function differenceOf(
  client: Client,
  groupId: number,
  before: readonly number[],
  memberIds: ReadonlySet<number> | undefined,
): Promise<{ readonly added: readonly number[]; readonly removed: readonly number[] }> {
  if (memberIds === undefined) return { added: [], removed: [] };
  const present = new Set(before);
  const added = [...memberIds].filter((id) => !present.has(id)).toSorted((a, b) => a - b);
  await checkMembers(client, added);
  const seen = (await listScimMembers(client, [groupId])).get(groupId) ?? [];
  const removed = seen.map(({ id }) => id).filter((id) => !memberIds.has(id));
  return { added, removed };
}

/**
 * Changes a group.
 *
 * @param groupId any integer
 * @param edit is called with the people in it, while nobody else changes them
 * @throws ApiError 404; `uniqueness`; `invalidValue` for an unknown member; those of `edit`
 */
export async function changeKeptGroup(
  context: PeopleContext,
  groupId: number,
  edit: (memberIds: ReadonlySet<number>) => KeptGroup,
): Promise<void> {
  if ((await findScimGroup(context.pool, groupId)) === undefined) throw noSuchGroup(groupId);
  let wanted = '';
  await refusingAsScim(
    () => wanted,
    () =>
      editGroup(context, operator, groupId, async (client, group) => {
        const seen = (await listScimMembers(client, [group.id])).get(group.id) ?? [];
        const { name, externalId, memberIds } = edit(new Set(seen.map(({ id }) => id)));
        wanted = name ?? '';
        const difference = await differenceOf(client, group.id, group.memberIds, memberIds);
        return { name, externalId, ...difference };
      }),
  );
}

/**
 * @param groupId any integer
 * @throws ApiError 404
 */
export async function deleteKeptGroup(context: PeopleContext, groupId: number): Promise<void> {
  if ((await findScimGroup(context.pool, groupId)) === undefined) throw noSuchGroup(groupId);
  await removeGroup(context, operator, groupId);
}
