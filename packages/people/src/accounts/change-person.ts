import { checkListRoom, checkMayAdminister, getActor } from '@parley/store/access';
import { badRequest, insufficientPermission, withoutCode } from '@parley/api';
import type { Caller, Role } from '@parley/api';
import type { EventPart } from '@parley/event-log';
import type { Client } from '@parley/database';
import {
  findUserById,
  isBotNameFree,
  listHumanAdministratorIds,
  lockAdministratorsInUse,
  lockUsersForActivityChange,
  lockUsersForOwnChange,
  readBotDetails,
  setAccountStates,
  clearDefaultStreamsUnknownToOwner,
  updateUser,
} from '@parley/store';
import type { User } from '@parley/store';

import { limitBotRoles } from '../bots/limit-bot-roles.ts';
import { botUpdated, botViewers } from '../bots/bot-events.ts';
import type { PeopleContext } from '../people-context.ts';
import { changeProfile } from '../profile-fields/change-values.ts';
import type { ProfileChange } from '../profile-fields/change-values.ts';
import { accountEffect, entryForEveryone, personUpdated, roleEvents } from './account-events.ts';
import type { AccountsChange } from './account-events.ts';
import { isLastAdministrator } from './deactivate-account.ts';
import { checkFullName } from './full-name.ts';

/** The changes that PATCH users/{user_id} requests; absent members stay unchanged. */
export type PersonUpdate = {
  readonly fullName: string | undefined;
  readonly isAdmin: boolean | undefined;
  readonly isGuest: boolean | undefined;
  readonly profile: ProfileChange | undefined;
};

/**
 * Changes name, role and profile of a person or bot, with events for everybody (reference facts, people 7.4). Bots never have more rights
 * than their owner (decision 0034).
 *
 * @throws ApiError with the first refusal of the reference facts, people 7.4; then nothing has changed
 */
export async function changePerson(
  context: PeopleContext,
  caller: Caller,
  userId: number,
  change: PersonUpdate,
): Promise<void> {
  const wantsRole = change.isAdmin !== undefined || change.isGuest !== undefined;
  await context.eventLog.transaction(async (client) => {
    const found = await findUserById(client, userId);
    const isNameFree =
      found === undefined ||
      found.botType === null ||
      change.fullName === undefined ||
      (await isBotNameFree(client, change.fullName.trim(), found.id));
    if (!wantsRole) await lockAdministratorsInUse(client);
    const people = wantsRole
      ? await lockUsersForActivityChange(client, userId, [caller.userId])
      : await lockUsersForOwnChange(client, [userId, caller.userId]);
    const actor = getActor(people, caller);
    const user = people.find((person) => person.id === userId);
    if (user === undefined || user.isSystem) throw badRequest('No such user');
    checkMayAdminister(actor, user);
    const role = checkRole(people, actor, user, change);
    const changed =
      role === user.role ? undefined : await changeRole(context, client, people, user, role);
    const events: EventPart[] = [...(changed?.events ?? [])];
    if (isNewName(user, change.fullName)) {
      const fullName = checkFullName(change.fullName ?? '');
      if (!isNameFree) throw badRequest('Name is already in use!');
      events.push(...(await rename(context, client, actor, user, fullName)));
    }
    if (change.profile !== undefined)
      events.push(...(await changeProfile(context, client, actor, user, change.profile)));
    if (events.length === 0) return { result: undefined };
    return {
      result: undefined,
      append: {
        entries: [entryForEveryone(events, changed?.effects)],
        ...(changed !== undefined && {
          changeId: changed.changeId,
          accountUserIds: changed.userIds,
        }),
      },
    };
  });
}

/** @returns whether a name is given, not blank, and differs */
export function isNewName(user: User, fullName: string | undefined): boolean {
  return fullName !== undefined && fullName.trim() !== '' && fullName.trim() !== user.fullName;
}

/**
 * @param people the active human administrators among them, locked
 * @returns the new role of the account
 */
function checkRole(people: readonly User[], actor: User, user: User, change: PersonUpdate): Role {
  const isAdmin = change.isAdmin ?? user.role === 'administrator';
  const isGuest = change.isGuest ?? user.role === 'guest';
  if (isAdmin && isGuest) throw withoutCode('Guests cannot be organization administrators');
  const role = isAdmin ? 'administrator' : isGuest ? 'guest' : 'member';
  if (role === user.role) return role;
  // An owner may change the name of a bot but not its permissions.
  if (actor.role !== 'administrator') throw insufficientPermission();
  if (isLastAdministrator(people, user))
    throw withoutCode('Cannot remove the only organization administrator');
  return role;
}

/** Changes the role of an account, which is locked with its bots, and adapts the bots (decision 0034). */
export async function changeRole(
  context: PeopleContext,
  client: Client,
  people: readonly User[],
  user: User,
  role: Role,
): Promise<AccountsChange & { readonly changeId: number }> {
  const changeId = await context.eventLog.drawChangeId(client);
  const changed = { ...user, role };
  await setAccountStates(client, [changed], changeId);
  const clearedStreamEvents = await clearDefaultStreamsUnknownToOwner(client, { ownerId: user.id });
  const bots = people.filter(({ botOwnerId }) => botOwnerId === user.id);
  const bound = await limitBotRoles(context, client, bots, role, changeId);
  return {
    changeId,
    events: [...roleEvents(user, role), ...clearedStreamEvents, ...bound.events],
    effects: [accountEffect(changed), ...bound.effects],
    userIds: [user.id, ...bound.userIds],
  };
}

/**
 * Gives a person or bot a checked name; administrators and the account are locked by the caller.
 *
 * @param actor undefined for a program that keeps accounts
 * @returns the events, for a bot also the event for those who manage it
 */
export async function rename(
  context: PeopleContext,
  client: Client,
  actor: User | undefined,
  account: User,
  fullName: string,
): Promise<EventPart[]> {
  const user = await updateUser(client, account.id, { fullName });
  await checkListRoom(client, context.lists, actor, {
    texts: { accounts: { before: [account.fullName], after: [fullName] } },
  });
  const events = [personUpdated(user, { email: user.email, full_name: fullName })];
  if (user.botType === null) return events;
  const [bot] = await readBotDetails(client, context.keySecrets, [user]);
  if (bot === undefined) throw new Error('a bot has no details');
  const viewers = botViewers(bot, await listHumanAdministratorIds(client));
  return [...events, botUpdated(bot, viewers, { full_name: fullName })];
}
