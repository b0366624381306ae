import type { Queryable } from '@parley/database';

/** @returns the id of the newest message that the account itself sent, or undefined (reference facts, people 7.2) */
export async function findNewestSentMessageId(
  db: Queryable,
  userId: number,
): Promise<number | undefined> {
  const { rows } = await db.query<{ newest: number | null }>({
    name: 'store-find-newest-sent-message',
    text: 'SELECT max(id) AS newest FROM messages WHERE sender_id = $1',
    values: [userId],
  });
  return rows[0]?.newest ?? undefined;
}
