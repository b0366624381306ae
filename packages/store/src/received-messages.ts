/** Reads of what a user received: by membership periods, by taking part, or late. */
import type { Queryable } from '@parley/database';

import { heldSql } from './message-sql.ts';

/**
 * @returns the newest message that the user holds, or undefined; register's `max_message_id` (reference facts, events 4). One
 *   index look-up for each membership period and each private conversation.
 */
export async function newestReceivedMessageId(
  db: Queryable,
  userId: number,
): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number | null }>({
    name: 'newest-received-message-id',
    text: `SELECT max(newest.id) AS id FROM (
        SELECT (SELECT m.id FROM messages m WHERE m.stream_id = p.stream_id AND m.id > f.message_id
            AND (p.until_change_id IS NULL OR m.id <= t.message_id) ORDER BY m.id DESC LIMIT 1) AS id
        FROM membership_periods p JOIN changes f ON f.id = p.from_change_id LEFT JOIN changes t ON t.id = p.until_change_id
        WHERE p.user_id = $1
        UNION ALL
        SELECT (SELECT m.id FROM messages m WHERE m.conversation_id = c.conversation_id ORDER BY m.id DESC LIMIT 1)
        FROM conversation_participants c WHERE c.user_id = $1
        UNION ALL
        SELECT (SELECT l.message_id FROM late_receipts l WHERE l.user_id = $1 ORDER BY l.message_id DESC LIMIT 1)
      ) newest`,
    values: [userId],
  });
  return rows[0]?.id ?? undefined;
}

/** @returns whether the user holds the message */
export async function holdsMessage(
  db: Queryable,
  userId: number,
  messageId: number,
): Promise<boolean> {
  const { rows } = await db.query<{ holds: boolean }>({
    name: 'holds-message',
    text: `SELECT EXISTS (SELECT 1 FROM messages m WHERE m.id = $2 AND ${heldSql('m', '$1::integer')}) AS holds`,
    values: [userId, messageId],
  });
  return rows[0]?.holds ?? false;
}
