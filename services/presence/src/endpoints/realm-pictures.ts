import { notFound } from '@parley/contracts';
import { defineEndpoint, exampleVariables, jsonBoolean, pathText, text } from '@parley/http';
import type { RawAnswer } from '@parley/http';
import { drawDefaultLogo } from '@parley/images';
import { defaultLogoPaths, findRealmPicture, getRealm } from '@parley/store';
import type { RealmPicture } from '@parley/store';

import type { PresenceContext } from '../context.ts';
import { pictureUrl, removePicture, uploadPicture } from '../organization/change-pictures.ts';
import { drawOnce } from '../pictures/draw-once.ts';
import { drawnPictureAnswer, pictureAnswer, pictureOf } from './picture-answer.ts';
import { redirectToPicture, redirection } from './picture-redirection.ts';
import { emptyAnswer } from './empty-answer.ts';

const administrators = { authentication: 'required', administratorsOnly: true } as const;
const form = 'A multipart form with one file: a PNG, JPEG, GIF or WebP of at most 5 MB.';
const night = jsonBoolean('night', { required: true, description: 'The logo for dark ground' });
const iconAnswer = {
  type: 'object',
  properties: { icon_url: { type: 'string' } },
  required: ['icon_url'],
} as const;

const logoOf = (isNight: boolean): RealmPicture => (isNight ? 'night_logo' : 'logo');

/** POST realm/icon (reference facts, people 14.3). */
export const uploadRealmIconEndpoint = defineEndpoint({
  name: 'upload-realm-icon',
  method: 'POST',
  path: '/realm/icon',
  summary: "Replace the organization's icon",
  description: `${form} It is cropped to a square.`,
  example: { file: 'heron.png' },
  access: administrators,
  parameters: [],
  formFile: 'required',
  response: iconAnswer,
  errors: ['BAD_IMAGE', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: PresenceContext, { caller, formFiles }) => ({
    icon_url: await uploadPicture(context, caller, 'icon', await formFiles()),
  }),
});

/** DELETE realm/icon (reference facts, people 14.3). */
export const removeRealmIconEndpoint = defineEndpoint({
  name: 'remove-realm-icon',
  method: 'DELETE',
  path: '/realm/icon',
  summary: "Take the organization's icon back to the default",
  access: administrators,
  parameters: [],
  response: iconAnswer,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: PresenceContext, { caller }) => ({
    icon_url: await removePicture(context, caller, 'icon'),
  }),
});

async function redirect(
  context: PresenceContext,
  picture: RealmPicture,
  query: string,
): Promise<RawAnswer> {
  return redirectToPicture(pictureUrl(await getRealm(context.pool), picture), query);
}

/** GET realm/icon (reference facts, people 14.3). */
export const getRealmIconEndpoint = defineEndpoint({
  name: 'get-realm-icon',
  example: { savedAs: 'icon.png' },
  method: 'GET',
  path: '/realm/icon',
  summary: "Find the organization's icon",
  parameters: [],
  ...redirection,
  handler: (context: PresenceContext, { query }) => redirect(context, 'icon', query),
});

/** POST realm/logo (reference facts, people 14.3). */
export const uploadRealmLogoEndpoint = defineEndpoint({
  name: 'upload-realm-logo',
  method: 'POST',
  path: '/realm/logo',
  summary: "Replace the organization's logo for day or night",
  description: `${form} It is made to fit into 800 by 100 pixels.`,
  example: { parameters: { night: false }, file: 'heron.png' },
  access: administrators,
  parameters: [night],
  formFile: 'required',
  response: emptyAnswer,
  errors: ['BAD_IMAGE', 'UNAUTHORIZED_PRINCIPAL', 'BAD_REQUEST'],
  handler: async (context: PresenceContext, { caller, parameters, formFiles }) => {
    await uploadPicture(context, caller, logoOf(parameters.night), await formFiles());
    return {};
  },
});

