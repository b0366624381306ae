import type { Pool } from '@parley/database';
import { waitUntil } from '@parley/test-kit';

import { nowMs } from './fleet/protocol.ts';

/** Beyond it the jobs do not keep up, and what a send costs is not known. */
const deadlineMs = 60_000;

/**
 * Waits until the jobs have done all that the messages and changes so far cause: everything was looked at and is in the lists of
 * conversations, and no mail, push or side effect is due.
 *
 * @returns after how many milliseconds
 */
export async function untilJobsAreDone(pool: Pool): Promise<number> {
  const begunMs = nowMs();
  await waitUntil(
    'the jobs have done everything',
    async () => {
      const { rows } = await pool.query<{ done: boolean }>(
        `SELECT newest.id <= (SELECT message_id FROM told_upto) AND newest.id <= (SELECT message_id FROM conversation_newest_upto)
          AND NOT EXISTS (SELECT 1 FROM mentions_added)
          AND NOT EXISTS (SELECT 1 FROM messages_to_mail WHERE due_at <= parley_now())
          AND NOT EXISTS (SELECT 1 FROM mails WHERE due_at <= parley_now() AND failed_at IS NULL)
          AND NOT EXISTS (SELECT 1 FROM push_subscriptions WHERE due_at <= parley_now())
          AND NOT EXISTS (SELECT 1 FROM side_effects WHERE due_at <= parley_now()) AS done
        FROM (SELECT coalesce(max(id), 0) AS id FROM messages) newest`,
      );
      return rows[0]?.done;
    },
    { deadlineMs, pauseMs: 50 },
  );
  return nowMs() - begunMs;
}
