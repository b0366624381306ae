import { randomBytes } from 'node:crypto';

import { getAdministrator } from '@parley/access';
import {
  ApiError,
  badImage,
  limits,
  serviceUnavailable,
  uploadTooLarge,
  withoutCode,
} from '@parley/contracts';
import type { Caller, EventBody } from '@parley/contracts';
import type { FormFile } from '@parley/http';
import { TooManyWaiting, UnusableImage, cropToPngs, fitToPng } from '@parley/images';
import {
  getRealm,
  lockRealmForChange,
  lockUsersInUse,
  noteUnusedFile,
  realmIconUrl,
  realmLogoUrl,
  setRealmPicture,
} from '@parley/store';
import type { Realm, RealmPicture } from '@parley/store';

import { changeEntry, toEveryone } from '../accounts/account-events.ts';
import type { PresenceContext } from '../context.ts';

/** The organization's icon and logos (reference facts, people 14.3; events 14.1). */

/** Pixels. */
const iconSide = 100;
const logoBox = { width: 800, height: 100 } as const;

/** @returns the URL of a picture, uploaded or not */
export function pictureUrl(realm: Realm, picture: RealmPicture): string {
  if (picture === 'icon') return realmIconUrl(realm);
  return realmLogoUrl(realm, picture === 'logo' ? 'day' : 'night');
}

function sourceOf(realm: Realm, picture: RealmPicture): 'G' | 'D' | 'U' {
  if (picture === 'icon') return realm.iconSource;
  return picture === 'logo' ? realm.logo.source : realm.nightLogo.source;
}

function toldPicture(realm: Realm, picture: RealmPicture): EventBody {
  const data = {
    [`${picture}_url`]: pictureUrl(realm, picture),
    [`${picture}_source`]: sourceOf(realm, picture),
  };
  return { type: 'realm', op: 'update_dict', property: picture, data };
}

async function makePicture(picture: RealmPicture, content: Buffer): Promise<Buffer> {
  if (content.length > limits.pictureMaxBytes) throw uploadTooLarge(limits.pictureMaxBytes);
  try {
    if (picture !== 'icon') return await fitToPng(content, logoBox);
    const [icon] = await cropToPngs(content, [iconSide]);
    if (icon === undefined) throw new Error('an icon was not made');
    return icon;
  } catch (error) {
    if (error instanceof UnusableImage) throw badImage(error.fault);
    if (error instanceof TooManyWaiting) throw serviceUnavailable();
    throw error;
  }
}

/** @param key null for the default */
async function setPicture(
  context: PresenceContext,
  caller: Caller,
  picture: RealmPicture,
  key: string | null,
): Promise<string> {
  const done = await context.eventLog.transaction(async (client) => {
    const realm = await lockRealmForChange(client);
    getAdministrator(await lockUsersInUse(client, { userIds: [caller.userId] }), caller);
    const url = pictureUrl(realm, picture);
    if (key === null && sourceOf(realm, picture) !== 'U')
      return { result: { url, former: undefined } };
    if (key !== null) await context.pictures.claim(client, key);
    const former = await setRealmPicture(client, picture, key);
    if (former !== undefined) await noteUnusedFile(client, former);
    const now = await getRealm(client);
    return {
      result: { url: pictureUrl(now, picture), former },
      append: { entries: [changeEntry([toEveryone(toldPicture(now, picture))])] },
    };
  });
  await context.pictures.remove(done.former);
  return done.url;
}

/**
 * Gives the organization another icon or logo, and tells everybody.
 *
 * @returns its URL
 * @throws ApiError for what is not exactly one file, too large, or no image; then nothing has changed
 */
export async function uploadPicture(
  context: PresenceContext,
  caller: Caller,
  picture: RealmPicture,
  files: readonly FormFile[],
): Promise<string> {
  const [file, ...more] = files;
  if (file === undefined || more.length > 0)
    throw withoutCode(`You must upload exactly one ${picture === 'icon' ? 'icon' : 'logo'}.`);
  const content = await makePicture(picture, file.content);
  const key = `realm/${picture}-${randomBytes(16).toString('hex')}`;
  await context.pictures.store(key, content);
  try {
    return await setPicture(context, caller, picture, key);
  } catch (error) {
    // After a lost connection it may be there. The note tells, and the clean-up goes by it.
    if (error instanceof ApiError) await context.pictures.remove(key);
    throw error;
  }
}

/** Takes the organization back to the default, and tells everybody. @returns the default's URL */
export async function removePicture(
  context: PresenceContext,
  caller: Caller,
  picture: RealmPicture,
): Promise<string> {
  return setPicture(context, caller, picture, null);
}
