import { hash } from 'node:crypto';

import { realmId } from '@parley/api';
import type { Queryable } from '@parley/database';

/** Which files the uploaded avatars are (owner of `avatars`). */

/**
 * The name keeps pictures apart and hides nothing: they are served to everybody, and their addresses stay the same in another
 * installation and under another `PARLEY_KEY_SECRET`, which clients and logged messages rely on.
 *
 * @returns what URLs call an account's uploaded avatar, without size and extension (reference facts, people 7.8)
 */
export function avatarPathName(userId: number): string {
  return hash('sha256', `avatar of ${userId} in ${realmId}`).slice(0, 40);
}

/**
 * Records an account's picture, or that it has none. The account is locked by the caller.
 *
 * @param fileKey undefined for none
 * @returns the key of the picture before it, whose file nobody needs once this is committed
 */
export async function setAvatarFile(
  db: Queryable,
  userId: number,
  fileKey: string | undefined,
): Promise<string | undefined> {
  const { rows } = await db.query<{ fileKey: string }>({
    text: 'DELETE FROM avatars WHERE user_id = $1 RETURNING file_key AS "fileKey"',
    values: [userId],
  });
  if (fileKey !== undefined) {
    await db.query({
      text: 'INSERT INTO avatars (user_id, path_name, file_key) VALUES ($1, $2, $3)',
      values: [userId, avatarPathName(userId), fileKey],
    });
  }
  return rows[0]?.fileKey;
}

/** @returns the key of the picture that URLs call by this name */
export async function findAvatarFile(db: Queryable, pathName: string): Promise<string | undefined> {
  const { rows } = await db.query<{ fileKey: string }>({
    name: 'store-find-avatar-file',
    text: 'SELECT file_key AS "fileKey" FROM avatars WHERE path_name = $1',
    values: [pathName],
  });
  return rows[0]?.fileKey;
}
