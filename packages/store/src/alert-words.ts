import type { Queryable } from '@parley/database';

/** Words that people want to be alerted to (owner of `alert_words`; reference facts, events 15.4). */

/** @returns the person's alert words in the order of their addition */
export async function listAlertWords(db: Queryable, userId: number): Promise<string[]> {
  const { rows } = await db.query<{ word: string }>({
    name: 'store-list-alert-words',
    text: 'SELECT word FROM alert_words WHERE user_id = $1 ORDER BY added_at, word',
    values: [userId],
  });
  return rows.map((row) => row.word);
}

/** @returns the alert words of all active accounts, for matching at send time */
export async function listAllAlertWords(
  db: Queryable,
): Promise<{ userId: number; word: string }[]> {
  const { rows } = await db.query<{ userId: number; word: string }>({
    name: 'store-list-all-alert-words',
    text: `SELECT a.user_id AS "userId", a.word FROM alert_words a JOIN users u ON u.id = a.user_id
      WHERE u.is_active ORDER BY a.user_id, a.added_at, a.word`,
  });
  return rows;
}

/** Adds words in the given order; those already there stay where they are. */
export async function addAlertWords(
  db: Queryable,
  userId: number,
  words: readonly string[],
): Promise<void> {
  await db.query({
    text: `INSERT INTO alert_words (user_id, word, added_at)
      SELECT $1, w.word, clock_timestamp() + w.n * interval '1 microsecond'
      FROM unnest($2::text[]) WITH ORDINALITY w (word, n) ON CONFLICT DO NOTHING`,
    values: [userId, words],
  });
}

/** Removes words; those that are not there are ignored. */
export async function removeAlertWords(
  db: Queryable,
  userId: number,
  words: readonly string[],
): Promise<void> {
  await db.query({
    text: 'DELETE FROM alert_words WHERE user_id = $1 AND word = ANY ($2::text[])',
    values: [userId, words],
  });
}
