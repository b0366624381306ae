import type { Queryable } from '@parley/database';

import { canHoldSql, periodsSql } from '../visibility/visibility-sql.ts';

/** The topics of a stream (reads tables of `conversations` and `messages`; reference facts, streams 4.3). */

export type Topic = {
  /** In the spelling of the newest message. */
  readonly name: string;
  readonly max_id: number;
};

const newest = (condition: string): string =>
  `SELECT m.id, m.topic FROM messages m WHERE m.conversation_id = c.id ${condition} ORDER BY m.id DESC LIMIT 1`;

const allTopics = `SELECT newest.topic AS name, newest.id AS max_id
  FROM conversations c CROSS JOIN LATERAL (${newest('')}) newest
  WHERE c.stream_id = $1 ORDER BY newest.id DESC`;

const heldTopics = `SELECT topics.topic AS name, topics.id AS max_id FROM (
    SELECT DISTINCT ON (held.conversation_id) held.conversation_id, held.topic, held.id FROM (
      SELECT c.id AS conversation_id, newest.topic, newest.id
      FROM (${periodsSql('$2::integer')}) period_held JOIN conversations c ON c.stream_id = period_held.stream_id
      CROSS JOIN LATERAL (${newest('AND m.id > period_held.above AND m.id <= period_held.upto')}) newest
      WHERE c.stream_id = $1
      UNION ALL
      SELECT m.conversation_id, m.topic, m.id FROM late_receipts l JOIN messages m ON m.id = l.message_id
      WHERE l.user_id = $2 AND m.stream_id = $1
    ) held ORDER BY held.conversation_id, held.id DESC
  ) topics WHERE ${canHoldSql('$2::integer')} ORDER BY topics.id DESC`;

/**
 * Lists topics, newest first. Topics that differ only in letter case are one.
 *
 * @param heldBy count only messages that this user holds; undefined if the whole history is open
 */
export async function listTopics(
  db: Queryable,
  streamId: number,
  heldBy: number | undefined,
): Promise<Topic[]> {
  const { rows } =
    heldBy === undefined
      ? await db.query<Topic>({ name: 'store-topics', text: allTopics, values: [streamId] })
      : await db.query<Topic>({
          name: 'store-topics-held',
          text: heldTopics,
          values: [streamId, heldBy],
        });
  return rows;
}

/** @returns how many topics each stream has ever had; streams without topics are absent */
export async function countTopics(
  db: Queryable,
  streamIds: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await db.query<{ streamId: number; topics: number }>({
    name: 'store-count-topics',
    text: `SELECT stream_id AS "streamId", count(*)::int AS topics FROM conversations WHERE stream_id = ANY ($1::int[])
      GROUP BY stream_id`,
    values: [streamIds],
  });
  return new Map(rows.map((row) => [row.streamId, row.topics]));
}
