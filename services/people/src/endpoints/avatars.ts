import { notFound } from '@parley/api';
import type { FormValues } from '@parley/api';
import {
  getAvatarEndpoint,
  getAvatarFileEndpoint,
  getDefaultAvatarEndpoint,
  getMediumAvatarEndpoint,
  getMediumDefaultAvatarEndpoint,
  removeOwnAvatarEndpoint,
  uploadOwnAvatarEndpoint,
} from '@parley/api/people';
import { implement } from '@parley/server';
import type { RawAnswer } from '@parley/server';
import { drawDefaultAvatar } from '@parley/files/images';
import {
  avatarKey,
  avatarSides,
  readPictures,
  removeOwnAvatar,
  uploadOwnAvatar,
} from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { avatarUrl, gravatarUrl } from '@parley/store/objects';
import { findAvatarFile, findUserByEmail, findUserById } from '@parley/store';
import { LRUCache } from 'lru-cache';

import { drawnPictureAnswer, pictureAnswer } from './picture-answer.ts';
import { redirectToPicture } from './picture-redirection.ts';

/** POST users/me/avatar (reference facts, people 7.8). */
export const uploadOwnAvatarHandler = implement(
  uploadOwnAvatarEndpoint,
  async (context: PeopleContext, request) => ({
    avatar_url: await uploadOwnAvatar(context, request.caller, await readPictures(request)),
  }),
);

/** DELETE users/me/avatar (reference facts, people 7.8). */
export const removeOwnAvatarHandler = implement(
  removeOwnAvatarEndpoint,
  async (context: PeopleContext, { caller }) => ({
    avatar_url: await removeOwnAvatar(context, caller),
  }),
);

async function redirect(
  context: PeopleContext,
  who: string,
  size: 'normal' | 'medium',
  query: FormValues,
): Promise<RawAnswer> {
  const user = /^\d+$/.test(who)
    ? await findUserById(context.pool, Math.min(Number(who), Number.MAX_SAFE_INTEGER))
    : await findUserByEmail(context.pool, who.trim());
  const url = user === undefined ? gravatarUrl(who, 1, size) : avatarUrl(user, size);
  return redirectToPicture(url, query);
}

/** GET /avatar/{email or id} (reference facts, people 7.8). */
export const getAvatarHandler = implement(
  getAvatarEndpoint,
  (context: PeopleContext, { parameters, query }) =>
    redirect(context, parameters.email_or_id, 'normal', query),
);

/** GET /avatar/{email or id}/medium (reference facts, people 7.8). */
export const getMediumAvatarHandler = implement(
  getMediumAvatarEndpoint,
  (context: PeopleContext, { parameters, query }) =>
    redirect(context, parameters.email_or_id, 'medium', query),
);

/** GET /user_avatars/{realm_id}/{file} (reference facts, people 7.8). */
export const getAvatarFileHandler = implement(
  getAvatarFileEndpoint,
  async (context: PeopleContext, { parameters }) => {
    const [pathName = '', medium] = parameters.file.replace(/\.png$/, '').split('-');
    const fileKey = await findAvatarFile(context.pool, pathName);
    const file =
      fileKey === undefined
        ? undefined
        : await context.pictures.read(
            avatarKey(fileKey, medium === undefined ? 'normal' : 'medium'),
          );
    if (file === undefined) throw notFound();
    return pictureAnswer('image/png', file, 'day');
  },
);

const drawn = new LRUCache<number, Buffer>({ max: 2, fetchMethod: drawDefaultAvatar });

async function defaultAvatar(side: number): Promise<RawAnswer> {
  return drawnPictureAnswer(await drawn.forceFetch(side), 'day');
}

/** GET /static/images/default-avatar.png (reference facts, people 7.8). */
export const getDefaultAvatarHandler = implement(
  getDefaultAvatarEndpoint,
  (_context: PeopleContext) => defaultAvatar(avatarSides.normal),
);

/** GET /static/images/default-avatar-medium.png (reference facts, people 7.8). */
export const getMediumDefaultAvatarHandler = implement(
  getMediumDefaultAvatarEndpoint,
  (_context: PeopleContext) => defaultAvatar(avatarSides.medium),
);
