/** The holders of messages, for events about the messages (reads tables of `flags`, `conversations` and `memberships`). */
import type { HeldMessage } from '@parley/event-log';
import type { Queryable } from '@parley/database';

import { isReactingBotSql, wasMemberSql } from '../visibility/visibility-sql.ts';

type HeldRow = {
  id: number;
  position: number;
  streamId: number | null;
  conversationId: number;
  participantIds: number[] | null;
  lateHolderIds: number[];
  reactingBotIds: number[];
  formerHolderIds: number[];
};

export type HolderFacts = HeldMessage & { readonly conversationId: number };

/**
 * @returns the holders and the conversation of each message, by ascending id. Members of a stream follow from the message's position and
 *   are not listed. Messages that do not exist are excluded.
 */
export async function listHeldMessages(
  db: Queryable,
  messageIds: readonly number[],
): Promise<HolderFacts[]> {
  const { rows } = await db.query<HeldRow>({
    name: 'message-holders',
    text: `SELECT m.id, m.position, m.stream_id AS "streamId", m.conversation_id AS "conversationId",
        c.participant_ids AS "participantIds",
        ARRAY(SELECT l.user_id FROM late_receipts l WHERE l.message_id = m.id ORDER BY l.user_id) AS "lateHolderIds",
        ARRAY(SELECT b.id FROM users b WHERE ${isReactingBotSql('b')} AND (b.id = ANY (c.participant_ids)
          OR ${wasMemberSql('m.stream_id', 'b.id')}) ORDER BY b.id)
          AS "reactingBotIds",
        ARRAY(SELECT former FROM kept_messages k, unnest(k.user_ids) former WHERE k.message_id = m.id ORDER BY former) AS "formerHolderIds"
      FROM messages m JOIN conversations c ON c.id = m.conversation_id WHERE m.id = ANY ($1::bigint[]) ORDER BY m.id`,
    values: [messageIds],
  });
  return rows.map(({ streamId, participantIds, formerHolderIds, ...held }) => ({
    ...held,
    ...(formerHolderIds.length === 0 ? {} : { formerHolderIds }),
    ...(streamId === null ? {} : { streamId }),
    ...(participantIds === null ? {} : { participantIds }),
  }));
}

/** @returns the result of `listHeldMessages` for one message, or undefined if there is no such message */
export async function findHeldMessage(
  db: Queryable,
  messageId: number,
): Promise<HolderFacts | undefined> {
  const [held] = await listHeldMessages(db, [messageId]);
  return held;
}
