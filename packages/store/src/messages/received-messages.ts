/** Reads of what a user received: by membership periods, by taking part, or late. */
import type { Queryable } from '@parley/database';

import { canHoldSql, holdsMessageSql, periodsSql } from '../visibility/visibility-sql.ts';

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
        SELECT (SELECT m.id FROM messages m WHERE m.stream_id = p.stream_id AND m.id > p.above AND m.id <= p.upto ORDER BY m.id DESC LIMIT 1) AS id
        FROM (${periodsSql('$1::integer')}) p
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
export async function isMessageHeld(
  db: Queryable,
  userId: number,
  messageId: number,
): Promise<boolean> {
  const { rows } = await db.query<{ holds: boolean }>({
    name: 'holds-message',
    text: `SELECT EXISTS (SELECT 1 FROM messages m WHERE m.id = $2 AND ${holdsMessageSql('m', '$1::integer')}) AS holds`,
    values: [userId, messageId],
  });
  return rows[0]?.holds ?? false;
}

/** The most ids that one event names of a stream left behind: no client begins with more (reference facts, events 4.1). */
const heldListedMax = 50_000;

/**
 * @param range which messages of the log are looked through
 * @returns the ids of the messages of a stream that the user held, ascending, the newest 50,000 at most
 */
export async function listHeldInStream(
  db: Queryable,
  userId: number,
  streamId: number,
  range: { readonly aboveMessageId: number; readonly upToMessageId: number },
): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>({
    name: 'store-held-in-stream',
    text: `SELECT held.id FROM (
        SELECT newest.id FROM (${periodsSql('$1::integer')}) held_in CROSS JOIN LATERAL (
            SELECT m.id FROM messages m WHERE m.stream_id = $2 AND m.id > greatest(held_in.above, $4) AND m.id <= least(held_in.upto, $3)
            ORDER BY m.id DESC LIMIT ${heldListedMax}) newest
        WHERE held_in.stream_id = $2 AND ${canHoldSql('$1::integer')}
        UNION SELECT m.id FROM late_receipts l JOIN messages m ON m.id = l.message_id
        WHERE l.user_id = $1 AND m.stream_id = $2 AND m.id > $4 AND m.id <= $3
        ORDER BY id DESC LIMIT ${heldListedMax}) held
      ORDER BY held.id`,
    values: [userId, streamId, range.upToMessageId, range.aboveMessageId],
  });
  return rows.map((row) => row.id);
}
