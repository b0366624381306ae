import { lockOwnAccount } from '@parley/store/access';
import { withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import type { EventPart } from '@parley/event-log';
import type { Client } from '@parley/database';
import { avatarUrl } from '@parley/store/objects';
import {
  getRealm,
  listHumanAdministratorIds,
  lockAdministratorsInUse,
  lockRealmInUse,
  readBotDetails,
  updateUser,
} from '@parley/store';
import type { RealmSettings } from '@parley/api/organization';
import type { User } from '@parley/store';

import { entryForEveryone, pictureUpdated } from '../accounts/account-events.ts';
import { botUpdated, botViewers } from '../bots/bot-events.ts';
import type { PeopleContext } from '../people-context.ts';
import type { UploadedPicture } from '../pictures/picture-maker.ts';
import { nameAvatarFile, removeAvatar, replaceAvatar } from './avatar-files.ts';
import type { NamedAvatar } from './avatar-files.ts';

/** @throws ApiError that avatar changes are disabled, but for administrators */
function checkMayChange(actor: Pick<User, 'role'>, settings: RealmSettings): void {
  if (settings.avatar_changes_disabled && actor.role !== 'administrator')
    throw withoutCode('Avatar changes are disabled in this organization.');
}

/**
 * Replaces or removes the picture of an account; the caller has locked the administrators and the account.
 *
 * @param fileKey undefined for none
 * @returns the account, the events, and the key of the former picture
 */
export async function setAvatar(
  context: PeopleContext,
  client: Client,
  account: User,
  fileKey: string | undefined,
): Promise<{
  readonly user: User;
  readonly events: EventPart[];
  readonly former: string | undefined;
}> {
  const former = await nameAvatarFile(context, client, account.id, fileKey);
  const avatarSource = fileKey === undefined ? 'G' : 'U';
  const user = await updateUser(client, account.id, { avatarSource });
  const events: EventPart[] = [];
  if (user.botType !== null) {
    const [bot] = await readBotDetails(client, context.keySecrets, [user]);
    if (bot === undefined) throw new Error('a bot has no details');
    const viewers = botViewers(bot, await listHumanAdministratorIds(client));
    events.push(botUpdated(bot, viewers, { avatar_url: avatarUrl(user) }));
  }
  events.push(pictureUpdated(user, user.email));
  return { user, events, former };
}

async function changeOwnAvatar(
  context: PeopleContext,
  caller: Caller,
  fileKey: string | undefined,
): Promise<NamedAvatar<string>> {
  return context.eventLog.transaction(async (client) => {
    const { settings } = await lockRealmInUse(client);
    await lockAdministratorsInUse(client);
    const actor = await lockOwnAccount(client, caller);
    checkMayChange(actor, settings);
    const { user, events, former } = await setAvatar(context, client, actor, fileKey);
    return {
      result: { result: avatarUrl(user), former },
      append: { entries: [entryForEveryone(events)] },
    };
  });
}

/**
 * Replaces the caller's picture, with events for everybody (reference facts, people 7.8; events 13.1).
 *
 * @returns its URL
 * @throws ApiError with the first refusal of the reference facts, people 7.8
 */
export async function uploadOwnAvatar(
  context: PeopleContext,
  caller: Caller,
  files: readonly UploadedPicture[],
): Promise<string> {
  const [file, ...more] = files;
  if (file === undefined || more.length > 0)
    throw withoutCode('You must upload exactly one avatar.');
  checkMayChange(caller, (await getRealm(context.pool)).settings);
  return replaceAvatar(context, file, (fileKey) => changeOwnAvatar(context, caller, fileKey));
}

/**
 * Removes the caller's picture, with events for everybody.
 *
 * @returns the URL of the picture shown instead
 * @throws ApiError that avatar changes are disabled
 */
export async function removeOwnAvatar(context: PeopleContext, caller: Caller): Promise<string> {
  const { result, former } = await changeOwnAvatar(context, caller, undefined);
  await removeAvatar(context, former);
  return result;
}
