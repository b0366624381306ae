import type { Client, Pool } from '@parley/database';

import { ensurePartitionsFor } from './partitions.ts';
import { readHead } from './read-log.ts';

/** Larger than any number that the lost part of the old log can have used. */
const positionsJumped = 1_000_000_000;
const messageIdsJumped = 10_000_000;

/** Opens an epoch if the database has another history than its log, or in any case if the number of the current epoch is given. */
async function openEpoch(
  pool: Pool,
  inForce: number | null,
): Promise<{ readonly epoch: number; readonly startPosition: number }> {
  const planned = await pool.query<{ start_position: number }>({
    text: `SELECT greatest(coalesce(newest.position + newest.length - 1, 0), h.start_position) + $1::bigint AS start_position
           FROM log_head h LEFT JOIN LATERAL (
             SELECT e.position, e.length FROM log_entries e ORDER BY e.position DESC LIMIT 1) newest ON true`,
    values: [positionsJumped],
  });
  const startPosition = planned.rows[0]?.start_position;
  if (startPosition === undefined) throw new Error('the log has no head row');
  await ensurePartitionsFor(pool, startPosition);
  const { rows } = await pool.query<{ epoch: number; start_position: number }>({
    text: `WITH history AS (
        SELECT c.system_identifier, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline FROM pg_control_system() c
      ), head AS (
        SELECT h.* FROM log_head h, history
        WHERE h.system_identifier <> history.system_identifier OR h.timeline <> history.timeline OR h.epoch = $3::integer
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
        FROM head, newest, history RETURNING h.epoch, h.start_position
      )
      SELECT * FROM opened
      UNION ALL SELECT h.epoch, h.start_position FROM log_head h WHERE NOT EXISTS (SELECT 1 FROM opened)`,
    values: [startPosition, messageIdsJumped, inForce],
  });
  const opened = rows[0];
  if (opened === undefined) throw new Error('the log has no head row');
  return { epoch: opened.epoch, startPosition: opened.start_position };
}

/**
 * Opens a new epoch if the database has another history than at the log's last write (a standby was promoted, a backup restored). Entries
 * that readers saw beyond this log's end may be lost, so new ids are above all of them. A second concurrent call finds the work done.
 *
 * @returns the current epoch
 */
export async function openEpochIfNeeded(pool: Pool): Promise<number> {
  const { epoch } = await openEpoch(pool, null);
  return epoch;
}

/**
 * Opens a new epoch in any case: for an operator who knows that the database lost changes in a way that it cannot detect, such as a
 * restored volume under a running server. Of two concurrent calls one opens it.
 *
 * @returns the epoch now in force
 */
export async function openNewEpoch(
  pool: Pool,
): Promise<{ readonly epoch: number; readonly startPosition: number }> {
  const { epoch } = await readHead(pool);
  return openEpoch(pool, epoch);
}

/** The end of a log whose rows are imported into an empty database. */
export type ImportedLog = {
  readonly epoch: number;
  readonly endPosition: number;
  readonly messageId: number;
};

/**
 * Creates partitions for the continuation of an imported log, before the transaction of the import, because they are created on a separate
 * connection. Unused partitions are harmless.
 *
 * @returns the position at which the log continues
 */
export async function planImportedLog(pool: Pool, source: ImportedLog): Promise<number> {
  const { endPosition } = await readHead(pool);
  const startPosition = Math.max(endPosition, source.endPosition) + positionsJumped;
  if (!(await ensurePartitionsFor(pool, startPosition)))
    throw new Error('partitions of the log could not be made: something else works on them');
  return startPosition;
}

/**
 * Opens an epoch above all numbers of the imported log and of this database's own. Imported rows keep their positions and message ids, and
 * no new row gets one of them. The log itself begins there.
 *
 * @param startPosition from `planImportedLog`
 */
export async function openImportedLog(
  client: Client,
  source: ImportedLog,
  startPosition: number,
): Promise<void> {
  await client.query({ text: 'SELECT 1 FROM log_head FOR UPDATE' });
  const head = await readHead(client);
  if (head.endPosition >= startPosition)
    throw new Error('the log has grown past where the imported one was to go on');
  const epoch = Math.max(head.epoch, source.epoch) + 1;
  await client.query({
    text: 'INSERT INTO log_epochs (epoch, previous_end_position, start_position) VALUES ($1, $2, $3)',
    values: [epoch, head.endPosition, startPosition],
  });
  await client.query({
    text: `UPDATE log_head SET epoch = $1, start_position = $2, begin_position = $2, start_message_id = $3,
        system_identifier = c.system_identifier, timeline = substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
      FROM pg_control_system() c`,
    values: [epoch, startPosition, Math.max(head.messageId, source.messageId) + messageIdsJumped],
  });
}
