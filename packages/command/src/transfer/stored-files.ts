/** The stored files that the rows of an organization name. */
import type { Client, Queryable } from '@parley/database';
import { avatarKey, emojiFileKey } from '@parley/people';
import { storageKeyOf } from '@parley/store';

type NamedFiles = {
  /** A query of one text column. */
  readonly select: string;
  readonly keysOf: (named: string) => readonly string[];
};

const sources: readonly NamedFiles[] = [
  {
    select: 'SELECT path_id AS named FROM uploads ORDER BY path_id',
    keysOf: (pathId) => [storageKeyOf(pathId)],
  },
  {
    select: 'SELECT file_key AS named FROM avatars ORDER BY user_id',
    keysOf: (fileKey) => [avatarKey(fileKey, 'normal'), avatarKey(fileKey, 'medium')],
  },
  {
    select: 'SELECT id::text AS named FROM realm_emoji ORDER BY id',
    keysOf: (id) => [emojiFileKey(Number(id))],
  },
  {
    select: `SELECT k AS named FROM realm, unnest(ARRAY[icon_file_key, logo_file_key, night_logo_file_key]) k
      WHERE k IS NOT NULL ORDER BY k`,
    keysOf: (fileKey) => [fileKey],
  },
];

const namesPerFetch = 500;

/** Reads the keys in the transaction's snapshot, a few at a time. */
export async function* readStoredFiles(client: Client): AsyncGenerator<readonly string[]> {
  for (const { select, keysOf } of sources) {
    await client.query(`DECLARE stored_files NO SCROLL CURSOR FOR ${select}`);
    for (;;) {
      const { rows } = await client.query<{ named: string }>(
        `FETCH FORWARD ${namesPerFetch} FROM stored_files`,
      );
      if (rows.length === 0) break;
      yield rows.flatMap(({ named }) => keysOf(named));
    }
    await client.query('CLOSE stored_files');
  }
}

/** @returns the approximate number of files */
export async function countStoredFiles(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    text: `SELECT (SELECT count(*) FROM uploads) + 2 * (SELECT count(*) FROM avatars) + (SELECT count(*) FROM realm_emoji) AS count`,
  });
  return rows[0]?.count ?? 0;
}
