import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { booleanParameter, pathText, textParameter } from '../declare/parameters.ts';
import { object, text } from '../declare/schema.ts';
import { pictureOf, pictureRedirection, pictureUpload } from '../people/pictures.ts';

/** The organization's icon, and its logos for day and night. */

const administrators = { authentication: 'required', administratorsOnly: true } as const;
const form = 'A multipart form with one file: a PNG, JPEG, GIF, WebP or TIFF of at most 5 MB.';
const nightParameter = booleanParameter('night', {
  required: true,
  description: 'The logo for dark ground',
});
const iconAnswer = object({ icon_url: text });

/** GET realm/icon (reference facts, people 14.3). */
export const getRealmIconEndpoint = declareEndpoint({
  name: 'get-realm-icon',
  method: 'GET',
  path: '/realm/icon',
  service: 'people',
  tag: 'Organization',
  summary: "Find the organization's icon",
  example: { savedAs: 'icon.png' },
  access: { authentication: 'required' },
  parameters: [],
  success: pictureRedirection,
});

/** POST realm/icon (reference facts, people 14.3). */
export const uploadRealmIconEndpoint = declareEndpoint({
  name: 'upload-realm-icon',
  method: 'POST',
  path: '/realm/icon',
  service: 'people',
  tag: 'Organization',
  summary: "Replace the organization's icon",
  description: `${form} It is cropped to a square.`,
  example: { file: 'heron.png' },
  access: administrators,
  parameters: [],
  file: 'required',
  success: iconAnswer,
  errors: ['BAD_IMAGE', 'UNAUTHORIZED_PRINCIPAL'],
  ...pictureUpload,
});

/** DELETE realm/icon (reference facts, people 14.3). */
export const removeRealmIconEndpoint = declareEndpoint({
  name: 'remove-realm-icon',
  method: 'DELETE',
  path: '/realm/icon',
  service: 'people',
  tag: 'Organization',
  summary: "Take the organization's icon back to the default",
  access: administrators,
  parameters: [],
  success: iconAnswer,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
});

/** GET realm/logo (reference facts, people 14.3). */
export const getRealmLogoEndpoint = declareEndpoint({
  name: 'get-realm-logo',
  method: 'GET',
  path: '/realm/logo',
  service: 'people',
  tag: 'Organization',
  summary: "Find the organization's logo",
  example: { parameters: { night: false }, savedAs: 'logo.png' },
  access: { authentication: 'required' },
  parameters: [nightParameter],
  success: pictureRedirection,
  errors: ['BAD_REQUEST'],
});

/** POST realm/logo (reference facts, people 14.3). */
export const uploadRealmLogoEndpoint = declareEndpoint({
  name: 'upload-realm-logo',
  method: 'POST',
  path: '/realm/logo',
  service: 'people',
  tag: 'Organization',
  summary: "Replace the organization's logo for day or night",
  description: `${form} It is scaled to fit into 800 by 100 pixels.`,
  example: { parameters: { night: false }, file: 'heron.png' },
  access: administrators,
  parameters: [nightParameter],
  file: 'required',
  success: object({}),
  errors: ['BAD_IMAGE', 'UNAUTHORIZED_PRINCIPAL', 'BAD_REQUEST'],
  ...pictureUpload,
});

/** DELETE realm/logo (reference facts, people 14.3). */
export const removeRealmLogoEndpoint = declareEndpoint({
  name: 'remove-realm-logo',
  method: 'DELETE',
  path: '/realm/logo',
  service: 'people',
  tag: 'Organization',
  summary: "Take the organization's logo for day or night back to the default",
  example: { parameters: { night: false } },
  access: administrators,
  parameters: [nightParameter],
  success: object({}),
  errors: ['UNAUTHORIZED_PRINCIPAL', 'BAD_REQUEST'],
});

/** GET /user_avatars/{realm_id}/realm/{file} (reference facts, people 5.5). */
export const getRealmPictureEndpoint = declareEndpoint({
  ...pictureOf('image/png'),
  name: 'get-realm-picture',
  tag: 'Organization',
  path: '/user_avatars/{realm_id}/realm/{file}',
  summary: 'Get an uploaded icon or logo',
  example: {
    parameters: { realm_id: exampleVariables.realmId, file: exampleVariables.realmPictureFile },
    savedAs: 'icon.png',
  },
  parameters: [
    pathText('realm_id', { description: 'The organization', pattern: /^1$/ }),
    pathText('file', {
      description: 'As the URL says',
      pattern: /^(?:icon|logo|night_logo)\.png$/,
    }),
    textParameter('version', {
      default: '',
      description: 'As the URL says; the picture may be kept then',
    }),
  ],
});

/** GET /static/images/logo/parley-logo.png (reference facts, people 5.5). */
export const getDefaultLogoEndpoint = declareEndpoint({
  ...pictureOf('image/png'),
  name: 'get-default-logo',
  tag: 'Organization',
  path: '/static/images/logo/parley-logo.png',
  summary: 'Get the default logo',
  example: { savedAs: 'logo.png' },
  parameters: [],
});

/** GET /static/images/logo/parley-logo-night.png (reference facts, people 5.5). */
export const getDefaultNightLogoEndpoint = declareEndpoint({
  ...pictureOf('image/png'),
  name: 'get-default-night-logo',
  tag: 'Organization',
  path: '/static/images/logo/parley-logo-night.png',
  summary: 'Get the default logo for dark ground',
  example: { savedAs: 'logo-night.png' },
  parameters: [],
});
