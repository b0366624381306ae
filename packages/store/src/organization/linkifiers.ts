import type { Queryable } from '@parley/database';

/** Patterns that become links in messages (owner of `linkifiers`). Sends read them with `getSendRealm`. */

export type StoredLinkifier = {
  readonly id: number;
  readonly pattern: string;
  readonly urlFormat: string;
};

/** @returns all linkifiers in the order of their addition, in which they also apply */
export async function listLinkifiers(db: Queryable): Promise<StoredLinkifier[]> {
  const { rows } = await db.query<StoredLinkifier>({
    name: 'store-list-linkifiers',
    text: 'SELECT id, pattern, url_format AS "urlFormat" FROM linkifiers ORDER BY id',
  });
  return rows;
}

/** Events contain the whole list, so changes run one at a time, under an advisory lock with this number. */
const linkifiersLock = 7_217_007;

/** Locks the list for a change; people are locked before. @returns the list */
export async function lockLinkifiers(db: Queryable): Promise<StoredLinkifier[]> {
  await db.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [linkifiersLock] });
  return listLinkifiers(db);
}

/** Adds a linkifier to the locked list, in which its pattern is not used yet. @returns its id */
export async function insertLinkifier(
  db: Queryable,
  linkifier: Omit<StoredLinkifier, 'id'>,
): Promise<number> {
  const { rows } = await db.query<{ id: number }>({
    text: 'INSERT INTO linkifiers (pattern, url_format) VALUES ($1, $2) RETURNING id',
    values: [linkifier.pattern, linkifier.urlFormat],
  });
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('a linkifier was not added');
  return id;
}

/** Removes a linkifier of the locked list. */
export async function deleteLinkifier(db: Queryable, linkifierId: number): Promise<void> {
  await db.query({ text: 'DELETE FROM linkifiers WHERE id = $1', values: [linkifierId] });
}
