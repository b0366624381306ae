import { randomBytes } from 'node:crypto';

import { withoutCode } from '@parley/api';
import type { Client } from '@parley/database';
import { setAvatarFile } from '@parley/store';

import type { PeopleContext } from '../people-context.ts';
import { readPictures } from '../pictures/picture-maker.ts';
import type { PictureRequest, UploadedPicture } from '../pictures/picture-maker.ts';

/** The pictures of people and bots as files, two of each; a row names both by one key. */

/** Pixels (reference facts, people 7.8). */
export const avatarSides = { normal: 100, medium: 500 } as const;

const mediumSuffix = '-medium';

/** @returns the key of a picture in one of its sizes */
export function avatarKey(fileKey: string, size: keyof typeof avatarSides): string {
  return size === 'medium' ? fileKey + mediumSuffix : fileKey;
}

/** @returns the keys of a picture in all its sizes; empty without a picture */
function avatarKeys(fileKey: string | undefined): string[] {
  if (fileKey === undefined) return [];
  return [avatarKey(fileKey, 'normal'), avatarKey(fileKey, 'medium')];
}

/** The result of a transaction that sets an avatar, and the key of the former picture. */
export type NamedAvatar<Result> = {
  readonly result: Result;
  readonly former: string | undefined;
};

/**
 * Makes and stores the pictures of an avatar, then calls `name`. If that refuses, the pictures are removed.
 *
 * @param name receives the new key, and calls `nameAvatarFile` in its transaction
 * @throws ApiError for a file that is too large or no image; 503 if the files cannot be stored
 * @throws whatever `name` throws
 */
export async function replaceAvatar<Result>(
  context: PeopleContext,
  picture: UploadedPicture,
  name: (fileKey: string) => Promise<NamedAvatar<Result>>,
): Promise<Result> {
  const sides = [avatarSides.normal, avatarSides.medium];
  const made = await context.pictureMaker.make(picture, { shape: 'squares', sides });
  const [normal, medium] = made;
  if (normal === undefined || medium === undefined) throw new Error('a picture was not made');
  const fileKey = `avatars/${randomBytes(16).toString('hex')}`;
  const pictures = [
    { key: avatarKey(fileKey, 'normal'), content: normal.content },
    { key: avatarKey(fileKey, 'medium'), content: medium.content },
  ];
  const { result, former } = await context.pictures.keep(pictures, () => name(fileKey));
  await removeAvatar(context, former);
  return result;
}

/**
 * Sets the files of an account's avatar, in a transaction.
 *
 * @param fileKey undefined for none
 * @returns the key of the former picture, for `removeAvatar` after the commit
 */
export async function nameAvatarFile(
  { pictures }: PeopleContext,
  client: Client,
  userId: number,
  fileKey: string | undefined,
): Promise<string | undefined> {
  await pictures.claim(client, avatarKeys(fileKey));
  const former = await setAvatarFile(client, userId, fileKey);
  await pictures.giveUp(client, avatarKeys(former));
  return former;
}

/** Removes the files of a picture that `nameAvatarFile` took from an account. */
export async function removeAvatar(
  { pictures }: PeopleContext,
  fileKey: string | undefined,
): Promise<void> {
  await pictures.remove(avatarKeys(fileKey));
}

/**
 * @returns the one file of a form that may have one
 * @throws ApiError without code when there are more
 */
export async function findOneFile(request: PictureRequest): Promise<UploadedPicture | undefined> {
  const files = await readPictures(request);
  if (files.length > 1) throw withoutCode('You may only upload one file at a time');
  return files[0];
}
