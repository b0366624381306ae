import { checkListRoom, checkMayCreateBot, lockCaller } from '@parley/store/access';
import { badRequest, botTypes, notAllowedForGuests, withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import { isUniqueViolation } from '@parley/database';
import type { Client } from '@parley/database';
import {
  createUser,
  generateApiKey,
  isBotNameFree,
  isEmailTaken,
  lockAdministratorsInUse,
  lockBotDetails,
  lockRealmInUse,
  generatedEmailDomain,
  setBotService,
} from '@parley/store';
import type { BotDetails, User } from '@parley/store';

import { accountEffect, entryForEveryone, personAdded } from '../accounts/account-events.ts';
import { checkFullName } from '../accounts/full-name.ts';
import { nameAvatarFile, replaceAvatar } from '../avatars/avatar-files.ts';
import type { UploadedPicture } from '../pictures/picture-maker.ts';
import type { PeopleContext } from '../people-context.ts';
import { botAdded, botViewers } from './bot-events.ts';
import {
  checkBotEmail,
  checkBotType,
  checkConfigSize,
  checkDefaultStream,
  checkIntegration,
  checkInterface,
  checkNotEmbedded,
  checkActiveBotCount,
  checkShortName,
} from './bot-rules.ts';

export type NewBot = {
  readonly fullName: string;
  readonly shortName: string;
  readonly botType: number;
  readonly payloadUrl: string;
  readonly serviceName: string;
  readonly config: Readonly<Record<string, string>>;
  readonly interfaceType: number;
  readonly defaultSendingStream: string | undefined;
  readonly defaultEventsRegisterStream: string | undefined;
  readonly defaultAllPublicStreams: boolean;
  /** The bot's picture, if it comes with one. */
  readonly avatar: UploadedPicture | undefined;
};

function usernameInUse(): Error {
  return withoutCode('Username already in use');
}

/**
 * Creates a bot of the caller, with events about the account for everybody and about the rest for those who manage it (reference facts,
 * people 8).
 *
 * @throws ApiError with the first refusal of the reference facts, people 8; then nothing has changed
 */
export async function createBot(
  context: PeopleContext,
  caller: Caller,
  bot: NewBot,
): Promise<BotDetails> {
  const shortName = checkShortName(bot.shortName);
  const fullName = checkFullName(bot.fullName);
  const email = checkBotEmail(shortName, generatedEmailDomain(context.publicUrl));
  checkNotEmbedded(bot.botType);
  const named: NamedBot = { bot, shortName, fullName, email };
  try {
    if (bot.avatar === undefined) return await insert(context, caller, named, undefined);
    return await replaceAvatar(context, bot.avatar, async (fileKey) => ({
      result: await insert(context, caller, named, fileKey),
      former: undefined,
    }));
  } catch (error) {
    // Another request took the address between the check and the insertion.
    if (isUniqueViolation(error)) throw usernameInUse();
    throw error;
  }
}

/** A bot whose names were checked. */
type NamedBot = {
  readonly bot: NewBot;
  readonly shortName: string;
  readonly fullName: string;
  readonly email: string;
};

async function insert(
  context: PeopleContext,
  caller: Caller,
  { bot, shortName, fullName, email }: NamedBot,
  avatarFile: string | undefined,
): Promise<BotDetails> {
  return context.eventLog.transaction(async (client) => {
    const { settings } = await lockRealmInUse(client);
    const isNameFree = await isBotNameFree(client, fullName);
    const administratorIds = await lockAdministratorsInUse(client);
    const actor = await lockCaller(client, caller);
    if (actor.role === 'guest') throw notAllowedForGuests();
    if (await isEmailTaken(client, email)) throw usernameInUse();
    if (!isNameFree) throw badRequest('Name is already in use!');
    checkMayCreateBot(actor, settings, bot.botType);
    checkBotType(bot.botType);
    checkInterface(bot.interfaceType);
    await checkActiveBotCount(context, client, actor.id);
    const changeId = await context.eventLog.drawChangeId(client);
    const user = await insertBot(context, client, {
      actor,
      bot,
      email,
      fullName,
      changeId,
      avatarFile,
    });
    await insertService(context, client, user, bot, shortName);
    const [details] = await lockBotDetails(client, context.keySecrets, [user]);
    if (details === undefined) throw new Error('a bot has no details');
    const events = [
      ...personAdded(user, settings),
      botAdded(context.keySecrets, details, botViewers(details, administratorIds)),
    ];
    await checkListRoom(client, context.lists, actor, {
      lists: ['accounts', 'bots'],
      texts: {
        accounts: { before: [], after: [user.email, fullName] },
        bots: { before: [], after: [bot.payloadUrl] },
      },
      made: { bots: 1 },
    });
    return {
      result: details,
      append: {
        entries: [entryForEveryone(events, [accountEffect(user)])],
        changeId,
        accountUserIds: [user.id],
      },
    };
  });
}

async function insertBot(
  context: PeopleContext,
  client: Client,
  insertion: {
    readonly actor: User;
    readonly bot: NewBot;
    readonly email: string;
    readonly fullName: string;
    readonly changeId: number;
    readonly avatarFile: string | undefined;
  },
): Promise<User> {
  const { actor, bot, email, fullName, changeId, avatarFile } = insertion;
  const sending = await checkDefaultStream(client, actor, actor.id, bot.defaultSendingStream);
  const register = await checkDefaultStream(
    client,
    actor,
    actor.id,
    bot.defaultEventsRegisterStream,
  );
  checkIntegration(bot.botType, bot.serviceName);
  checkConfigSize(bot.config);
  const created = await createUser(
    client,
    context.keySecrets,
    {
      email,
      fullName,
      botType: bot.botType,
      botOwnerId: actor.id,
      defaultSendingStreamId: sending?.id ?? null,
      defaultEventsRegisterStreamId: register?.id ?? null,
      defaultAllPublicStreams: bot.defaultAllPublicStreams,
      avatarSource: avatarFile === undefined ? 'G' : 'U',
    },
    changeId,
  );
  if (avatarFile !== undefined) await nameAvatarFile(context, client, created.user.id, avatarFile);
  return created.user;
}

/** An outgoing-webhook bot has a service, named after the bot unless told otherwise; others have what was said of them. */
async function insertService(
  context: PeopleContext,
  client: Client,
  user: User,
  bot: NewBot,
  shortName: string,
): Promise<void> {
  const isOutgoing = bot.botType === botTypes.outgoingWebhook;
  if (!isOutgoing && bot.serviceName === '' && Object.keys(bot.config).length === 0) return;
  await setBotService(client, context.keySecrets, {
    botId: user.id,
    name: isOutgoing && bot.serviceName === '' ? shortName : bot.serviceName,
    baseUrl: bot.payloadUrl,
    interface: bot.interfaceType,
    token: isOutgoing ? generateApiKey() : null,
    config: bot.config,
  });
}
