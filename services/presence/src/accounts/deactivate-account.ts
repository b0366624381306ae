import { audienceKey, badRequest, insufficientPermission, withoutCode } from '@parley/contracts';
import type { Caller, ChangeEntry, EventPart, LogEffect } from '@parley/contracts';
import type { Client } from '@parley/database';
import {
  closeAccountMemberships,
  deleteEventQueuesOf,
  lockStreams,
  lockUsersForActivityChange,
  setUsersActive,
  subscribedStreamIds,
} from '@parley/store';
import type { Membership, User } from '@parley/store';

import type { PresenceContext } from '../context.ts';
import { botAudience } from './bot-audience.ts';

/**
 * Deactivates a person and every active bot of that person, ends their memberships and tells everybody (reference facts,
 * people 7.5; events 13.1). Their keys stop working and their queues end with the entry.
 *
 * @throws ApiError with the refusals of the reference facts, people 7.5; then nothing has changed
 */
export async function deactivateAccount(
  context: PresenceContext,
  caller: Caller,
  userId: number,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const people = await lockUsersForActivityChange(client, userId);
    const user = checkTarget(people, userId);
    checkPermission(people, caller);
    checkNotLastAdministrator(people, user);
    const bots = people.filter((person) => person.botOwnerId === user.id && person.isActive);
    const accounts = [user, ...bots];
    const userIds = accounts.map((account) => account.id);
    await lockStreams(client, { streamIds: await subscribedStreamIds(client, userIds) });
    const changeId = await context.eventLog.drawChangeId(client);
    await setUsersActive(client, userIds, false, changeId);
    const left = await closeAccountMemberships(client, userIds, changeId);
    await deleteEventQueuesOf(client, userIds);
    const entry: ChangeEntry = {
      v: 1,
      kind: 'change',
      effects: [...leftEffects(left), ...accounts.map(accountEffect)],
      events: await removeEvents(client, user, bots),
    };
    return {
      result: undefined,
      append: {
        entries: [{ entry, audience: audienceKey.everyone }],
        changeId,
        accountUserIds: userIds,
      },
    };
  });
}

function checkTarget(people: readonly User[], userId: number): User {
  const user = people.find((person) => person.id === userId);
  if (user === undefined || user.botType !== null || user.isSystem)
    throw badRequest('No such user');
  if (!user.isActive) throw badRequest('User is deactivated');
  return user;
}

/** Human administrators are among the locked rows as long as they are such; an administrator bot need not be. */
function checkPermission(people: readonly User[], caller: Caller): void {
  const actor = people.find((person) => person.id === caller.userId);
  const isAdministrator =
    actor === undefined
      ? caller.role === 'administrator' && caller.botType !== null
      : actor.role === 'administrator' && actor.isActive;
  if (!isAdministrator) throw insufficientPermission();
}

function checkNotLastAdministrator(people: readonly User[], user: User): void {
  const isHumanAdministrator = (person: User): boolean =>
    person.role === 'administrator' &&
    person.isActive &&
    person.botType === null &&
    !person.isSystem;
  if (!isHumanAdministrator(user)) return;
  const others = people.filter((person) => person.id !== user.id && isHumanAdministrator(person));
  if (others.length === 0)
    throw withoutCode('Cannot deactivate the only organization administrator');
}

function leftEffects(left: readonly Membership[]): LogEffect[] {
  const byStream = new Map<number, number[]>();
  for (const { userId, streamId } of left) {
    const known = byStream.get(streamId);
    if (known === undefined) byStream.set(streamId, [userId]);
    else known.push(userId);
  }
  return [...byStream].map(([streamId, userIds]) => ({ effect: 'left', streamId, userIds }));
}

function accountEffect(account: User): LogEffect {
  return { effect: 'account', userId: account.id, role: account.role, isActive: false };
}

async function removeEvents(
  client: Client,
  user: User,
  bots: readonly User[],
): Promise<EventPart[]> {
  const parts: EventPart[] = [removePersonEvent(user)];
  for (const bot of bots) {
    parts.push(removePersonEvent(bot), {
      form: 'same',
      audience: await botAudience(client, bot),
      event: { type: 'realm_bot', op: 'remove', bot: personOf(bot) },
    });
  }
  return parts;
}

function personOf(user: User): { email: string; user_id: number; full_name: string } {
  return { email: user.email, user_id: user.id, full_name: user.fullName };
}

function removePersonEvent(user: User): EventPart {
  return {
    form: 'same',
    audience: { to: 'everyone' },
    event: { type: 'realm_user', op: 'remove', person: personOf(user) },
  };
}
