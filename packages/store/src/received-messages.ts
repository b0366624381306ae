/** Reads of what a user received: by membership periods, by taking part, or late. */
import type { Queryable } from '@parley/database';

import { canHoldSql, heldSql, periodsSql } from './message-sql.ts';

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
      ) newest WHERE ${canHoldSql('$1::integer')}`,
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

/** The most ids that one event names of a stream left behind: no client begins with more (reference facts, events 4.1). */
const heldListedMax = 50_000;

/**
 * @param upToMessageId what came later is left out
 * @returns the ids of the messages of a stream that the user held, ascending, the newest 50,000 at most
 */
export async function listHeldInStream(
  db: Queryable,
  userId: number,
  streamId: number,
  upToMessageId: number,
): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>({
    name: 'store-held-in-stream',
    text: `SELECT held.id FROM (
        SELECT newest.id FROM (${periodsSql('$1::integer')}) held_in CROSS JOIN LATERAL (
            SELECT m.id FROM messages m WHERE m.stream_id = $2 AND m.id > held_in.above AND m.id <= least(held_in.upto, $3)
            ORDER BY m.id DESC LIMIT ${heldListedMax}) newest
        WHERE held_in.stream_id = $2 AND ${canHoldSql('$1::integer')}
        UNION SELECT m.id FROM late_receipts l JOIN messages m ON m.id = l.message_id
        WHERE l.user_id = $1 AND m.stream_id = $2 AND m.id <= $3
        ORDER BY id DESC LIMIT ${heldListedMax}) held
      ORDER BY held.id`,
    values: [userId, streamId, upToMessageId],
  });
  return rows.map((row) => row.id);
}
