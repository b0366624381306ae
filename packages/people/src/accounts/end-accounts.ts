import type { EventPart } from '@parley/event-log';
import type { Client } from '@parley/database';
import { occupancyEvents } from '@parley/store/objects';
import {
  closeAccountMemberships,
  deleteEventQueuesOf,
  findOccupiedStreams,
  listHumanAdministratorIds,
  lockStreams,
  readBotDetails,
  setAccountStates,
  subscribedStreamIds,
} from '@parley/store';
import type { User } from '@parley/store';

import { botRemoved, botViewers } from '../bots/bot-events.ts';
import type { PeopleContext } from '../people-context.ts';
import { accountEffect, membershipEffects, peerEvents, personRemoved } from './account-events.ts';
import type { AccountsChange } from './account-events.ts';

/**
 * Deactivates accounts and ends their memberships (reference facts, people 7.5; events 13.1). Their keys stop working and their queues
 * end with the entry.
 *
 * @param accounts locked FOR UPDATE, with the roles that they keep
 */
export async function endAccounts(
  context: PeopleContext,
  client: Client,
  accounts: readonly User[],
  changeId: number,
): Promise<AccountsChange> {
  if (accounts.length === 0) return { events: [], effects: [], userIds: [] };
  const userIds = accounts.map(({ id }) => id);
  const ended = accounts.map((account) => ({ ...account, isActive: false }));
  const streams = await lockStreams(client, {
    streamIds: await subscribedStreamIds(client, userIds),
  });
  await setAccountStates(client, ended, changeId);
  const left = await closeAccountMemberships(client, userIds, changeId);
  const leftIds = new Set(left.map(({ streamId }) => streamId));
  const occupied = await findOccupiedStreams(client, [...leftIds]);
  const vacated = streams.filter(({ id }) => leftIds.has(id) && !occupied.has(id));
  await deleteEventQueuesOf(client, userIds);
  return {
    // Clients could not handle events about memberships of an account that they no longer know.
    events: [
      ...peerEvents('peer_remove', left, streams),
      ...occupancyEvents('vacate', vacated),
      ...(await removeEvents(context, client, accounts)),
    ],
    effects: [...membershipEffects('left', left), ...ended.map(accountEffect)],
    userIds,
  };
}

async function removeEvents(
  context: PeopleContext,
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
