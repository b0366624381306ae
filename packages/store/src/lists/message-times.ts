/**
 * Where a time lies among the ids of messages, so that a list before or after it reads a range of ids. A message's time is that of the
 * node that composed it, and an import keeps the order of its source: ids follow time only nearly.
 */
import type { Client, Queryable } from '@parley/database';

/** How far the clocks of nodes may differ, and how long a message may wait between its composition and its id. */
const clockTolerance = '1 hour';

/** Measures how far the order of imported messages is not that of their times; called once they are written. */
export async function noteMessageTimesDisorder(client: Client): Promise<void> {
  await client.query(`UPDATE realm SET message_times_disorder = (
    SELECT coalesce(max(m.latest - m.sent_at), '0')
    FROM (SELECT sent_at, max(sent_at) OVER (ORDER BY id) AS latest FROM messages) m)`);
}

/** Bisects the ids of all messages, some thirty reads of single rows: the first id from which on none is older, if ids followed time. */
const firstIdSql = (time: string): string => `WITH RECURSIVE part (low, high) AS (
      SELECT 0::bigint, coalesce((SELECT m.id FROM messages m ORDER BY m.id DESC LIMIT 1), 0) + 1
      UNION ALL
      SELECT CASE WHEN middle.is_older THEN middle.id + 1 ELSE part.low END,
        CASE WHEN middle.is_older THEN part.high ELSE (part.low + part.high) / 2 END
      FROM part CROSS JOIN LATERAL (
        SELECT m.id, m.sent_at < ${time} AS is_older FROM messages m
        WHERE m.id >= (part.low + part.high) / 2 ORDER BY m.id LIMIT 1) middle
      WHERE part.low < part.high
    )
    SELECT max(part.low) FROM part`;

export type IdsAtTime = {
  /** No message with an id below this was sent at the time or later. */
  readonly from: number;
  /** No message with this id or a greater one was sent before the time. */
  readonly below: number;
};

/** @returns where the messages before and after the time end and begin */
export async function findIdsAtTime(db: Queryable, time: Date): Promise<IdsAtTime> {
  const tolerance = `(SELECT interval '${clockTolerance}' + message_times_disorder FROM realm)`;
  const { rows } = await db.query<IdsAtTime>({
    name: 'store-find-ids-at-time',
    text: `SELECT (${firstIdSql('time.earliest')}) AS "from", (${firstIdSql('time.latest')}) AS below
      FROM (SELECT $1::timestamptz - ${tolerance} AS earliest, $1::timestamptz + ${tolerance} AS latest) time`,
    values: [time],
  });
  const [ids] = rows;
  if (ids === undefined) throw new Error('the statement of a time gave no row');
  return ids;
}
