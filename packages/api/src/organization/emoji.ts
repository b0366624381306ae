import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { pathText } from '../declare/parameters.ts';
import { object } from '../declare/schema.ts';
import { pictureOf, pictureUpload } from '../people/pictures.ts';
import { extraEmojiPath } from './extra-emoji.ts';
import { realmEmojiSchema } from './objects.ts';

/** Custom emoji, and the built-in one that is a picture. */

const errors = ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'] as const;

function emojiNameParameter(description: string) {
  // Names with a U+0000 are answered like other invalid names.
  return pathText('emoji_name', { description, nul: 'handled' });
}

/** GET realm/emoji (contract, Custom emoji; reference facts, people 11.1). */
export const listRealmEmojiEndpoint = declareEndpoint({
  name: 'list-realm-emoji',
  method: 'GET',
  path: '/realm/emoji',
  service: 'people',
  tag: 'Organization',
  summary: 'List the custom emoji, including deactivated ones',
  access: { authentication: 'required' },
  parameters: [],
  success: object({ emoji: realmEmojiSchema }),
});

/** POST realm/emoji/{emoji_name} (reference facts, people 11.1). */
export const addRealmEmojiEndpoint = declareEndpoint({
  name: 'add-realm-emoji',
  method: 'POST',
  path: '/realm/emoji/{emoji_name}',
  service: 'people',
  tag: 'Organization',
  summary: 'Add a custom emoji',
  description:
    'A multipart form with one file: a PNG, JPEG, GIF, WebP or TIFF of at most 5 MB. It is cropped to a square of 64 pixels in its own format, except that a TIFF becomes a PNG; a GIF stays animated. The organization may restrict this to administrators.',
  example: { parameters: { emoji_name: 'puffin' }, file: 'heron.png' },
  access: { authentication: 'required', guests: 'refused', bots: 'refused' },
  parameters: [
    emojiNameParameter('Lower-case letters, digits, `.`, `-` and `_`; spaces become `_`'),
  ],
  file: 'required',
  success: object({}),
  errors,
  ...pictureUpload,
});

/** DELETE realm/emoji/{emoji_name} (reference facts, people 11.1). */
export const removeRealmEmojiEndpoint = declareEndpoint({
  name: 'remove-realm-emoji',
  method: 'DELETE',
  path: '/realm/emoji/{emoji_name}',
  service: 'people',
  tag: 'Organization',
  summary: 'Deactivate a custom emoji',
  description: 'For administrators and its author. Its name becomes free.',
  example: { parameters: { emoji_name: 'puffin' } },
  access: { authentication: 'required' },
  parameters: [emojiNameParameter('The name of an active one')],
  success: object({}),
  errors,
});

/** GET /user_avatars/{realm_id}/emoji/images/{file} (reference facts, people 11.1). */
export const getEmojiFileEndpoint = declareEndpoint({
  ...pictureOf('image/*'),
  name: 'get-emoji-file',
  tag: 'Organization',
  path: '/user_avatars/{realm_id}/emoji/images/{file}',
  summary: 'Get the picture of a custom emoji',
  example: {
    parameters: { realm_id: exampleVariables.realmId, file: exampleVariables.emojiFile },
    savedAs: 'emoji.png',
  },
  parameters: [
    pathText('realm_id', { description: 'The organization', pattern: /^1$/ }),
    pathText('file', {
      description: 'As source_url says',
      pattern: /^[1-9]\d{0,8}\.(?:png|jpg|gif|webp)$/,
    }),
  ],
});

/** GET /static/generated/emoji/images/emoji/unicode/zulip.png (reference facts, markdown 9). */
export const getExtraEmojiEndpoint = declareEndpoint({
  ...pictureOf('image/png'),
  name: 'get-extra-emoji',
  tag: 'Organization',
  path: extraEmojiPath,
  summary: 'Get the picture of the only built-in emoji that is not a character',
  example: { savedAs: 'zulip.png' },
  parameters: [],
});
