import { withoutCode } from '@parley/api';
import type { EventPart } from '@parley/event-log';
import type { Client } from '@parley/database';
import {
  getUser,
  listHumanAdministratorIds,
  lockBotDetails,
  clearDefaultStreamsUnknownToOwner,
  updateUser,
} from '@parley/store';
import type { User } from '@parley/store';

import { personUpdated } from '../accounts/account-events.ts';
import type { AccountsChange } from '../accounts/account-events.ts';
import { replaceKeys } from '../accounts/replace-keys.ts';
import type { PeopleContext } from '../people-context.ts';
import { limitBotRoles } from './limit-bot-roles.ts';
import { botAdded, botWithdrawn, botUpdated, botViewers } from './bot-events.ts';
import { checkActiveBotCount } from './bot-rules.ts';

/** A bot that somebody gives away. */
export type BotTransfer = {
  readonly bot: User;
  readonly actor: User;
  readonly ownerId: number;
  /** Accounts that are locked as for a change of activity, bot and new owner among them. */
  readonly people: readonly User[];
};

/** @throws ApiError with the refusals of the reference facts, people 8 */
function checkOwner({ people, ownerId }: BotTransfer): User {
  const owner = people.find((person) => person.id === ownerId);
  if (owner === undefined || owner.isSystem)
    throw withoutCode('Failed to change owner, no such user');
  if (!owner.isActive) throw withoutCode('Failed to change owner, user is deactivated');
  if (owner.botType !== null)
    throw withoutCode("Failed to change owner, bots can't own other bots");
  if (owner.role === 'guest') throw withoutCode("Failed to change owner, guests can't own bots");
  return owner;
}

/**
 * Gives a bot to another owner. From then on the bot has that owner's rights (decision 0034): a bot with a higher role gets the
 * owner's role, and a caller who is no administrator does not keep the bot's key.
 *
 * @returns what changed; undefined if the bot belonged to that owner already
 * @throws ApiError with the refusals of the reference facts, people 8
 */
export async function transferBot(
  context: PeopleContext,
  client: Client,
  transfer: BotTransfer,
): Promise<(AccountsChange & { readonly changeId: number }) | undefined> {
  const { bot, actor } = transfer;
  const owner = checkOwner(transfer);
  if (owner.id === bot.botOwnerId) return undefined;
  if (bot.isActive) await checkActiveBotCount(context, client, owner.id);
  const changeId = await context.eventLog.drawChangeId(client);
  await updateUser(client, bot.id, { botOwnerId: owner.id });
  const clearedStreamEvents = await clearDefaultStreamsUnknownToOwner(client, { botId: bot.id });
  const given = await getUser(client, bot.id);
  const bound = await limitBotRoles(context, client, [given], owner.role, changeId);
  const { events, effects } =
    actor.role === 'administrator' || bound.userIds.length > 0
      ? bound
      : await replaceKeys(context, client, [given]);
  return {
    changeId,
    events: [
      ...(await ownerEvents(context, client, given, bot.botOwnerId)),
      ...clearedStreamEvents,
      personUpdated(bot, { bot_owner_id: owner.id }),
      ...events,
    ],
    effects,
    // The owner is part of what a gateway knows of a caller.
    userIds: [bot.id],
  };
}

/** Administrators know of every bot and get the change; others lose or gain the bot (reference facts, events 13.2). */
async function ownerEvents(
  context: PeopleContext,
  client: Client,
  given: User,
  formerOwnerId: number | null,
): Promise<EventPart[]> {
  const { botOwnerId: ownerId } = given;
  const [details] = await lockBotDetails(client, context.keySecrets, [given]);
  if (details === undefined || ownerId === null) throw new Error('a bot has no owner or details');
  const administratorIds = await listHumanAdministratorIds(client);
  const isAdministrator = (userId: number): boolean => administratorIds.includes(userId);
  const others = botViewers(details, administratorIds).filter(isAdministrator);
  return [
    ...(formerOwnerId === null || isAdministrator(formerOwnerId)
      ? []
      : [botWithdrawn(details, [formerOwnerId])]),
    ...(isAdministrator(ownerId) ? [] : [botAdded(context.keySecrets, details, [ownerId])]),
    ...(others.length === 0 ? [] : [botUpdated(details, others, { owner_id: ownerId })]),
  ];
}
