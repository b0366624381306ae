/** Locks of single messages (reads `messages`), for changes that attach something to them. */
import type { Client, Queryable } from '@parley/database';

import { holdsMessageSql, maySeeMessageSql } from '../visibility/visibility-sql.ts';

/** A message that a user may see. */
export type SeenMessage = {
  readonly id: number;
  readonly streamId: number | null;
  /** Whether the user holds it; otherwise the user sees it because its stream's history is open. */
  readonly isHeld: boolean;
};

const seenText = `SELECT m.id, m.stream_id AS "streamId", ${holdsMessageSql('m', '$1::integer')} AS "isHeld"
  FROM messages m WHERE m.id = $2::bigint AND ${maySeeMessageSql('m', '$1::integer')}`;

/** @returns undefined if there is no such message or the user may not see it (reference facts, messages 7) */
export async function findSeenMessage(
  db: Queryable,
  userId: number,
  messageId: number,
): Promise<SeenMessage | undefined> {
  const { rows } = await db.query<SeenMessage>({
    name: 'seen-message',
    text: seenText,
    values: [userId, messageId],
  });
  return rows[0];
}

/**
 * Locks a message that a user may see until the transaction ends. This blocks its deletion, edits, and other changes that attach something
 * or add holders, so its holders do not change before the entry about it is in the log. If the user sees it only because its stream is
 * open, the stream is locked before it, so that the user cannot lose access meanwhile.
 *
 * @param seen the result of `findSeenMessage`, which is checked again
 * @returns undefined if the user may no longer see it, or it is gone
 */
export async function lockSeenMessage(
  client: Client,
  userId: number,
  seen: SeenMessage,
): Promise<SeenMessage | undefined> {
  if (!seen.isHeld && seen.streamId !== null) {
    await client.query({
      name: 'seen-message-stream',
      text: 'SELECT 1 FROM streams s WHERE s.id = $1 FOR KEY SHARE',
      values: [seen.streamId],
    });
  }
  const { rows } = await client.query<SeenMessage>({
    name: 'seen-message-lock',
    text: `${seenText} FOR NO KEY UPDATE OF m`,
    values: [userId, seen.id],
  });
  return rows[0];
}
