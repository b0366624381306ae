import { checkMayAddEmoji, checkMayRemoveEmoji, lockCaller } from '@parley/store/access';
import { badRequest, limits, valueTooLong, withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import type { Client } from '@parley/database';
import { realmEmojiJson } from '@parley/store/objects';
import {
  addRealmEmoji,
  deactivateRealmEmoji,
  drawEmojiId,
  findRealmEmoji,
  getRealm,
  getUser,
  listRealmEmoji,
  lockRealmEmoji,
  lockRealmInUse,
} from '@parley/store';
import type { AuthoredEmoji, User } from '@parley/store';
import type { RealmSettings } from '@parley/api/organization';

import { entryForEveryone, toEveryone } from '../accounts/account-events.ts';
import type { PeopleContext } from '../people-context.ts';
import type { UploadedPicture } from '../pictures/picture-maker.ts';

/** Changes of the custom emoji: members make them, and everybody gets all emoji (reference facts, people 11.1). */

/** Pixels of an emoji's picture. */
export const emojiSide = 64;

export const pictureExtensions = { png: 'png', jpeg: 'jpg', gif: 'gif', webp: 'webp' } as const;

/** @returns the key under which the picture of an emoji is stored */
export function emojiFileKey(emojiId: number): string {
  return `emoji/${emojiId}`;
}

/**
 * @param written as the path has it
 * @returns the name in its one spelling
 * @throws ApiError for an invalid name
 */
function checkEmojiName(written: string): string {
  const name = written.trim().replaceAll(' ', '_');
  if (!/^[0-9a-z._-]*[0-9a-z]$/.test(name)) throw badRequest('Invalid characters in emoji name');
  if (name.length > limits.realmEmojiNameMaxLength)
    throw valueTooLong('emoji_name', limits.realmEmojiNameMaxLength);
  return name;
}

async function change<Result>(
  context: PeopleContext,
  caller: Caller,
  work: (
    client: Client,
    actor: User,
    settings: RealmSettings,
    emoji: readonly AuthoredEmoji[],
  ) => Promise<Result>,
): Promise<Result> {
  return context.eventLog.transaction(async (client) => {
    const { settings } = await lockRealmInUse(client);
    const actor = await lockCaller(client, caller);
    const result = await work(client, actor, settings, await lockRealmEmoji(client));
    const all = realmEmojiJson(await listRealmEmoji(client));
    const event = toEveryone({ type: 'realm_emoji', op: 'update', realm_emoji: all });
    return { result, append: { entries: [entryForEveryone([event])] } };
  });
}

function nameTaken(): Error {
  return withoutCode('A custom emoji with this name already exists.');
}

/**
 * Adds a custom emoji.
 *
 * @throws ApiError with the first refusal of the reference facts, people 11.1; then nothing is left of it
 */
export async function addEmoji(
  context: PeopleContext,
  caller: Caller,
  written: string,
  readFiles: () => Promise<readonly UploadedPicture[]>,
): Promise<void> {
  const name = checkEmojiName(written);
  const { settings } = await getRealm(context.pool);
  checkMayAddEmoji(await getUser(context.pool, caller.userId), settings);
  const { named } = await findRealmEmoji(context.pool, name, undefined);
  if (named !== undefined) throw nameTaken();
  const [file, ...more] = await readFiles();
  if (file === undefined || more.length > 0) throw withoutCode('You must upload exactly one file.');
  const [picture] = await context.pictureMaker.make(
    file,
    { shape: 'square', side: emojiSide },
    () => withoutCode('Image file upload failed.'),
  );
  if (picture === undefined) throw new Error('a picture was not made');
  const id = await drawEmojiId(context.pool);
  const key = emojiFileKey(id);
  await context.pictures.keep([{ key, content: picture.content }], () =>
    change(context, caller, async (client, actor, current, emoji) => {
      checkMayAddEmoji(actor, current);
      if (emoji.length >= limits.realmEmojiMax)
        throw withoutCode(`There may be at most ${limits.realmEmojiMax} custom emoji.`);
      await context.pictures.claim(client, [key]);
      const fileName = `${id}.${pictureExtensions[picture.format]}`;
      const added = await addRealmEmoji(client, { id, name, authorId: actor.id, fileName });
      if (added === undefined) throw nameTaken();
    }),
  );
}

/**
 * Deactivates a custom emoji. Its name becomes free; messages and reactions keep it.
 *
 * @throws ApiError when there is no active one of this name, or it is not for the caller to take away
 */
export async function removeEmoji(
  context: PeopleContext,
  caller: Caller,
  name: string,
): Promise<void> {
  await change(context, caller, async (client, actor, settings, all) => {
    const emoji = all.find((one) => one.name === name && !one.isDeactivated);
    if (emoji === undefined) throw badRequest(`Emoji '${name}' does not exist`);
    checkMayRemoveEmoji(actor, { authorId: emoji.author?.id ?? null }, settings);
    await deactivateRealmEmoji(client, name);
  });
}