/** DELETE realm/logo (reference facts, people 14.3). */
export const removeRealmLogoEndpoint = defineEndpoint({
  name: 'remove-realm-logo',
  method: 'DELETE',
  path: '/realm/logo',
  summary: "Take the organization's logo for day or night back to the default",
  example: { parameters: { night: false } },
  access: administrators,
  parameters: [night],
  response: emptyAnswer,
  errors: ['UNAUTHORIZED_PRINCIPAL', 'BAD_REQUEST'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await removePicture(context, caller, logoOf(parameters.night));
    return {};
  },
});

/** GET realm/logo (reference facts, people 14.3). */
export const getRealmLogoEndpoint = defineEndpoint({
  name: 'get-realm-logo',
  example: { parameters: { night: false }, savedAs: 'logo.png' },
  method: 'GET',
  path: '/realm/logo',
  summary: "Find the organization's logo",
  parameters: [night],
  ...redirection,
  errors: ['BAD_REQUEST'],
  handler: (context: PresenceContext, { parameters, query }) =>
    redirect(context, logoOf(parameters.night), query),
});

const pictures: Readonly<Record<string, RealmPicture>> = {
  'icon.png': 'icon',
  'logo.png': 'logo',
  'night_logo.png': 'night_logo',
};

/** GET /user_avatars/{realm_id}/realm/{file} (reference facts, people 5.5). */
export const getRealmPictureEndpoint = defineEndpoint({
  name: 'get-realm-picture',
  example: {
    parameters: { realm_id: exampleVariables.realmId, file: exampleVariables.realmPictureFile },
    savedAs: 'icon.png',
  },
  method: 'GET',
  below: 'root',
  path: '/user_avatars/:realm_id/realm/:file',
  summary: 'Get an uploaded icon or logo',
  parameters: [
    pathText('realm_id', { description: 'The organization', pattern: /^1$/ }),
    pathText('file', {
      description: 'As the URL says',
      pattern: /^(?:icon|logo|night_logo)\.png$/,
    }),
    text('version', { default: '', description: 'As the URL says; the picture may be kept then' }),
  ],
  ...pictureOf('image/png'),
  handler: async (context: PresenceContext, { parameters }) => {
    const found = await findRealmPicture(context.pool, pictures[parameters.file] ?? 'icon');
    const picture = found && (await context.pictures.read(found.fileKey));
    if (found === undefined || picture === undefined) throw notFound();
    // Who asks for a version that is to come gets the one there is, and must not take it for that.
    const isVersion = parameters.version === String(found.version);
    return pictureAnswer('image/png', picture, isVersion ? 'forever' : 'asked');
  },
});

const draw = drawOnce(drawDefaultLogo);

async function defaultLogo(theme: 'day' | 'night'): Promise<RawAnswer> {
  return drawnPictureAnswer(await draw(theme), 'forever');
}

/** GET /static/images/logo/parley-logo.png (reference facts, people 5.5). */
export const getDefaultLogoEndpoint = defineEndpoint({
  name: 'get-default-logo',
  example: { savedAs: 'logo.png' },
  method: 'GET',
  below: 'root',
  path: defaultLogoPaths.day,
  summary: 'Get the logo of organizations that have none',
  parameters: [],
  ...pictureOf('image/png'),
  handler: (_context: PresenceContext) => defaultLogo('day'),
});

/** GET /static/images/logo/parley-logo-night.png (reference facts, people 5.5). */
export const getDefaultNightLogoEndpoint = defineEndpoint({
  name: 'get-default-night-logo',
  example: { savedAs: 'logo-night.png' },
  method: 'GET',
  below: 'root',
  path: defaultLogoPaths.night,
  summary: 'Get the logo for dark ground of organizations that have none',
  parameters: [],
  ...pictureOf('image/png'),
  handler: (_context: PresenceContext) => defaultLogo('night'),
});
