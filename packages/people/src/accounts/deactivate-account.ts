import { checkMayAdminister, getActor } from '@parley/store/access';
import { badRequest, cannotDeactivateLastUser, withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import type { Client } from '@parley/database';
import type { Append } from '@parley/event-log';
import { listActiveUserIds, lockUsersForActivityChange } from '@parley/store';
import type { User } from '@parley/store';

import type { PeopleContext } from '../people-context.ts';
import { entryForEveryone } from './account-events.ts';
import { endAccounts } from './end-accounts.ts';

/** The call that deactivates, because refusals differ (reference facts, people 7.5 and 8). */
export type DeactivationOf = 'person' | 'oneself' | 'bot';

/**
 * Deactivates an account and every active bot that it owns, ends their memberships, with events for everybody (reference facts,
 * people 7.5; events 13.1). Their keys stop working and their queues end with the entry.
 *
 * @throws ApiError with the refusals of the reference facts, people 7.5 and 8; then nothing has changed
 */
export async function deactivateAccount(
  context: PeopleContext,
  caller: Caller,
  userId: number,
  of: DeactivationOf,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const people = await lockUsersForActivityChange(client, userId, [caller.userId]);
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
    return { result: undefined, append: await endWithBots(context, client, people, user) };
  });
}

/**
 * Deactivates an active account and every active bot that it owns.
 *
 * @param people locked by `lockUsersForActivityChange`
 * @returns what the transaction appends
 */
export async function endWithBots(
  context: PeopleContext,
  client: Client,
  people: readonly User[],
  user: User,
): Promise<Append> {
  const bots = people.filter((person) => person.botOwnerId === user.id && person.isActive);
  const changeId = await context.eventLog.drawChangeId(client);
  const ended = await endAccounts(context, client, [user, ...bots], changeId);
  return {
    entries: [entryForEveryone(ended.events, ended.effects)],
    changeId,
    accountUserIds: ended.userIds,
  };
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
 * @returns whether no administrator would be left without this person
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
