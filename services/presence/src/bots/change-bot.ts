import { checkMayAdminister, getActor } from '@parley/access';
import { badRequest, botTypes, serviceInterfaces, withoutCode } from '@parley/contracts';
import type { Caller, EventPart } from '@parley/contracts';
import type { Client } from '@parley/database';
import type { FormFile } from '@parley/http';
import {
  generateApiKey,
  botServicesJson,
  isBotNameFree,
  lockAdministratorsInUse,
  lockUsersForOwnChange,
  lockBotDetails,
  setBotService,
  takeUnknownDefaultStreams,
  updateUser,
} from '@parley/store';
import type { BotDetails, BotService, User } from '@parley/store';

import { changeEntry, personUpdated } from '../accounts/account-events.ts';
import { checkFullName } from '../accounts/full-name.ts';
import { replaceAvatar } from '../avatars/avatar-files.ts';
import type { NamedAvatar } from '../avatars/avatar-files.ts';
import { setAvatar } from '../avatars/change-avatar.ts';
import type { PresenceContext } from '../context.ts';
import { botAdded, botSecretUpdated, botTakenAway, botUpdated, botViewers } from './bot-events.ts';
import { checkConfigSize, checkDefaultStream, checkInterface } from './bot-rules.ts';

/** What PATCH bots/{bot_id} asks for; what is absent stays. */
export type BotChange = {
  readonly fullName: string | undefined;
  readonly ownerId: number | undefined;
  readonly config: Readonly<Record<string, string>> | undefined;
  readonly payloadUrl: string | undefined;
  readonly interfaceType: number;
  readonly defaultSendingStream: string | undefined;
  readonly defaultEventsRegisterStream: string | undefined;
  readonly defaultAllPublicStreams: boolean | undefined;
  readonly avatar: FormFile | undefined;
};

/** A change in work: the bot as it is by now, and the events so far. */
type Work = {
  readonly context: PresenceContext;
  readonly client: Client;
  readonly actor: User;
  readonly people: readonly User[];
  readonly administratorIds: readonly number[];
  readonly events: EventPart[];
};

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
 * Changes a bot, and tells of each thing those who hear of it (reference facts, people 8; events 13.2).
 *
 * @returns the bot as it is now
 * @throws ApiError with the first refusal of the reference facts, people 8; then nothing has changed
 */
export async function changeBot(
  context: PresenceContext,
  caller: Caller,
  botId: number,
  change: BotChange,
): Promise<BotDetails> {
  if (change.avatar === undefined)
    return (await apply(context, caller, botId, change, undefined)).result;
  return replaceAvatar(context, change.avatar, (fileKey) =>
    apply(context, caller, botId, change, fileKey),
  );
}

async function apply(
  context: PresenceContext,
  caller: Caller,
  botId: number,
  change: BotChange,
  avatarFile: string | undefined,
): Promise<NamedAvatar<BotDetails>> {
  return context.eventLog.transaction(async (client) => {
    const isNameFree =
      change.fullName === undefined || (await isBotNameFree(client, change.fullName.trim(), botId));
    const administratorIds = await lockAdministratorsInUse(client);
    const people = await lockUsersForOwnChange(client, [
      botId,
      caller.userId,
      ...(change.ownerId === undefined ? [] : [change.ownerId]),
    ]);
    const actor = getActor(people, caller);
    const bot = checkBot(people, actor, botId);
    const events: EventPart[] = [];
    const work: Work = { context, client, actor, people, administratorIds, events };
    if (change.fullName !== undefined) await rename(work, bot, change.fullName, isNameFree);
    if (change.ownerId !== undefined) await changeOwner(work, bot, change.ownerId);
    // With another owner it may have lost some.
    const owned = change.ownerId === undefined ? bot : (await readOne(work, botId)).bot;
    await changeStreams(work, owned, change);
    await changeService(work, bot, change);
    const former = avatarFile === undefined ? undefined : await changeAvatar(work, bot, avatarFile);
    const details = await readOne(work, botId);
    const result = { result: details, former };
    if (events.length === 0) return { result };
    return {
      result,
      append: {
        entries: [changeEntry(events)],
        // The owner is part of what a gateway knows of a caller.
        ...(details.bot.botOwnerId !== bot.botOwnerId && { accountUserIds: [bot.id] }),
      },
    };
  });
}

async function readOne({ client, context }: Work, botId: number): Promise<BotDetails> {
  const [bot] = await lockUsersForOwnChange(client, [botId]);
  const [details] = await lockBotDetails(
    client,
    context.keySecrets,
    bot === undefined ? [] : [bot],
  );
  if (details === undefined) throw new Error('a bot has no details');
  return details;
}

async function rename(work: Work, bot: User, given: string, isNameFree: boolean): Promise<void> {
  const fullName = checkFullName(given);
  if (fullName === bot.fullName) return;
  if (!isNameFree) throw badRequest('Name is already in use!');
  await updateUser(work.client, bot.id, { fullName });
  const details = await readOne(work, bot.id);
  const viewers = botViewers(details, work.administratorIds);
  work.events.push(
    personUpdated(bot, { email: bot.email, full_name: fullName }),
    botUpdated(details, viewers, { full_name: fullName }),
  );
}

