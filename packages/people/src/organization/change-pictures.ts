import { lockAdministrator } from '@parley/store/access';
import { randomBytes } from 'node:crypto';

import { withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import type { ApiEvent } from '@parley/api/events';
import type { WantedImages } from '@parley/files/images';
import { realmIconUrl, realmLogoUrl } from '@parley/store/objects';
import { getRealm, lockRealmForChange, setRealmPicture } from '@parley/store';
import type { Realm, RealmPicture } from '@parley/store';

import { entryForEveryone, toEveryone } from '../accounts/account-events.ts';
import type { PeopleContext } from '../people-context.ts';
import type { UploadedPicture } from '../pictures/picture-maker.ts';

/** The organization's icon and logos (reference facts, people 14.3; events 14.1). */

/** Pixels. */
const wantedIcon: WantedImages = { shape: 'squares', sides: [100] };
const wantedLogo: WantedImages = { shape: 'fitted', width: 800, height: 100 };

/** @returns the URL of a picture, uploaded or not */
export function pictureUrl(realm: Realm, picture: RealmPicture): string {
  if (picture === 'icon') return realmIconUrl(realm);
  return realmLogoUrl(realm, picture === 'logo' ? 'day' : 'night');
}

function sourceOf(realm: Realm, picture: RealmPicture): 'G' | 'D' | 'U' {
  if (picture === 'icon') return realm.iconSource;
  return picture === 'logo' ? realm.logo.source : realm.nightLogo.source;
}

function pictureUpdated(realm: Realm, picture: RealmPicture): ApiEvent {
  const event = { type: 'realm', op: 'update_dict' } as const;
  const url = pictureUrl(realm, picture);
  switch (picture) {
    case 'icon':
      return {
        ...event,
        property: picture,
        data: { icon_url: url, icon_source: realm.iconSource },
      };
    case 'logo':
      return {
        ...event,
        property: picture,
        data: { logo_url: url, logo_source: realm.logo.source },
      };
    case 'night_logo':
      return {
        ...event,
        property: picture,
        data: { night_logo_url: url, night_logo_source: realm.nightLogo.source },
      };
  }
}

/** @param key null for the default */
async function setPicture(
  context: PeopleContext,
  caller: Caller,
  picture: RealmPicture,
  key: string | null,
): Promise<string> {
  const done = await context.eventLog.transaction(async (client) => {
    const realm = await lockRealmForChange(client);
    await lockAdministrator(client, caller);
    const url = pictureUrl(realm, picture);
    if (key === null && sourceOf(realm, picture) !== 'U') return { result: { url, former: [] } };
    if (key !== null) await context.pictures.claim(client, [key]);
    const formerKey = await setRealmPicture(client, picture, key);
    const former = formerKey === undefined ? [] : [formerKey];
    await context.pictures.giveUp(client, former);
    const now = await getRealm(client);
    return {
      result: { url: pictureUrl(now, picture), former },
      append: { entries: [entryForEveryone([toEveryone(pictureUpdated(now, picture))])] },
    };
  });
  await context.pictures.remove(done.former);
  return done.url;
}

/**
 * Replaces the organization's icon or a logo, with events for everybody.
 *
 * @returns its URL
 * @throws ApiError unless there is exactly one file that is an image and not too large; then nothing has changed
 */
export async function uploadPicture(
  context: PeopleContext,
  caller: Caller,
  picture: RealmPicture,
  files: readonly UploadedPicture[],
): Promise<string> {
  const [file, ...more] = files;
  if (file === undefined || more.length > 0)
    throw withoutCode(`You must upload exactly one ${picture === 'icon' ? 'icon' : 'logo'}.`);
  const [made] = await context.pictureMaker.make(
    file,
    picture === 'icon' ? wantedIcon : wantedLogo,
  );
  if (made === undefined) throw new Error('a picture was not made');
  const key = `realm/${picture}-${randomBytes(16).toString('hex')}`;
  return context.pictures.keep([{ key, content: made.content }], () =>
    setPicture(context, caller, picture, key),
  );
}

/** Restores the default picture, with events for everybody. @returns the default's URL */
export async function removePicture(
  context: PeopleContext,
  caller: Caller,
  picture: RealmPicture,
): Promise<string> {
  return setPicture(context, caller, picture, null);
}
