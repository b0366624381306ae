import { realmEmojiSchema } from '@parley/api-schemas';
import { notFound } from '@parley/contracts';
import { defineEndpoint, exampleVariables, pathText } from '@parley/http';
import { isEmojiFile, listRealmEmoji, realmEmojiJson } from '@parley/store';

import type { PresenceContext } from '../context.ts';
import { addEmoji, emojiFileKey, removeEmoji } from '../organization/change-emoji.ts';
import { pictureAnswer, pictureOf } from './picture-answer.ts';
import { emptyAnswer } from './empty-answer.ts';

const members = { authentication: 'required', guests: 'refused', bots: 'refused' } as const;
const errors = ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'] as const;

function emojiName(description: string) {
  // Names with a U+0000 are answered like others that are none.
  return pathText('emoji_name', { description, nul: 'handled' });
}

/** GET realm/emoji (contract, Custom emoji; reference facts, people 11.1). */
export const listRealmEmojiEndpoint = defineEndpoint({
  name: 'list-realm-emoji',
  method: 'GET',
  path: '/realm/emoji',
  summary: 'List the custom emoji, deactivated ones included',
  access: { authentication: 'required' },
  parameters: [],
  response: {
    type: 'object',
    properties: {
      emoji: realmEmojiSchema,
    },
    required: ['emoji'],
  },
  handler: async (context: PresenceContext) => ({
    emoji: realmEmojiJson(await listRealmEmoji(context.pool)),
  }),
});

/** POST realm/emoji/{emoji_name} (reference facts, people 11.1). */
export const addRealmEmojiEndpoint = defineEndpoint({
  name: 'add-realm-emoji',
  method: 'POST',
  path: '/realm/emoji/:emoji_name',
  summary: 'Add a custom emoji',
  description:
    'A multipart form with one file: a PNG, JPEG, GIF or WebP of at most 5 MB. It is cropped to a square of 64 pixels; an animated GIF keeps moving. The organization may leave emoji to administrators.',
  example: { parameters: { emoji_name: 'puffin' }, file: 'heron.png' },
  access: members,
  parameters: [emojiName('Lower-case letters, digits, `.`, `-` and `_`; spaces become `_`')],
  formFile: 'required',
  response: emptyAnswer,
  errors,
  handler: async (context: PresenceContext, { caller, parameters, formFiles }) => {
    await addEmoji(context, caller, parameters.emoji_name, formFiles);
    return {};
  },
});

/** DELETE realm/emoji/{emoji_name} (reference facts, people 11.1). */
export const removeRealmEmojiEndpoint = defineEndpoint({
  name: 'remove-realm-emoji',
  method: 'DELETE',
  path: '/realm/emoji/:emoji_name',
  summary: 'Deactivate a custom emoji',
  description: 'For administrators and its author. Its name becomes free.',
  example: { parameters: { emoji_name: 'puffin' } },
  access: members,
  parameters: [emojiName('The name of an active one')],
  response: emptyAnswer,
  errors,
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await removeEmoji(context, caller, parameters.emoji_name);
    return {};
  },
});

const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** GET /user_avatars/{realm_id}/emoji/images/{file} (reference facts, people 11.1). */
export const getEmojiFileEndpoint = defineEndpoint({
  name: 'get-emoji-file',
  example: {
    parameters: { realm_id: exampleVariables.realmId, file: exampleVariables.emojiFile },
    savedAs: 'emoji.png',
  },
  method: 'GET',
  below: 'root',
  path: '/user_avatars/:realm_id/emoji/images/:file',
  summary: 'Get the picture of a custom emoji',
  parameters: [
    pathText('realm_id', { description: 'The organization', pattern: /^1$/ }),
    pathText('file', {
      description: 'As source_url says',
      pattern: /^[1-9]\d{0,8}\.(?:png|jpg|gif|webp)$/,
    }),
  ],
  ...pictureOf('image/*'),
  handler: async (context: PresenceContext, { parameters }) => {
    const { file } = parameters;
    const [id, extension] = file.split('.');
    if (!(await isEmojiFile(context.pool, Number(id), file))) throw notFound();
    const picture = await context.pictures.read(emojiFileKey(Number(id)));
    if (picture === undefined) throw notFound();
    // The picture of an id never changes.
    return pictureAnswer(types[extension ?? ''] ?? '', picture, 'forever');
  },
});
