import type { Queryable } from '@parley/database';

import { canHoldSql } from '../visibility/visibility-sql.ts';

/** A private conversation as register lists it (reference facts, events 4, `recent_private_conversations`). */
export type RecentConversation = {
  readonly max_message_id: number;
  /** The other participants, ascending; empty for notes to oneself. */
  readonly user_ids: readonly number[];
};

/**
 * The reference looks at this many messages of each kind, so with this many conversations none is missing that it would list. The cost is
 * one index look-up for each conversation, however long it is.
 */
const listedMax = 1_000;

/** Of all listed conversations together: others choose with whom somebody has one. */
const listedParticipantsMax = 50_000;

/** @returns the user's private conversations that have messages, the newest first */
export async function listRecentConversations(
  db: Queryable,
  userId: number,
): Promise<RecentConversation[]> {
  const { rows } = await db.query<RecentConversation>({
    name: 'store-recent-conversations',
    text: `SELECT newest.id AS max_message_id, array_remove(c.participant_ids, $1) AS user_ids
      FROM conversation_participants p JOIN conversations c ON c.id = p.conversation_id
      CROSS JOIN LATERAL (SELECT m.id FROM messages m WHERE m.conversation_id = c.id ORDER BY m.id DESC LIMIT 1) newest
      WHERE p.user_id = $1 AND ${canHoldSql('$1::integer')} ORDER BY newest.id DESC LIMIT ${listedMax}`,
    values: [userId],
  });
  let participants = 0;
  const beyond = rows.findIndex(({ user_ids: ids }) => {
    participants += ids.length;
    return participants > listedParticipantsMax;
  });
  return beyond === -1 ? rows : rows.slice(0, beyond);
}
