import { hash } from 'node:crypto';

import { realmId } from '@parley/api';
import type { Queryable } from '@parley/database';

/** The files of uploaded avatars (owner of `avatars`). */

/**
 * The name distinguishes pictures and hides nothing, because everybody may read them. It stays the same in another installation and under
 * another `PARLEY_KEY_SECRET`, which clients and logged messages rely on.
 *
 * @returns the name of an account's uploaded avatar in URLs, without size and extension (reference facts, people 7.8)
 */
export function avatarPathName(userId: number): string {
  return hash('sha256', `avatar of ${userId} in ${realmId}`).slice(0, 40);
}

/**
 * Stores the picture of an account, or that it has none. The caller has locked the account.
 *
 * @param fileKey undefined for none
 * @returns the key of the earlier picture, whose file is unused after the commit
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

/** @returns the key of the picture with this name in URLs */
export async function findAvatarFile(db: Queryable, pathName: string): Promise<string | undefined> {
  const { rows } = await db.query<{ fileKey: string }>({
    name: 'store-find-avatar-file',
    text: 'SELECT file_key AS "fileKey" FROM avatars WHERE path_name = $1',
    values: [pathName],
  });
  return rows[0]?.fileKey;
}
