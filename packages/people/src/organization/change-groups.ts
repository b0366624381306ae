import {
  checkListRoom,
  checkMayEditGroup,
  checkMayEditGroups,
  lockCaller,
} from '@parley/store/access';
import { badRequest, checkLength, limits, withoutCode } from '@parley/api';
import type { ApiError, Caller } from '@parley/api';
import type { ApiEvent } from '@parley/api/events';
import { isUniqueViolation } from '@parley/database';
import type { Client } from '@parley/database';
import { userGroupJson } from '@parley/store/objects';
import {
  addGroupMembers,
  deleteUserGroup,
  findUsersByIds,
  getRealm,
  insertUserGroup,
  lockGroupCounts,
  lockRealmInUse,
  lockUserGroup,
  removeGroupMembers,
  updateUserGroup,
} from '@parley/store';
import { setGroupExternalId } from '@parley/store/scim';
import type { GroupCounts, User, UserGroup } from '@parley/store';

import { entryForEveryone, toEveryone } from '../accounts/account-events.ts';
import type { PeopleContext } from '../people-context.ts';

/** Changes of user groups, with events for everybody (reference facts, people 11.2, streams 9 and 11.4). */

/** @throws ApiError if the organization does not let the caller edit groups; each change checks this again */
export async function checkMayEditGroupsEarly(
  context: PeopleContext,
  caller: Caller,
): Promise<void> {
  checkMayEditGroups({ ...caller, id: caller.userId }, (await getRealm(context.pool)).settings);
}

type Changed<Result> = { readonly events: readonly ApiEvent[]; readonly result: Result };

async function change<Result>(
  context: PeopleContext,
  caller: Caller,
  work: (client: Client, actor: User) => Promise<Changed<Result>>,
): Promise<Result> {
  return context.eventLog.transaction(async (client) => {
    const { settings } = await lockRealmInUse(client);
    const actor = await lockCaller(client, caller);
    checkMayEditGroups(actor, settings);
    const { events, result } = await work(client, actor);
    if (events.length === 0) return { result };
    return { result, append: { entries: [entryForEveryone(events.map(toEveryone))] } };
  });
}

/** @throws ApiError when there is no such group, or it is not for the actor to change */
async function getGroup(client: Client, actor: User, groupId: number): Promise<UserGroup> {
  const group = await lockUserGroup(client, groupId);
  if (group === undefined) throw badRequest('Invalid user group');
  checkMayEditGroup(actor, group);
  return group;
}

export function groupNameTaken(name: string): ApiError {
  return badRequest(`User group '${name}' already exists.`);
}

/** @throws ApiError for a text that is too long to store */
function checkTexts({
  name = '',
  description = '',
}: {
  name?: string;
  description?: string;
}): void {
  checkLength('name', name, limits.groupNameMaxCodePoints);
  checkLength('description', description, limits.groupDescriptionMaxCodePoints);
}

/** The largest possible id. */
const idMax = 2_147_483_647;

/**
 * @returns each id once
 * @throws ApiError naming the first unknown id
 */
