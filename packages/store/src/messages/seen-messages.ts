/** Locks of single messages (reads `messages`), for changes that attach something to them. */
import type { Client, Queryable } from '@parley/database';

import { keepForFormerHolders } from './kept-messages.ts';
import {
  holdsMessageSql,
  mayChangeMessageSql,
  maySeeMessageSql,
} from '../visibility/visibility-sql.ts';

/** A message that a user may see. */
export type SeenMessage = {
  readonly id: number;
  readonly streamId: number | null;
  /** Whether the user holds it; otherwise the user sees it because its stream's history is open. */
  readonly isHeld: boolean;
  /** Whether the user may change it, or what is shown with it. */
  readonly mayChange: boolean;
};

const seenText = `SELECT m.id, m.stream_id AS "streamId", ${holdsMessageSql('m', '$1::integer')} AS "isHeld",
    ${mayChangeMessageSql('m', '$1::integer')} AS "mayChange"
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
 * open, or changes it, the stream is locked before it, so that nobody can lose access meanwhile.
 *
 * @param seen the result of `findSeenMessage`, which is checked again
 * @param purpose `change` also keeps it for those who left its private stream
 * @returns undefined if the user may no longer see it, or it is gone
 */
export async function lockSeenMessage(
  client: Client,
  userId: number,
  seen: SeenMessage,
  purpose: 'hold' | 'change',
): Promise<SeenMessage | undefined> {
  if ((purpose === 'change' || !seen.isHeld) && seen.streamId !== null) {
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
  if (purpose === 'change' && seen.streamId !== null) await keepForFormerHolders(client, [seen.id]);
  return rows[0];
}
