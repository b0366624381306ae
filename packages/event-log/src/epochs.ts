import type { Pool } from '@parley/database';

import { ensurePartitionsFor } from './partitions.ts';

/** Past anything that the lost part of the old log can have handed out. */
const positionsJumped = 1_000_000_000;
const messageIdsJumped = 10_000_000;

/**
 * Opens a new epoch when the database is on another history than the log was last written on (a standby was promoted, a
 * backup restored): what acknowledged readers saw past this log's end may be gone, so ids jump past all of it. Whoever
 * comes second finds the work done.
 *
 * @returns the epoch now in force
 */
export async function openEpochIfNeeded(pool: Pool): Promise<number> {
  const planned = await pool.query<{ start_position: number }>({
    text: `SELECT greatest(coalesce(newest.position + newest.length - 1, 0), h.start_position) + $1::bigint AS start_position
           FROM log_head h LEFT JOIN LATERAL (
             SELECT e.position, e.length FROM log_entries e ORDER BY e.position DESC LIMIT 1) newest ON true`,
    values: [positionsJumped],
  });
  const startPosition = planned.rows[0]?.start_position;
  if (startPosition === undefined) throw new Error('the log has no head row');
  await ensurePartitionsFor(pool, startPosition);
  const { rows } = await pool.query<{ epoch: number }>({
    text: `WITH history AS (
        SELECT c.system_identifier, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline FROM pg_control_system() c
      ), head AS (
        SELECT h.* FROM log_head h, history WHERE h.system_identifier <> history.system_identifier OR h.timeline <> history.timeline
        FOR UPDATE OF h
      ), newest AS (
        SELECT greatest(coalesce(max(e.position + e.length - 1), 0), (SELECT start_position FROM head)) AS position,
          greatest(coalesce(max(e.message_id), 0), (SELECT start_message_id FROM head)) AS message_id
        FROM (SELECT * FROM log_entries ORDER BY position DESC LIMIT 1) e
      ), recorded AS (
        INSERT INTO log_epochs (epoch, previous_end_position, start_position)
        SELECT head.epoch + 1, newest.position, $1::bigint FROM head, newest
      ), opened AS (
        UPDATE log_head h SET epoch = h.epoch + 1, start_position = $1::bigint,
          start_message_id = newest.message_id + $2::bigint, system_identifier = history.system_identifier, timeline = history.timeline
        FROM head, newest, history RETURNING h.epoch
      )
      SELECT coalesce((SELECT epoch FROM opened), (SELECT epoch FROM log_head)) AS epoch`,
    values: [startPosition, messageIdsJumped],
  });
  const epoch = rows[0]?.epoch;
  if (epoch === undefined) throw new Error('the log has no head row');
  return epoch;
}
