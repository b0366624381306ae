import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { pathText } from '../declare/parameters.ts';
import { object, text } from '../declare/schema.ts';
import { pictureOf, pictureRedirection, pictureUpload } from './pictures.ts';

/** Pictures of people and bots (reference facts, people 7.8). */

const path = '/users/me/avatar';
const success = object({ avatar_url: text });

/** POST users/me/avatar (reference facts, people 7.8). */
export const uploadOwnAvatarEndpoint = declareEndpoint({
  name: 'upload-own-avatar',
  method: 'POST',
  path,
  service: 'people',
  tag: 'Own account',
  summary: "Replace the caller's avatar",
  description:
    'A multipart form with one file: a PNG, JPEG, GIF, WebP or TIFF of at most 5 MB. It is cropped to a square.',
  example: { file: 'heron.png' },
  access: { authentication: 'required' },
  parameters: [],
  file: 'required',
  success,
  errors: ['BAD_IMAGE'],
  ...pictureUpload,
});

/** DELETE users/me/avatar (reference facts, people 7.8). */
export const removeOwnAvatarEndpoint = declareEndpoint({
  name: 'remove-own-avatar',
  method: 'DELETE',
  path,
  service: 'people',
  tag: 'Own account',
  summary: "Take away the caller's avatar",
  description:
    'The account then has the Gravatar of its address or, if addresses are hidden, the default picture.',
  access: { authentication: 'required' },
  parameters: [],
  success,
});

/** Pages and mail also show the pictures at these addresses. */
const location = {
  method: 'GET',
  below: 'root',
  service: 'people',
  tag: 'People',
  access: { authentication: 'required', keyParameter: 'accepted' },
  parameters: [pathText('email_or_id', { description: 'Email address or user id' })],
  success: pictureRedirection,
  errors: ['INVALID_API_KEY'],
  limits: { rate: 'files' },
} as const;

/** GET /avatar/{email or id} (reference facts, people 7.8). */
export const getAvatarEndpoint = declareEndpoint({
  ...location,
  name: 'get-avatar',
  path: '/avatar/{email_or_id}',
  summary: 'Find the avatar of an account',
  description:
    'The key may also be the query parameter `api_key`. The rest of the query is passed on.',
  example: { parameters: { email_or_id: 'tobias@harbour.example' }, savedAs: 'avatar.png' },
});

/** GET /avatar/{email or id}/medium (reference facts, people 7.8). */
export const getMediumAvatarEndpoint = declareEndpoint({
  ...location,
  name: 'get-medium-avatar',
  path: '/avatar/{email_or_id}/medium',
  summary: 'Find the large avatar of an account',
  example: { parameters: { email_or_id: 'tobias@harbour.example' }, savedAs: 'avatar-medium.png' },
});

/** GET /user_avatars/{realm_id}/{file} (reference facts, people 7.8). */
export const getAvatarFileEndpoint = declareEndpoint({
  ...pictureOf('image/png'),
  name: 'get-avatar-file',
  tag: 'People',
  path: '/user_avatars/{realm_id}/{file}',
  summary: 'Get an uploaded avatar',
  example: {
    parameters: { realm_id: exampleVariables.realmId, file: exampleVariables.avatarFile },
    savedAs: 'avatar.png',
  },
  parameters: [
    pathText('realm_id', { description: 'The organization', pattern: /^1$/ }),
    pathText('file', {
      description: 'As avatar_url says',
      pattern: /^[0-9a-f]{40}(?:-medium)?\.png$/,
    }),
  ],
});

/** GET /static/images/default-avatar.png (reference facts, people 7.8). */
export const getDefaultAvatarEndpoint = declareEndpoint({
  ...pictureOf('image/png'),
  name: 'get-default-avatar',
  tag: 'People',
  path: '/static/images/default-avatar.png',
  summary: 'Get the default avatar',
  example: { savedAs: 'default-avatar.png' },
  parameters: [],
});

/** GET /static/images/default-avatar-medium.png (reference facts, people 7.8). */
export const getMediumDefaultAvatarEndpoint = declareEndpoint({
  ...pictureOf('image/png'),
  name: 'get-medium-default-avatar',
  tag: 'People',
  path: '/static/images/default-avatar-medium.png',
  summary: 'Get the large default avatar',
  example: { savedAs: 'default-avatar-medium.png' },
  parameters: [],
});
