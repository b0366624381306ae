import { randomBytes } from 'node:crypto';

import { getAdministrator } from '@parley/access';
import { withoutCode } from '@parley/contracts';
import type { Caller, EventBody } from '@parley/contracts';
import type { FormFile } from '@parley/http';
import { cropToPngs, fitToPng } from '@parley/images';
import {
  getRealm,
  lockRealmForChange,
  lockUsersInUse,
  realmIconUrl,
  realmLogoUrl,
  setRealmPicture,
} from '@parley/store';
import type { Realm, RealmPicture } from '@parley/store';

import { changeEntry, toEveryone } from '../accounts/account-events.ts';
import type { PresenceContext } from '../context.ts';
import { makePicture } from '../pictures/make-picture.ts';

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

async function fit(picture: RealmPicture, content: Buffer): Promise<Buffer> {
  if (picture !== 'icon') return fitToPng(content, logoBox);
  const [icon] = await cropToPngs(content, [iconSide]);
  if (icon === undefined) throw new Error('an icon was not made');
  return icon;
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
    if (key === null && sourceOf(realm, picture) !== 'U') return { result: { url, former: [] } };
    if (key !== null) await context.pictures.claim(client, [key]);
    const formerKey = await setRealmPicture(client, picture, key);
    const former = formerKey === undefined ? [] : [formerKey];
    await context.pictures.giveUp(client, former);
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
  const content = await makePicture(file.content, (given) => fit(picture, given));
  const key = `realm/${picture}-${randomBytes(16).toString('hex')}`;
  return context.pictures.keep([{ key, content }], () => setPicture(context, caller, picture, key));
}

/** Takes the organization back to the default, and tells everybody. @returns the default's URL */
export async function removePicture(
  context: PresenceContext,
  caller: Caller,
  picture: RealmPicture,
): Promise<string> {
  return setPicture(context, caller, picture, null);
}