async function checkUsers(client: Client, userIds: readonly number[]): Promise<number[]> {
  const ids = [...new Set(userIds)];
  const possible = ids.filter((id) => id > 0 && id <= idMax);
  const users = await findUsersByIds(client, possible);
  const known = new Set(users.filter(({ isSystem }) => !isSystem).map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw badRequest(`Invalid user ID: ${unknown}`);
  return ids;
}

/** @throws ApiError if there would be more groups, or more members in total, than register should send to everybody */
function checkCounts({ groups, members }: GroupCounts): void {
  const { userGroupsMax, userGroupMembersMax } = limits;
  if (groups > userGroupsMax)
    throw badRequest(`There may be at most ${userGroupsMax} user groups.`);
  if (members > userGroupMembersMax)
    throw badRequest(`User groups may have at most ${userGroupMembersMax} members together.`);
}

/**
 * @returns the id of the new group
 * @throws ApiError naming an unknown person, that the name is taken, or that there are too many groups
 */
export async function createGroup(
  context: PeopleContext,
  caller: Caller,
  given: {
    readonly name: string;
    readonly description: string;
    readonly members: readonly number[];
    /** What a program that keeps groups by SCIM calls it. */
    readonly externalId?: string;
  },
): Promise<number> {
  const { name, description, members, externalId } = given;
  checkTexts({ name, description });
  return change(context, caller, async (client, actor) => {
    const counts = await lockGroupCounts(client);
    const ids = await checkUsers(client, members);
    checkCounts({ groups: counts.groups + 1, members: counts.members + ids.length });
    const memberIds = ids.toSorted((a, b) => a - b);
    const group = await insertUserGroup(client, { name, description, memberIds });
    if (group === undefined) throw groupNameTaken(name);
    await checkListRoom(client, context.lists, actor, {
      texts: { userGroups: { before: [], after: [name, description] } },
    });
    if (externalId !== undefined) await setGroupExternalId(client, group.id, externalId);
    return {
      events: [{ type: 'user_group', op: 'add', group: userGroupJson(group) }],
      result: group.id,
    };
  });
}

/**
 * Changes the name or description of a group; empty ones are ignored (reference facts, streams 9).
 *
 * @throws ApiError if nothing is given, the caller may not change the group, or the name is taken
 */
export async function changeGroup(
  context: PeopleContext,
  caller: Caller,
  groupId: number,
  given: { readonly name: string; readonly description: string },
): Promise<void> {
  const { name, description } = given;
  if (name === '' && description === '') throw withoutCode('No new data supplied');
  checkTexts({ name, description });
  try {
    await change(context, caller, async (client, actor) => {
      const group = await getGroup(client, actor, groupId);
      const events = await setTexts(context, client, actor, group, { name, description });
      return { events, result: undefined };
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw groupNameTaken(name);
    throw error;
  }
}

/** @throws ApiError when the group is not for the caller to change */
export async function removeGroup(
  context: PeopleContext,
  caller: Caller,
  groupId: number,
): Promise<void> {
  await change(context, caller, async (client, actor) => {
    const group = await getGroup(client, actor, groupId);
    await deleteUserGroup(client, group.id);
    return {
      events: [{ type: 'user_group', op: 'remove', group_id: group.id }],
      result: undefined,
    };
  });
}

/**
 * Adds people to a group, then removes some.
 *
 * @throws ApiError naming a person who is unknown, already a member, or not a member; then nothing has changed
 */
export async function changeGroupMembers(
  context: PeopleContext,
  caller: Caller,
  groupId: number,
  wanted: { readonly add: readonly number[]; readonly remove: readonly number[] },
): Promise<void> {
  if (wanted.add.length === 0 && wanted.remove.length === 0)
    throw withoutCode('Nothing to do. Specify at least one of "add" or "delete".');
  await change(context, caller, async (client, actor) => {
    const counts = await lockGroupCounts(client);
    const group = await getGroup(client, actor, groupId);
    const members = new Set(group.memberIds);
    const added = await checkUsers(client, wanted.add);
    if (added.length > 0)
      checkCounts({ groups: counts.groups, members: counts.members + added.length });
    const twice = added.find((id) => members.has(id));
    if (twice !== undefined) throw badRequest(`User ${twice} is already a member of this group`);
    for (const id of added) members.add(id);
    const removed = await checkUsers(client, wanted.remove);
    const missing = removed.find((id) => !members.has(id));
    if (missing !== undefined)
      throw badRequest(`There is no member '${missing}' in this user group`);
    return { events: await setMembers(client, group, { added, removed }), result: undefined };
  });
}

/** What becomes of a group; absent members stay as they are. */
export type GroupEdit = {
  readonly name?: string | undefined;
  readonly externalId?: string | null | undefined;
  /** People who are not members yet, ... */
  readonly added: readonly number[];
  /** ... and members who go. */
  readonly removed: readonly number[];
};

/**
 * Changes name and members of a group in one transaction.
 *
 * @param edit is called with the locked group
 * @throws ApiError and errors of `edit`; then nothing has changed
 */
export async function editGroup(
  context: PeopleContext,
  caller: Caller,
  groupId: number,
  edit: (client: Client, group: UserGroup) => Promise<GroupEdit>,
): Promise<void> {
  let name = '';
  try {
    await change(context, caller, async (client, actor) => {
      const counts = await lockGroupCounts(client);
      const group = await getGroup(client, actor, groupId);
      const wanted = await edit(client, group);
      ({ name = '' } = wanted);
      const { added, externalId } = wanted;
      checkTexts({ name });
      await checkUsers(client, added);
      if (added.length > 0)
        checkCounts({ groups: counts.groups, members: counts.members + added.length });
      if (externalId !== undefined) await setGroupExternalId(client, group.id, externalId);
      const texts = await setTexts(context, client, actor, group, { name, description: '' });
      const members = await setMembers(client, group, wanted);
      return { events: [...texts, ...members], result: undefined };
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw groupNameTaken(name);
    throw error;
  }
}

/** Changes the texts of a locked group; empty ones are ignored. */
async function setTexts(
  context: PeopleContext,
  client: Client,
  actor: User,
  group: UserGroup,
  { name, description }: { readonly name: string; readonly description: string },
): Promise<ApiEvent[]> {
  const changes = [
    ...(name !== '' && name !== group.name ? [{ name }] : []),
    ...(description !== '' && description !== group.description ? [{ description }] : []),
  ];
  for (const one of changes) await updateUserGroup(client, group.id, one);
  await checkListRoom(client, context.lists, actor, {
    texts: {
      userGroups: {
        before: [group.name, group.description],
        after: [name || group.name, description || group.description],
      },
    },
  });
  return changes.map((data) => ({ type: 'user_group', op: 'update', group_id: group.id, data }));
}

/** Adds checked people to a locked group, and removes members. */
async function setMembers(
  client: Client,
  group: UserGroup,
  { added, removed }: Pick<GroupEdit, 'added' | 'removed'>,
): Promise<ApiEvent[]> {
  if (added.length > 0) await addGroupMembers(client, group.id, added);
  if (removed.length > 0) await removeGroupMembers(client, group.id, removed);
  const event = (op: 'add_members' | 'remove_members', userIds: readonly number[]): ApiEvent[] =>
    userIds.length === 0 ? [] : [{ type: 'user_group', op, group_id: group.id, user_ids: userIds }];
  return [...event('add_members', added), ...event('remove_members', removed)];
}
