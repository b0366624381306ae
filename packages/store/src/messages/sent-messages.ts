import type { Queryable } from '@parley/database';

/** @returns the id of the newest message that the account sent, or undefined (reference facts, people 7.2) */
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

/** @returns the message that was sent with the key and this content within the last day (ten days for an answer by mail), or undefined */
export async function findMessageOfSendKey(
  db: Queryable,
  send: { readonly key: string; readonly contentHash: string },
): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>({
    name: 'store-find-message-of-send-key',
    text: `SELECT message_id AS id FROM send_keys WHERE send_key = $1 AND content_hash = decode($2, 'hex')`,
    values: [send.key, send.contentHash],
  });
  return rows[0]?.id;
}
