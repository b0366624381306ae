/** The earlier messages that new people hold (reads `messages`). */
import type { Queryable } from '@parley/database';

const backlogMax = 1_000;
const unreadMax = 20;

export type Backlog = {
  /** Streams with messages in it. */
  readonly streamIds: readonly number[];
  /** The oldest message: the backlog contains all messages of these streams from it on. */
  readonly first: { readonly id: number; readonly position: number };
  /** The newest message that counts as read; null if all are few enough to stay unread. */
  readonly readUpToId: number | null;
};

type Row = {
  readonly streamIds: number[] | null;
  readonly firstId: number;
  readonly firstPosition: number;
  readonly readUpToId: number | null;
};

/**
 * @returns the newest messages of the last seven days in all the streams together, or undefined if there are none (reference facts, streams
 *   8.4). It reads at most 1,000 entries of an index for each stream.
 */
export async function findBacklog(
  db: Queryable,
  streamIds: readonly number[],
): Promise<Backlog | undefined> {
  const { rows } = await db.query<Row>({
    name: 'store-backlog',
    text: `WITH newest AS MATERIALIZED (
        SELECT listed.id FROM unnest($1::integer[]) wanted (stream_id) CROSS JOIN LATERAL (
          SELECT m.id FROM messages m WHERE m.stream_id = wanted.stream_id ORDER BY m.id DESC LIMIT ${backlogMax}) listed
        ORDER BY listed.id DESC LIMIT ${backlogMax}
      ), recent AS MATERIALIZED (
        SELECT m.id, m.position, m.stream_id FROM newest n JOIN messages m ON m.id = n.id
        WHERE m.sent_at > parley_now() - interval '7 days'
      )
      SELECT array_agg(DISTINCT r.stream_id) AS "streamIds", min(r.id) AS "firstId", min(r.position) AS "firstPosition",
        (SELECT older.id FROM recent older ORDER BY older.id DESC LIMIT 1 OFFSET ${unreadMax}) AS "readUpToId"
      FROM recent r`,
    values: [streamIds],
  });
  const [row] = rows;
  if (row === undefined || row.streamIds === null) return undefined;
  const { firstId, firstPosition, readUpToId } = row;
  return {
    streamIds: row.streamIds,
    first: { id: firstId, position: firstPosition },
    readUpToId,
  };
}