/** Administrators know of every bot and hear of the change; others lose or gain the bot (reference facts, events 13.2). */
async function changeOwner(work: Work, bot: User, ownerId: number): Promise<void> {
  const owner = work.people.find((person) => person.id === ownerId);
  if (owner === undefined || owner.isSystem)
    throw withoutCode('Failed to change owner, no such user');
  if (!owner.isActive) throw withoutCode('Failed to change owner, user is deactivated');
  if (owner.botType !== null)
    throw withoutCode("Failed to change owner, bots can't own other bots");
  if (owner.id === bot.botOwnerId) return;
  await updateUser(work.client, bot.id, { botOwnerId: owner.id });
  const taken = await takeUnknownDefaultStreams(work.client, { botId: bot.id });
  const details = await readOne(work, bot.id);
  const isAdministrator = (userId: number): boolean => work.administratorIds.includes(userId);
  const { botOwnerId: formerOwnerId } = bot;
  if (formerOwnerId !== null && !isAdministrator(formerOwnerId))
    work.events.push(botTakenAway(details, [formerOwnerId]));
  if (!isAdministrator(owner.id))
    work.events.push(botAdded(work.context.keySecrets, details, [owner.id]));
  const others = botViewers(details, work.administratorIds).filter(isAdministrator);
  if (others.length > 0) work.events.push(botUpdated(details, others, { owner_id: owner.id }));
  work.events.push(...taken, personUpdated(bot, { bot_owner_id: owner.id }));
}

async function changeStreams(work: Work, bot: User, change: BotChange): Promise<void> {
  const { client, actor } = work;
  const { botOwnerId } = bot;
  const sending = await checkDefaultStream(client, actor, botOwnerId, change.defaultSendingStream);
  const register = await checkDefaultStream(
    client,
    actor,
    botOwnerId,
    change.defaultEventsRegisterStream,
  );
  const all = change.defaultAllPublicStreams;
  const isNewSending =
    sending !== undefined && (sending?.id ?? null) !== bot.defaultSendingStreamId;
  const isNewRegister =
    register !== undefined && (register?.id ?? null) !== bot.defaultEventsRegisterStreamId;
  const isNewAll = all !== undefined && all !== bot.defaultAllPublicStreams;
  if (!isNewSending && !isNewRegister && !isNewAll) return;
  await updateUser(client, bot.id, {
    ...(isNewSending && { defaultSendingStreamId: sending?.id ?? null }),
    ...(isNewRegister && { defaultEventsRegisterStreamId: register?.id ?? null }),
    ...(isNewAll && { defaultAllPublicStreams: all }),
  });
  const details = await readOne(work, bot.id);
  const viewers = botViewers(details, work.administratorIds);
  const told: Record<string, unknown>[] = [
    ...(isNewSending ? [{ default_sending_stream: details.defaultSendingStream }] : []),
    ...(isNewRegister
      ? [{ default_events_register_stream: details.defaultEventsRegisterStream }]
      : []),
    ...(isNewAll ? [{ default_all_public_streams: all }] : []),
  ];
  work.events.push(...told.map((part) => botUpdated(details, viewers, part)));
}

async function changeService(work: Work, bot: User, change: BotChange): Promise<void> {
  const { client, context } = work;
  const { payloadUrl, config, interfaceType } = change;
  if (payloadUrl === undefined && config === undefined) return;
  if (payloadUrl !== undefined) {
    checkInterface(interfaceType);
    if (bot.botType !== botTypes.outgoingWebhook) throw badRequest('Invalid bot type');
  }
  const { service: stored } = await readOne(work, bot.id);
  const service: BotService = {
    botId: bot.id,
    name: stored?.name ?? '',
    baseUrl: payloadUrl ?? stored?.baseUrl ?? '',
    // The interface is that of the address: without one, whatever number was given says nothing.
    interface:
      payloadUrl === undefined ? (stored?.interface ?? serviceInterfaces.generic) : interfaceType,
    // What a bot calls others with; one that was made without a service gets it with the first.
    token: stored?.token ?? (bot.botType === botTypes.outgoingWebhook ? generateApiKey() : null),
    config: { ...stored?.config, ...config },
  };
  checkConfigSize(service.config);
  await setBotService(client, context.keySecrets, service);
  const isNew = service.baseUrl !== stored?.baseUrl || service.interface !== stored.interface;
  if (payloadUrl === undefined || !isNew) return;
  const details = await readOne(work, bot.id);
  const services = botServicesJson(bot, details.service);
  const viewers = botViewers(details, work.administratorIds);
  work.events.push(botSecretUpdated(context.keySecrets, details, viewers, { services }));
}

/** @returns the key of the former picture */
async function changeAvatar(
  { context, client, events }: Work,
  bot: User,
  avatarFile: string,
): Promise<string | undefined> {
  const changed = await setAvatar(context, client, bot, avatarFile);
  events.push(...changed.events);
  return changed.former;
}
