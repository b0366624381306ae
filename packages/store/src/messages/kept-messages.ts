/**
 * Messages of private streams as people hold them who left before the messages were changed (owner of `kept_messages`). Every change of a
 * message, or of what is shown with it, keeps it first; `visibility-sql.ts` says for whom a kept one takes the place of the message.
 */
import type { Client, Queryable } from '@parley/database';

import {
  canHoldSql,
  endedPeriodsSql,
  isMemberSql,
  isPrivateSql,
} from '../visibility/visibility-sql.ts';
import { shownReactionsSql, shownSubmessagesSql } from './shown-parts-sql.ts';

/** The columns that it has of `messages`. */
export const keptColumns = [
  'conversation_id',
  'topic',
  'content',
  'rendered_content',
  'is_me_message',
  'has_link',
  'has_image',
  'has_attachment',
  'mentions_wildcard',
  'group_mentioned_ids',
  'alert_word_ids',
  'subject_links',
  'last_edited_at',
  'edit_history',
  'search',
] as const;

/**
 * Keeps messages that are about to change for everybody who holds them and is no member of their private stream, unless an earlier state
 * was kept. The caller has locked the stream, so nobody leaves it meanwhile, and the messages. Those of earlier states are subtracted as a
 * set: looking each holder up in their lists would take a time that grows with the square of their number.
 */
export async function keepForFormerHolders(
  client: Client,
  messageIds: readonly number[],
): Promise<void> {
  await client.query({
    name: 'kept-messages-keep',
    text: `INSERT INTO kept_messages (message_id, stream_id, user_ids, ${keptColumns.join(', ')}, reactions, submessages, path_ids, last_edit_id)
      SELECT m.id, m.stream_id, former.user_ids, ${keptColumns.map((column) => `m.${column}`).join(', ')},
        coalesce((SELECT ${shownReactionsSql('r')} FROM reactions r WHERE r.message_id = m.id), '[]'),
        coalesce((SELECT ${shownSubmessagesSql('b')} FROM submessages b WHERE b.message_id = m.id), '[]'),
        ARRAY(SELECT link.path_id FROM message_uploads link WHERE link.message_id = m.id),
        coalesce((SELECT max(e.id) FROM message_edits e WHERE e.message_id = m.id), 0)
      FROM messages m JOIN streams s ON s.id = m.stream_id AND ${isPrivateSql('s')}
      CROSS JOIN LATERAL (
        SELECT array_agg(former.user_id ORDER BY former.user_id) AS user_ids FROM (
          SELECT held_by.user_id FROM (
            SELECT period.user_id FROM (${endedPeriodsSql('m.stream_id')}) period WHERE m.id > period.above AND m.id <= period.upto
            UNION SELECT l.user_id FROM late_receipts l WHERE l.message_id = m.id
          ) held_by WHERE NOT ${isMemberSql('m.stream_id', 'held_by.user_id')} AND ${canHoldSql('held_by.user_id')}
          EXCEPT SELECT unnest(kept.user_ids) FROM kept_messages kept WHERE kept.message_id = m.id
        ) former
      ) former
      WHERE m.id = ANY ($1::bigint[]) AND former.user_ids IS NOT NULL`,
    values: [messageIds],
  });
}

/** A message as some of its former holders know it. */
export type KeptTopic = {
  readonly messageId: number;
  readonly topic: string;
  readonly userIds: readonly number[];
};

/** @returns by message under which topic those see it who see it only as it was kept */
export async function listKeptTopics(
  db: Queryable,
  messageIds: readonly number[],
): Promise<ReadonlyMap<number, readonly KeptTopic[]>> {
  const { rows } = await db.query<KeptTopic>({
    name: 'kept-messages-topics',
    text: `SELECT k.message_id AS "messageId", k.topic, k.user_ids AS "userIds" FROM kept_messages k
      WHERE k.message_id = ANY ($1::bigint[]) AND k.user_ids <> '{}' ORDER BY k.id`,
    values: [messageIds],
  });
  return Map.groupBy(rows, ({ messageId }) => messageId);
}

/** Deletes what was kept of messages that are being deleted. */
export async function deleteKeptMessages(
  client: Client,
  messageIds: readonly number[],
): Promise<void> {
  await client.query({
    name: 'kept-messages-delete',
    text: 'DELETE FROM kept_messages WHERE message_id = ANY ($1::bigint[])',
    values: [messageIds],
  });
}

/** Deletes what was kept of a stream that becomes public: everybody may read it as it is now. */
export async function deleteKeptOfStream(db: Queryable, streamId: number): Promise<void> {
  await db.query({
    name: 'kept-messages-delete-of-stream',
    text: 'DELETE FROM kept_messages WHERE stream_id = $1',
    values: [streamId],
  });
}
