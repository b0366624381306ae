import { notFound } from '@parley/contracts';
import { defineEndpoint, exampleVariables, pathText } from '@parley/http';
import type { RawAnswer } from '@parley/http';
import { drawDefaultAvatar } from '@parley/images';
import {
  avatarUrl,
  findAvatarFile,
  findUserByEmail,
  findUserById,
  gravatarUrl,
} from '@parley/store';

import { avatarKey, avatarSides } from '../avatars/avatar-files.ts';
import { removeOwnAvatar, uploadOwnAvatar } from '../avatars/change-avatar.ts';
import type { PresenceContext } from '../context.ts';
import { drawOnce } from '../pictures/draw-once.ts';
import { drawnPictureAnswer, pictureAnswer, pictureOf } from './picture-answer.ts';
import { redirectToPicture, redirection } from './picture-redirection.ts';

const urlAnswer = {
  type: 'object',
  properties: { avatar_url: { type: 'string' } },
  required: ['avatar_url'],
} as const;

/** POST users/me/avatar (reference facts, people 7.8). */
export const uploadOwnAvatarEndpoint = defineEndpoint({
  name: 'upload-own-avatar',
  method: 'POST',
  path: '/users/me/avatar',
  summary: "Replace the caller's avatar",
  description:
    'A multipart form with one file: a PNG, JPEG, GIF or WebP of at most 5 MB. It is cropped to a square.',
  example: { file: 'heron.png' },
  access: { authentication: 'required' },
  parameters: [],
  formFile: 'required',
  response: urlAnswer,
  errors: ['BAD_IMAGE'],
  handler: async (context: PresenceContext, { caller, formFiles }) => ({
    avatar_url: await uploadOwnAvatar(context, caller, await formFiles()),
  }),
});

/** DELETE users/me/avatar (reference facts, people 7.8). */
export const removeOwnAvatarEndpoint = defineEndpoint({
  name: 'remove-own-avatar',
  method: 'DELETE',
  path: '/users/me/avatar',
  summary: "Take the caller's avatar back to Gravatar",
  access: { authentication: 'required' },
  parameters: [],
  response: urlAnswer,
  handler: async (context: PresenceContext, { caller }) => ({
    avatar_url: await removeOwnAvatar(context, caller),
  }),
});

async function redirect(
  context: PresenceContext,
  who: string,
  size: 'normal' | 'medium',
  query: string,
): Promise<RawAnswer> {
  const user = /^\d+$/.test(who)
    ? await findUserById(context.pool, Math.min(Number(who), Number.MAX_SAFE_INTEGER))
    : await findUserByEmail(context.pool, who.trim());
  const url = user === undefined ? gravatarUrl(who, 1, size) : avatarUrl(user, size);
  return redirectToPicture(url, query);
}

const who = pathText('email_or_id', { description: 'Email address or user id' });
const location = { ...redirection, parameters: [who], errors: ['INVALID_API_KEY'] } as const;

/** GET /avatar/{email or id} (reference facts, people 7.8). */
export const getAvatarEndpoint = defineEndpoint({
  name: 'get-avatar',
  method: 'GET',
  below: 'root',
  path: '/avatar/:email_or_id',
  summary: 'Find the avatar of an account',
  description:
    'The key may also be the query parameter `api_key`. The rest of the query is passed on.',
  example: { parameters: { email_or_id: 'tobias@harbour.example' }, savedAs: 'avatar.png' },
  ...location,
  handler: (context: PresenceContext, { parameters, query }) =>
    redirect(context, parameters.email_or_id, 'normal', query),
});

/** GET /avatar/{email or id}/medium (reference facts, people 7.8). */
export const getMediumAvatarEndpoint = defineEndpoint({
  name: 'get-medium-avatar',
  method: 'GET',
  below: 'root',
  path: '/avatar/:email_or_id/medium',
  summary: 'Find the large avatar of an account',
  example: { parameters: { email_or_id: 'tobias@harbour.example' }, savedAs: 'avatar-medium.png' },
  ...location,
  handler: (context: PresenceContext, { parameters, query }) =>
    redirect(context, parameters.email_or_id, 'medium', query),
});

/** GET /user_avatars/{realm_id}/{file} (reference facts, people 7.8). */
export const getAvatarFileEndpoint = defineEndpoint({
  name: 'get-avatar-file',
  example: {
    parameters: { realm_id: exampleVariables.realmId, file: exampleVariables.avatarFile },
    savedAs: 'avatar.png',
  },
  method: 'GET',
  below: 'root',
  path: '/user_avatars/:realm_id/:file',
  summary: 'Get an uploaded avatar',
  parameters: [
    pathText('realm_id', { description: 'The organization', pattern: /^1$/ }),
    pathText('file', {
      description: 'As avatar_url says',
      pattern: /^[0-9a-f]{40}(?:-medium)?\.png$/,
    }),
  ],
  ...pictureOf('image/png'),
  handler: async (context: PresenceContext, { parameters }) => {
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
});

const draw = drawOnce(drawDefaultAvatar);

async function defaultAvatar(side: number): Promise<RawAnswer> {
  return drawnPictureAnswer(await draw(side), 'day');
}

/** GET /static/images/default-avatar.png (reference facts, people 7.8). */
export const getDefaultAvatarEndpoint = defineEndpoint({
  name: 'get-default-avatar',
  example: { savedAs: 'default-avatar.png' },
  method: 'GET',
  below: 'root',
  path: '/static/images/default-avatar.png',
  summary: 'Get the avatar of whom there is none',
  parameters: [],
  ...pictureOf('image/png'),
  handler: (_context: PresenceContext) => defaultAvatar(avatarSides.normal),
});

/** GET /static/images/default-avatar-medium.png (reference facts, people 7.8). */
export const getMediumDefaultAvatarEndpoint = defineEndpoint({
  name: 'get-medium-default-avatar',
  example: { savedAs: 'default-avatar-medium.png' },
  method: 'GET',
  below: 'root',
  path: '/static/images/default-avatar-medium.png',
  summary: 'Get the large avatar of whom there is none',
  parameters: [],
  ...pictureOf('image/png'),
  handler: (_context: PresenceContext) => defaultAvatar(avatarSides.medium),
});
