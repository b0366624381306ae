import { checkMayAdminister, getActor } from '@parley/access';
import { badRequest, cannotDeactivateLastUser, withoutCode } from '@parley/contracts';
import type { Caller, EventPart } from '@parley/contracts';
import type { Client } from '@parley/database';
import {
  closeAccountMemberships,
  deleteEventQueuesOf,
  findOccupiedStreams,
  listActiveUserIds,
  listHumanAdministratorIds,
  lockStreams,
  lockUsersForActivityChange,
  occupancyEvents,
  readBotDetails,
  setUsersActive,
  subscribedStreamIds,
} from '@parley/store';
import type { User } from '@parley/store';

import { botRemoved, botViewers } from '../bots/bot-events.ts';
import type { PresenceContext } from '../context.ts';
import {
  accountEffect,
  changeEntry,
  membershipEffects,
  peerEvents,
  personRemoved,
} from './account-events.ts';

/** Which call deactivates: they refuse differently (reference facts, people 7.5 and 8). */
export type DeactivationOf = 'person' | 'oneself' | 'bot';

/**
 * Deactivates an account and every active bot that it owns, ends their memberships and tells everybody (reference facts,
 * people 7.5; events 13.1). Their keys stop working and their queues end with the entry.
 *
 * @throws ApiError with the refusals of the reference facts, people 7.5 and 8; then nothing has changed
 */
export async function deactivateAccount(
  context: PresenceContext,
  caller: Caller,
  userId: number,
  of: DeactivationOf,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const people = await lockUsersForActivityChange(client, userId, caller.userId);
    const actor = getActor(people, caller);
    const user = checkTarget(people, userId, of);
    if (of === 'oneself') await checkNotLast(client, people, user);
    else {
      if (of === 'person' && !user.isActive) throw badRequest('User is deactivated');
      checkMayAdminister(actor, user);
      if (isLastAdministrator(people, user))
        throw withoutCode('Cannot deactivate the only organization administrator');
    }
    // A bot may have been deactivated before, which changes nothing.
    if (!user.isActive) return { result: undefined };
    return { result: undefined, append: await deactivate(context, client, people, user) };
  });
}

async function deactivate(
  context: PresenceContext,
  client: Client,
  people: readonly User[],
  user: User,
) {
  const bots = people.filter((person) => person.botOwnerId === user.id && person.isActive);
  const accounts = [user, ...bots];
  const userIds = accounts.map((account) => account.id);
  const streams = await lockStreams(client, {
    streamIds: await subscribedStreamIds(client, userIds),
  });
  const changeId = await context.eventLog.drawChangeId(client);
  await setUsersActive(client, userIds, false, changeId);
  const left = await closeAccountMemberships(client, userIds, changeId);
  const leftIds = new Set(left.map(({ streamId }) => streamId));
  const occupied = await findOccupiedStreams(client, [...leftIds]);
  const vacated = streams.filter(({ id }) => leftIds.has(id) && !occupied.has(id));
  await deleteEventQueuesOf(client, userIds);
  const effects = [
    ...membershipEffects('left', left),
    ...accounts.map((account) => accountEffect({ ...account, isActive: false })),
  ];
  // Of somebody whom they no longer know clients could not tell in which streams he was.
  const events = [
    ...peerEvents('peer_remove', left, streams),
    ...occupancyEvents('vacate', vacated),
    ...(await removeEvents(context, client, accounts)),
  ];
  const entries = [changeEntry(events, effects)];
  return { entries, changeId, accountUserIds: userIds };
}

function checkTarget(people: readonly User[], userId: number, of: DeactivationOf): User {
  const user = people.find((person) => person.id === userId);
  const isBot = user?.botType !== null;
  if (user === undefined || user.isSystem || isBot !== (of === 'bot'))
    throw badRequest(of === 'bot' ? 'No such bot' : 'No such user');
  return user;
}

function isHumanAdministrator(person: User): boolean {
  return (
    person.role === 'administrator' &&
    person.isActive &&
    person.botType === null &&
    !person.isSystem
  );
}

/**
 * @param people all active human administrators among them, locked
 * @returns whether nobody would be left to administer without this person
 */
export function isLastAdministrator(people: readonly User[], user: User): boolean {
  return (
    isHumanAdministrator(user) &&
    !people.some((person) => person.id !== user.id && isHumanAdministrator(person))
  );
}

/** @throws ApiError `CANNOT_DEACTIVATE_LAST_USER` */
async function checkNotLast(client: Client, people: readonly User[], user: User): Promise<void> {
  const active = await listActiveUserIds(client, 2);
  if (active.length < 2) throw cannotDeactivateLastUser(false);
  if (isLastAdministrator(people, user)) throw cannotDeactivateLastUser(true);
}

async function removeEvents(
  context: PresenceContext,
  client: Client,
  accounts: readonly User[],
): Promise<EventPart[]> {
  const administratorIds = await listHumanAdministratorIds(client);
  const details = await readBotDetails(
    client,
    context.keySecrets,
    accounts.filter(({ botType }) => botType !== null),
  );
  const byId = new Map(details.map((bot) => [bot.bot.id, bot]));
  return accounts.flatMap((account) => {
    const bot = byId.get(account.id);
    if (bot === undefined) return [personRemoved(account)];
    return [personRemoved(account), botRemoved(bot, botViewers(bot, administratorIds))];
  });
}
