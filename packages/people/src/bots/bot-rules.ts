import { checkMayAdminister, findReadableStream } from '@parley/store/access';
import {
  badRequest,
  botTypes,
  limits,
  serviceInterfaces,
  tooManyBots,
  valueTooLong,
  withoutCode,
} from '@parley/api';
import { webhookIntegrations } from '@parley/api/webhooks';
import type { Client } from '@parley/database';
import { countActiveBots, isStreamKnownToOwner, lockStreamInUse } from '@parley/store';
import type { Stream, User } from '@parley/store';

import { isEmailShaped } from '../accounts/email-rules.ts';
import type { PeopleContext } from '../people-context.ts';

/** The rules for bots (reference facts, people 8). */

/**
 * @returns the part of a bot's address before `-bot`
 * @throws ApiError `Bad name or username`
 */
export function checkShortName(given: string): string {
  const shortName = given.trim();
  if (shortName === '') throw badRequest('Bad name or username');
  return shortName;
}

/**
 * @returns the address of a bot
 * @throws ApiError `Bad name or username`, without code
 */
export function checkBotEmail(shortName: string, domain: string): string {
  const email = `${shortName}-bot@${domain}`;
  if (!isEmailShaped(email)) throw withoutCode('Bad name or username');
  return email;
}

/** @throws ApiError that embedded bots are not enabled, because this server runs none */
export function checkNotEmbedded(botType: number): void {
  if (botType === botTypes.embedded) throw withoutCode('Embedded bots are not enabled.');
}

/** @throws ApiError `Invalid bot type` */
export function checkBotType(botType: number): void {
  if (!Object.values<number>(botTypes).includes(botType)) throw badRequest('Invalid bot type');
}

/** @throws ApiError `Invalid interface type` */
export function checkInterface(interfaceType: number): void {
  if (!Object.values<number>(serviceInterfaces).includes(interfaceType))
    throw badRequest('Invalid interface type');
}

/** @throws ApiError `Invalid integration '...'.` for an incoming-webhook bot of an integration that does not exist */
export function checkIntegration(botType: number, serviceName: string): void {
  if (botType !== botTypes.incomingWebhook || serviceName === '') return;
  if (!webhookIntegrations.includes(serviceName))
    throw badRequest(`Invalid integration '${serviceName}'.`);
}

/**
 * @returns the bot of this id among locked accounts
 * @throws ApiError `No such bot` or `Insufficient permission`
 */
export function checkBot(people: readonly User[], actor: User, botId: number): User {
  const bot = people.find((person) => person.id === botId);
  if (bot === undefined || bot.botType === null || bot.isSystem) throw badRequest('No such bot');
  checkMayAdminister(actor, bot);
  return bot;
}

/**
 * Requires the locks of `countActiveBots`.
 *
 * @throws ApiError when an owner would have more active bots than the setting allows
 */
export async function checkActiveBotCount(
  { botsPerOwnerMax }: Pick<PeopleContext, 'botsPerOwnerMax'>,
  client: Client,
  ownerId: number,
): Promise<void> {
  if ((await countActiveBots(client, ownerId)) >= botsPerOwnerMax)
    throw tooManyBots(botsPerOwnerMax);
}

/** @throws ApiError coded if the configuration is larger than answers and memory should hold */
export function checkConfigSize(config: Readonly<Record<string, string>>): void {
  const max = limits.smallJsonMaxLength;
  if (JSON.stringify(config).length > max) throw valueTooLong('config_data', max);
}

/**
 * Finds a default stream for a bot, and locks it until the transaction ends. The caller must be able to read it, and the bot's owner, who
 * sees it, must know of it.
 *
 * @param name undefined keeps the stream, an empty name removes it
 * @throws ApiError `Invalid stream name '...'`
 */
export async function checkDefaultStream(
  client: Client,
  actor: User,
  ownerId: number | null,
  name: string | undefined,
): Promise<Stream | null | undefined> {
  if (name === undefined) return undefined;
  if (name === '') return null;
  const reader = { userId: actor.id, role: actor.role };
  const found = await findReadableStream(client, reader, { name: name.trim() });
  if (found !== undefined) await lockStreamInUse(client, found.id);
  const stream = found && (await findReadableStream(client, reader, { streamId: found.id }));
  const mayUse =
    stream !== undefined &&
    (ownerId === null || (await isStreamKnownToOwner(client, ownerId, stream.id)));
  if (!mayUse) throw badRequest(`Invalid stream name '${name}'`);
  return stream;
}
