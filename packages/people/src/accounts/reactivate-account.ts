import { capRole, checkMayAdminister, checkMayCreateBot, getActor } from '@parley/store/access';
import { badRequest, withoutCode } from '@parley/api';
import type { Caller, Role } from '@parley/api';
import type { Append, EventPart } from '@parley/event-log';
import type { Client } from '@parley/database';
import { occupancyEvents } from '@parley/store/objects';
import {
  findOccupiedStreams,
  findUserById,
  findUserStatus,
  getUser,
  isBotNameFree,
  listHumanAdministratorIds,
  listProfiles,
  lockBotDetails,
  lockRealmInUse,
  lockStreams,
  lockUsersForActivityChange,
  openAccountMemberships,
  setAccountStates,
  setApiKey,
  subscribedStreamIds,
} from '@parley/store';
import type { RealmSettings } from '@parley/api/organization';
import type { User } from '@parley/store';

import { botAdded, botViewers } from '../bots/bot-events.ts';
import { checkActiveBotCount } from '../bots/bot-rules.ts';
import type { PeopleContext } from '../people-context.ts';
import {
  accountEffect,
  entryForEveryone,
  membershipEffects,
  peerEvents,
  personAdded,
  toEveryone,
} from './account-events.ts';

/**
 * Reactivates a person or a bot, with the stored memberships; a person's bots stay unchanged (reference facts, people 7.5). Password and
 * key stay the same, except for a bot whose owner now has fewer rights.
 *
 * @throws ApiError with the refusals of the reference facts, people 7.5; for a bot also those of its creation
 */
export async function reactivateAccount(
  context: PeopleContext,
  caller: Caller,
  userId: number,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const realm = await lockRealmInUse(client);
    const found = await findUserById(client, userId);
    // Bots may have taken the names of inactive accounts since.
    const isNameFree =
      found === undefined ||
      found.botType === null ||
      (await isBotNameFree(client, found.fullName, found.id));
    const people = await lockUsersForActivityChange(client, userId, [caller.userId]);
    const actor = getActor(people, caller);
    const user = people.find((person) => person.id === userId);
    if (user === undefined || user.isSystem) throw badRequest('No such user');
    checkMayAdminister(actor, user);
    if (user.botType !== null) checkMayCreateBot(actor, realm.settings, user.botType);
    if (user.isActive) return { result: undefined };
    if (!isNameFree) throw badRequest('Name is already in use!');
    const role =
      user.botOwnerId === null ? user.role : await checkBot(context, client, user, user.botOwnerId);
    return {
      result: undefined,
      append: await restore(context, client, realm.settings, user, role),
    };
  });
}

/**
 * Reactivates an account that the transaction has locked for a change of activity.
 *
 * @param role the role that it has from now on
 * @returns what the transaction appends
 */
export async function restore(
  context: PeopleContext,
  client: Client,
  settings: RealmSettings,
  user: User,
  role: Role,
): Promise<Append> {
  const streams = await lockStreams(client, {
    streamIds: await subscribedStreamIds(client, [user.id]),
  });
  const changeId = await context.eventLog.drawChangeId(client);
  const active = { ...user, role, isActive: true };
  await setAccountStates(client, [active], changeId);
  if (role !== user.role) await setApiKey(client, context.keySecrets, user.id);
  const streamIds = streams.map(({ id }) => id);
  const occupiedBefore = await findOccupiedStreams(client, streamIds);
  const joined = await openAccountMemberships(client, user.id, changeId);
  const joinedIds = new Set(joined.map(({ streamId }) => streamId));
  const occupied = streams.filter(({ id }) => joinedIds.has(id) && !occupiedBefore.has(id));
  const effects = [accountEffect(active), ...membershipEffects('joined', joined)];
  const events = [
    ...(await addEvents(context, client, active, settings)),
    ...occupancyEvents('occupy', occupied),
    ...peerEvents('peer_add', joined, streams),
    ...(await statusEvents(client, user.id)),
  ];
  return { entries: [entryForEveryone(events, effects)], changeId, accountUserIds: [user.id] };
}

/**
 * A reactivated bot has no more rights than its owner now (decision 0034).
 *
 * @returns its role
 * @throws ApiError for the bot of a guest, and of an owner with the maximum of active bots
 */
async function checkBot(
  context: PeopleContext,
  client: Client,
  { role }: User,
  ownerId: number,
): Promise<Role> {
  const owner = await getUser(client, ownerId);
  if (owner.role === 'guest') throw withoutCode("Failed to reactivate, guests can't own bots");
  await checkActiveBotCount(context, client, ownerId);
  return capRole(role, owner.role);
}

async function addEvents(
  context: PeopleContext,
  client: Client,
  user: User,
  settings: RealmSettings,
): Promise<EventPart[]> {
  const profiles = await listProfiles(client, [user.id]);
  const added = personAdded(user, settings, profiles.get(user.id));
  if (user.botType === null) return added;
  const [bot] = await lockBotDetails(client, context.keySecrets, [user]);
  if (bot === undefined) throw new Error('a bot has no details');
  const viewers = botViewers(bot, await listHumanAdministratorIds(client));
  return [...added, botAdded(context.keySecrets, bot, viewers)];
}

/** The status of a person is shown only while the account is active, so it needs an event again. */
async function statusEvents(client: Client, userId: number): Promise<EventPart[]> {
  const status = await findUserStatus(client, userId);
  return status === undefined
    ? []
    : [toEveryone({ type: 'user_status', user_id: userId, ...status })];
}
