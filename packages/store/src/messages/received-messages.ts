/** Reads of the messages that a user holds: by membership periods, by taking part, or late. */
import type { Queryable } from '@parley/database';

import { canHoldSql, holdsMessageSql, periodsSql } from '../visibility/visibility-sql.ts';

/**
 * @returns the newest message that the user holds, or undefined; register's `max_message_id` (reference facts, events 4). It costs one
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

/** The most ids in one event about a stream that the user leaves: no client begins with more (reference facts, events 4.1). */
const heldListedMax = 50_000;

/** Messages of a stream that a user held by being its member. */
export type HeldRange = {
  readonly userId: number;
  readonly streamId: number;
  /** The messages of the log that are searched. */
  readonly aboveMessageId: number;
  readonly upToMessageId: number;
};

/** @returns for each range, in order, the ids of the held messages, ascending, the newest 50,000 at most */
export async function listHeldInStreams(
  db: Queryable,
  ranges: readonly HeldRange[],
): Promise<number[][]> {
  const { rows } = await db.query<{ ids: number[] }>({
    name: 'store-held-in-streams',
    text: `SELECT ARRAY(SELECT held.id FROM (
        SELECT newest.id FROM (${periodsSql('asked.user_id')}) held_in CROSS JOIN LATERAL (
            SELECT m.id FROM messages m WHERE m.stream_id = asked.stream_id
              AND m.id > greatest(held_in.above, asked.above) AND m.id <= least(held_in.upto, asked.upto)
            ORDER BY m.id DESC LIMIT ${heldListedMax}) newest
        WHERE held_in.stream_id = asked.stream_id AND ${canHoldSql('asked.user_id')}
        UNION SELECT m.id FROM late_receipts l JOIN messages m ON m.id = l.message_id
        WHERE l.user_id = asked.user_id AND m.stream_id = asked.stream_id AND m.id > asked.above AND m.id <= asked.upto
        ORDER BY id DESC LIMIT ${heldListedMax}) held ORDER BY held.id) AS ids
      FROM unnest($1::integer[], $2::integer[], $3::bigint[], $4::bigint[])
        WITH ORDINALITY AS asked (user_id, stream_id, above, upto, n) ORDER BY asked.n`,
    values: [
      ranges.map(({ userId }) => userId),
      ranges.map(({ streamId }) => streamId),
      ranges.map(({ aboveMessageId }) => aboveMessageId),
      ranges.map(({ upToMessageId }) => upToMessageId),
    ],
  });
  return rows.map((row) => row.ids);
}
