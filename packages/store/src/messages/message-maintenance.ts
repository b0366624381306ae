/** Removes or completes rows that sends leave behind (part of the module that owns `messages` and `send_keys`). */
import type { Queryable } from '@parley/database';

const keysPerStatement = 10_000;

/** How the keys of answers by mail begin; those of clients begin otherwise. */
export const mailKeyPrefix = 'm:';

/** Relays try for four or five days (RFC 5321, 4.5.4.1; `maximal_queue_lifetime` of Postfix), and the one before may have done so too. */
const mailKeyDays = 10;

/**
 * Deletes send keys that are older than a day, in pieces that block nobody. The key of a deferred message is kept while the message counts
 * as waiting, because only the key shows that it was sent; the key of an answer by mail for as long as a relay may deliver it again.
 *
 * @returns how many were deleted; a full piece means that there may be more
 */
export async function deleteOldSendKeys(
  db: Queryable,
): Promise<{ deleted: number; mayHaveMore: boolean }> {
  const { rowCount } = await db.query({
    text: `DELETE FROM send_keys WHERE send_key IN (
        SELECT k.send_key FROM send_keys k WHERE k.sent_at < parley_now() - interval '1 day'
          AND (k.send_key NOT LIKE $2 || '%' OR k.sent_at < parley_now() - make_interval(days => $3))
          AND NOT EXISTS (SELECT FROM deferred_messages d WHERE d.send_key = k.send_key) LIMIT $1)`,
    values: [keysPerStatement, mailKeyPrefix, mailKeyDays],
  });
  const deleted = rowCount ?? 0;
  return { deleted, mayHaveMore: deleted === keysPerStatement };
}

/**
 * Moves the pending entries of the search index into place. Otherwise the send whose entry fills the list must do it, and stalls for a
 * third of a second.
 */
export async function flushSearchIndex(db: Queryable): Promise<void> {
  await db.query({
    name: 'flush-search-index',
    text: `SELECT gin_clean_pending_list('messages_search')`,
  });
}

/** At most this many messages are noted at a time, so that the work after a long pause is done in pieces that block nobody. */
const notedPerStatement = 20_000;

/**
 * Notes the newest message of each conversation, from the end of the last call on. Replicas take turns; a replica that finds another one at
 * work does nothing.
 *
 * @returns whether there may be more to note
 */
export async function noteNewestMessages(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ noted: number }>({
    name: 'note-newest-messages',
    text: `WITH upto AS MATERIALIZED (
        SELECT u.message_id FROM conversation_newest_upto u
        WHERE u.message_id < (SELECT max(m.id) FROM messages m) FOR UPDATE SKIP LOCKED
      ), fresh AS MATERIALIZED (
        SELECT m.id, m.read_conversation_id, m.stream_id FROM messages m
        WHERE m.id > (SELECT u.message_id FROM upto u) ORDER BY m.id LIMIT ${notedPerStatement}
      ), noted AS (
        INSERT INTO conversation_newest (conversation_id, stream_id, message_id)
        SELECT f.read_conversation_id, max(f.stream_id), max(f.id) FROM fresh f GROUP BY 1 ORDER BY 1
        ON CONFLICT (conversation_id) DO UPDATE SET message_id = greatest(conversation_newest.message_id, excluded.message_id)
      ), moved AS (
        UPDATE conversation_newest_upto SET message_id = (SELECT max(f.id) FROM fresh f) WHERE EXISTS (SELECT 1 FROM fresh)
      )
      SELECT count(*) AS noted FROM fresh`,
  });
  return (rows[0]?.noted ?? 0) === notedPerStatement;
}
