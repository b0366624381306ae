import { checkListRoom, getActor } from '@parley/store/access';
import { badRequest, botTypes, serviceInterfaces } from '@parley/api';
import type { Caller } from '@parley/api';
import type { EventPart } from '@parley/event-log';
import type { Client } from '@parley/database';
import { botServicesJson } from '@parley/store/objects';
import {
  generateApiKey,
  isBotNameFree,
  listHumanAdministratorIds,
  lockAdministratorsInUse,
  lockBotDetails,
  lockUsersForActivityChange,
  lockUsersForOwnChange,
  setBotService,
  updateUser,
} from '@parley/store';
import type { BotDetails, BotService, User } from '@parley/store';

import { entryForEveryone, personUpdated } from '../accounts/account-events.ts';
import { checkFullName } from '../accounts/full-name.ts';
import { replaceAvatar } from '../avatars/avatar-files.ts';
import type { UploadedPicture } from '../pictures/picture-maker.ts';
import type { NamedAvatar } from '../avatars/avatar-files.ts';
import { setAvatar } from '../avatars/change-avatar.ts';
import type { PeopleContext } from '../people-context.ts';
import { botSecretUpdated, botUpdated, botViewers } from './bot-events.ts';
import type { BotChangeMember } from './bot-events.ts';
import { checkBot, checkConfigSize, checkDefaultStream, checkInterface } from './bot-rules.ts';
import { transferBot } from './transfer-bot.ts';

/** The changes that PATCH bots/{bot_id} requests; absent members stay unchanged. */
export type BotChange = {
  readonly fullName: string | undefined;
  readonly ownerId: number | undefined;
  readonly config: Readonly<Record<string, string>> | undefined;
  readonly payloadUrl: string | undefined;
  readonly interfaceType: number;
  readonly defaultSendingStream: string | undefined;
  readonly defaultEventsRegisterStream: string | undefined;
  readonly defaultAllPublicStreams: boolean | undefined;
  readonly avatar: UploadedPicture | undefined;
};

/** A change in progress: the current bot and the events so far. */
type Work = {
  readonly context: PeopleContext;
  readonly client: Client;
  readonly actor: User;
  readonly administratorIds: readonly number[];
  readonly events: EventPart[];
};

/**
 * Changes a bot, with events for those who may know each part (reference facts, people 8; events 13.2).
 *
 * @returns the changed bot
 * @throws ApiError with the first refusal of the reference facts, people 8; then nothing has changed
 */
export async function changeBot(
  context: PeopleContext,
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
  context: PeopleContext,
  caller: Caller,
  botId: number,
  change: BotChange,
  avatarFile: string | undefined,
): Promise<NamedAvatar<BotDetails>> {
  return context.eventLog.transaction(async (client) => {
    const isNameFree =
      change.fullName === undefined || (await isBotNameFree(client, change.fullName.trim(), botId));
    const people = await lockPeople(client, caller, botId, change.ownerId);
    const actor = getActor(people, caller);
    const bot = checkBot(people, actor, botId);
    const administratorIds = await listHumanAdministratorIds(client);
    const [{ service } = {}] = await lockBotDetails(client, context.keySecrets, [bot]);
    const events: EventPart[] = [];
    const work: Work = { context, client, actor, administratorIds, events };
    if (change.fullName !== undefined) await rename(work, bot, change.fullName, isNameFree);
    const { ownerId } = change;
    const given =
      ownerId === undefined
        ? undefined
        : await transferBot(context, client, { bot, actor, people, ownerId });
    events.push(...(given?.events ?? []));
    // A new owner may have removed some.
    const owned = given === undefined ? bot : (await readOne(work, botId)).bot;
    await changeStreams(work, owned, change);
    await changeService(work, bot, change);
    const former = avatarFile === undefined ? undefined : await changeAvatar(work, bot, avatarFile);
    const details = await readOne(work, botId);
    const result = { result: details, former };
    if (events.length === 0) return { result };
    await checkListRoom(client, context.lists, actor, {
      texts: {
        accounts: { before: [bot.fullName], after: [details.bot.fullName] },
        bots: { before: [service?.baseUrl ?? ''], after: [details.service?.baseUrl ?? ''] },
      },
    });
    return {
      result,
      append: {
        entries: [entryForEveryone(events, given?.effects)],
        ...(given !== undefined && { changeId: given.changeId, accountUserIds: given.userIds }),
      },
    };
  });
}

/** Giving a bot away may change its role. */
async function lockPeople(
  client: Client,
  caller: Caller,
  botId: number,
  ownerId: number | undefined,
): Promise<User[]> {
  if (ownerId !== undefined)
    return lockUsersForActivityChange(client, botId, [caller.userId, ownerId]);
  await lockAdministratorsInUse(client);
  return lockUsersForOwnChange(client, [botId, caller.userId]);
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
  const changedMembers: BotChangeMember[] = [
    ...(isNewSending ? [{ default_sending_stream: details.defaultSendingStream }] : []),
    ...(isNewRegister
      ? [{ default_events_register_stream: details.defaultEventsRegisterStream }]
      : []),
    ...(isNewAll ? [{ default_all_public_streams: all }] : []),
  ];
  work.events.push(...changedMembers.map((member) => botUpdated(details, viewers, member)));
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
    // The interface belongs to the address: without an address the given number has no meaning.
    interface:
      payloadUrl === undefined ? (stored?.interface ?? serviceInterfaces.generic) : interfaceType,
    // The token of the bot's calls; a bot created without a service gets it with its first service.
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
