import { notFound } from '@parley/api';
import {
  addRealmEmojiEndpoint,
  getEmojiFileEndpoint,
  getExtraEmojiEndpoint,
  listRealmEmojiEndpoint,
  removeRealmEmojiEndpoint,
} from '@parley/api/organization';
import { implement } from '@parley/server';
import { drawExtraEmoji } from '@parley/files/images';
import { addEmoji, emojiFileKey, readPictures, removeEmoji } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { realmEmojiJson } from '@parley/store/objects';
import { isEmojiFile, listRealmEmoji } from '@parley/store';
import { LRUCache } from 'lru-cache';

import { drawnPictureAnswer, pictureAnswer } from './picture-answer.ts';

export const listRealmEmojiHandler = implement(
  listRealmEmojiEndpoint,
  async (context: PeopleContext) => ({
    emoji: realmEmojiJson(await listRealmEmoji(context.pool)),
  }),
);

export const addRealmEmojiHandler = implement(
  addRealmEmojiEndpoint,
  async (context: PeopleContext, request) => {
    const { caller, parameters } = request;
    await addEmoji(context, caller, parameters.emoji_name, () => readPictures(request));
    return {};
  },
);

export const removeRealmEmojiHandler = implement(
  removeRealmEmojiEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await removeEmoji(context, caller, parameters.emoji_name);
    return {};
  },
);

const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

export const getEmojiFileHandler = implement(
  getEmojiFileEndpoint,
  async (context: PeopleContext, { parameters }) => {
    const { file } = parameters;
    const [id, extension] = file.split('.');
    if (!(await isEmojiFile(context.pool, Number(id), file))) throw notFound();
    const picture = await context.pictures.read(emojiFileKey(Number(id)));
    if (picture === undefined) throw notFound();
    // The picture of an id never changes.
    return pictureAnswer(types[extension ?? ''] ?? '', picture, 'forever');
  },
);

const drawn = new LRUCache<'octopus', Buffer>({ max: 1, fetchMethod: drawExtraEmoji });

export const getExtraEmojiHandler = implement(
  getExtraEmojiEndpoint,
  async (_context: PeopleContext) => drawnPictureAnswer(await drawn.forceFetch('octopus'), 'day'),
);
