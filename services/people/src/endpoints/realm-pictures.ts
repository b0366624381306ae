import { notFound } from '@parley/api';
import type { FormValues } from '@parley/api';
import {
  getDefaultLogoEndpoint,
  getDefaultNightLogoEndpoint,
  getRealmIconEndpoint,
  getRealmLogoEndpoint,
  getRealmPictureEndpoint,
  removeRealmIconEndpoint,
  removeRealmLogoEndpoint,
  uploadRealmIconEndpoint,
  uploadRealmLogoEndpoint,
} from '@parley/api/organization';
import { implement } from '@parley/server';
import type { RawAnswer } from '@parley/server';
import { drawDefaultLogo } from '@parley/files/images';
import { pictureUrl, readPictures, removePicture, uploadPicture } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { findRealmPicture, getRealm } from '@parley/store';
import type { RealmPicture } from '@parley/store';
import { LRUCache } from 'lru-cache';

import { drawnPictureAnswer, pictureAnswer } from './picture-answer.ts';
import { redirectToPicture } from './picture-redirection.ts';

const logoOf = (isNight: boolean): RealmPicture => (isNight ? 'night_logo' : 'logo');

async function redirect(
  context: PeopleContext,
  picture: RealmPicture,
  query: FormValues,
): Promise<RawAnswer> {
  return redirectToPicture(pictureUrl(await getRealm(context.pool), picture), query);
}

export const getRealmIconHandler = implement(
  getRealmIconEndpoint,
  (context: PeopleContext, { query }) => redirect(context, 'icon', query),
);

export const uploadRealmIconHandler = implement(
  uploadRealmIconEndpoint,
  async (context: PeopleContext, request) => ({
    icon_url: await uploadPicture(context, request.caller, 'icon', await readPictures(request)),
  }),
);

export const removeRealmIconHandler = implement(
  removeRealmIconEndpoint,
  async (context: PeopleContext, { caller }) => ({
    icon_url: await removePicture(context, caller, 'icon'),
  }),
);

export const getRealmLogoHandler = implement(
  getRealmLogoEndpoint,
  (context: PeopleContext, { parameters, query }) =>
    redirect(context, logoOf(parameters.night), query),
);

export const uploadRealmLogoHandler = implement(
  uploadRealmLogoEndpoint,
  async (context: PeopleContext, request) => {
    const { caller, parameters } = request;
    await uploadPicture(context, caller, logoOf(parameters.night), await readPictures(request));
    return {};
  },
);

export const removeRealmLogoHandler = implement(
  removeRealmLogoEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await removePicture(context, caller, logoOf(parameters.night));
    return {};
  },
);

const pictures: Readonly<Record<string, RealmPicture>> = {
  'icon.png': 'icon',
  'logo.png': 'logo',
  'night_logo.png': 'night_logo',
};

export const getRealmPictureHandler = implement(
  getRealmPictureEndpoint,
  async (context: PeopleContext, { parameters }) => {
    const found = await findRealmPicture(context.pool, pictures[parameters.file] ?? 'icon');
    const picture = found && (await context.pictures.read(found.fileKey));
    if (found === undefined || picture === undefined) throw notFound();
    // Who asks for a version that is to come gets the one there is, and must not take it for that.
    const isVersion = parameters.version === String(found.version);
    return pictureAnswer('image/png', picture, isVersion ? 'forever' : 'revalidated');
  },
);

const drawn = new LRUCache<'day' | 'night', Buffer>({ max: 2, fetchMethod: drawDefaultLogo });

async function defaultLogo(theme: 'day' | 'night'): Promise<RawAnswer> {
  return drawnPictureAnswer(await drawn.forceFetch(theme), 'forever');
}

export const getDefaultLogoHandler = implement(getDefaultLogoEndpoint, (_context: PeopleContext) =>
  defaultLogo('day'),
);

export const getDefaultNightLogoHandler = implement(
  getDefaultNightLogoEndpoint,
  (_context: PeopleContext) => defaultLogo('night'),
);
