import type { Queryable } from '@parley/database';

/** Words that alert people (owner of `alert_words` and `alert_words_version`; reference facts, events 15.4). */

/** @returns the person's alert words in the order of their addition */
export async function listAlertWords(db: Queryable, userId: number): Promise<string[]> {
  const { rows } = await db.query<{ word: string }>({
    name: 'store-list-alert-words',
    text: 'SELECT word FROM alert_words WHERE user_id = $1 ORDER BY added_at, word',
    values: [userId],
  });
  return rows.map((row) => row.word);
}

/** The alert words of all accounts, and their common version. */
export type AllAlertWords = {
  /** Changes with every word that is added or removed. */
  readonly version: string;
  readonly words: readonly { readonly userId: number; readonly word: string }[];
};

/**
 * @returns the alert words of all accounts, to match at send time. They include those of deactivated accounts: a match counts only for
 *   holders of the message, so the words of a reactivated account work at once.
 */
export async function listAllAlertWords(db: Queryable): Promise<AllAlertWords> {
  const { rows } = await db.query<AllAlertWords>({
    name: 'store-list-all-alert-words',
    text: `SELECT v.version, coalesce((SELECT json_agg(json_build_object('userId', a.user_id, 'word', a.word)
        ORDER BY a.user_id, a.added_at, a.word) FROM alert_words a), '[]') AS words FROM alert_words_version v`,
  });
  const [all] = rows;
  if (all === undefined) throw new Error('the version of the alert words is gone');
  return all;
}

/** Adds words, after all others and in the given order; existing ones keep their places. The caller has locked the person. */
export async function addAlertWords(
  db: Queryable,
  userId: number,
  words: readonly string[],
): Promise<void> {
  await db.query({
    text: `INSERT INTO alert_words (user_id, word, added_at)
      SELECT $1, w.word, greatest(parley_now(), (SELECT max(a.added_at) FROM alert_words a WHERE a.user_id = $1))
        + w.n * interval '1 microsecond'
      FROM unnest($2::text[]) WITH ORDINALITY w (word, n) ON CONFLICT DO NOTHING`,
    values: [userId, words],
  });
}

/** Removes words; missing ones are ignored. */
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
