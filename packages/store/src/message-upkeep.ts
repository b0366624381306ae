/** Upkeep of what sends leave behind (part of the module that owns `messages` and `send_keys`). */
import type { Queryable } from '@parley/database';

const keysPerStatement = 10_000;

/**
 * Forgets send keys that are older than a day, in pieces that hold up nobody.
 *
 * @returns how many were forgotten; as many as a piece holds means that there may be more
 */
export async function deleteOldSendKeys(
  db: Queryable,
): Promise<{ deleted: number; mayHaveMore: boolean }> {
  const { rowCount } = await db.query({
    text: `DELETE FROM send_keys WHERE send_key IN (
        SELECT k.send_key FROM send_keys k WHERE k.sent_at < now() - interval '1 day' LIMIT $1)`,
    values: [keysPerStatement],
  });
  const deleted = rowCount ?? 0;
  return { deleted, mayHaveMore: deleted === keysPerStatement };
}

/**
 * Moves the pending entries of the search index into place. Otherwise a send whose entry fills the list has to do it, and stalls
 * for a third of a second.
 */
export async function flushSearchIndex(db: Queryable): Promise<void> {
  await db.query({
    name: 'flush-search-index',
    text: `SELECT gin_clean_pending_list('messages_search')`,
  });
}
