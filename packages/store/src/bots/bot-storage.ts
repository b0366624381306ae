import { createHash } from 'node:crypto';

import type { Queryable } from '@parley/database';

/** Data that accounts store for themselves under keys of their choice (owner of `bot_storage`; reference facts, people 8). */

const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/** @returns the values that an account stored, of all keys or of the named ones; missing keys are absent */
export async function readBotStorage(
  db: Queryable,
  userId: number,
  keys?: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ key: string; value: string }>({
    text: `SELECT key, value FROM bot_storage
      WHERE user_id = $1 AND ($2::bytea[] IS NULL OR key_hash = ANY ($2)) ORDER BY key COLLATE "C"`,
    values: [userId, keys?.map(hashOf) ?? null],
  });
  return new Map(rows.map(({ key, value }) => [key, value]));
}

/** The size of an account's data: keys, and characters of all keys and values. */
export type BotStorageSize = { readonly keys: number; readonly characters: number };

/**
 * Stores values under keys, replacing earlier ones. The caller has locked the account.
 *
 * @returns the size of the account's data now
 */
export async function writeBotStorage(
  db: Queryable,
  userId: number,
  values: ReadonlyMap<string, string>,
): Promise<BotStorageSize> {
  await db.query({
    text: `INSERT INTO bot_storage (user_id, key_hash, key, value) SELECT $1, * FROM unnest($2::bytea[], $3::text[], $4::text[])
      ON CONFLICT (user_id, key_hash) DO UPDATE SET value = excluded.value`,
    values: [userId, [...values.keys()].map(hashOf), [...values.keys()], [...values.values()]],
  });
  const { rows } = await db.query<BotStorageSize>({
    text: `SELECT count(*)::integer AS keys, coalesce(sum(length(key) + length(value)), 0)::float8 AS characters
      FROM bot_storage WHERE user_id = $1`,
    values: [userId],
  });
  return rows[0] ?? { keys: 0, characters: 0 };
}

/**
 * Deletes an account's values, under all keys or under the named ones. The caller has locked the account.
 *
 * @returns the number of keys that had a value
 */
export async function deleteBotStorage(
  db: Queryable,
  userId: number,
  keys?: readonly string[],
): Promise<number> {
  const { rowCount } = await db.query({
    text: 'DELETE FROM bot_storage WHERE user_id = $1 AND ($2::bytea[] IS NULL OR key_hash = ANY ($2))',
    values: [userId, keys?.map(hashOf) ?? null],
  });
  return rowCount ?? 0;
}
