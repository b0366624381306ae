/**
 * What people hold of imported messages, and what they have read. The source says for each person and message whether the person got it and
 * read it; runs of neighbouring messages with the same answer are gathered, and from them follow memberships over time, late receipts,
 * floors, watermarks and exceptions. So the rows grow with how often a person's reading changes, not with people times messages.
 */
import type { Client } from '@parley/database';

/** Neighbouring messages of one stream or conversation that one person holds, all read or all unread. */
export type ReceiptRun = {
  readonly userId: number;
  /** The stream's id, or the conversation's id below zero. */
  readonly scope: number;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly fromId: number;
  readonly toId: number;
  readonly isRead: boolean;
};

export async function beginReceipts(client: Client): Promise<void> {
  await client.query(`CREATE TEMP TABLE imported_runs (user_id integer NOT NULL, scope bigint NOT NULL, from_seq integer NOT NULL,
      to_seq integer NOT NULL, from_id bigint NOT NULL, to_id bigint NOT NULL, is_read boolean NOT NULL) ON COMMIT DROP`);
}

export async function addReceiptRuns(client: Client, runs: readonly ReceiptRun[]): Promise<void> {
  if (runs.length === 0) return;
  await client.query({
    name: 'imports-runs',
    text: `INSERT INTO imported_runs
      SELECT * FROM unnest($1::integer[], $2::bigint[], $3::integer[], $4::integer[], $5::bigint[], $6::bigint[], $7::boolean[])`,
    values: [
      runs.map(({ userId }) => userId),
      runs.map(({ scope }) => scope),
      runs.map(({ fromSeq }) => fromSeq),
      runs.map(({ toSeq }) => toSeq),
      runs.map(({ fromId }) => fromId),
      runs.map(({ toId }) => toId),
      runs.map(({ isRead }) => isRead),
    ],
  });
}

/**
 * Writes what was read. For each person and stream or private conversation a bound is chosen that leaves the fewest exceptions: unread
 * messages at or below it, and read ones above it.
 */
export async function writeImportedReads(client: Client): Promise<void> {
  await client.query(`CREATE TEMP TABLE imported_bounds ON COMMIT DROP AS
    SELECT DISTINCT ON (user_id, scope) user_id, scope, to_id AS bound FROM (
      SELECT user_id, scope, to_id,
        sum((to_seq - from_seq + 1) * CASE WHEN is_read THEN -1 ELSE 1 END) OVER (PARTITION BY user_id, scope ORDER BY from_seq) AS cost
      FROM imported_runs) b
    WHERE cost < 0 ORDER BY user_id, scope, cost, to_id DESC;
    CREATE UNIQUE INDEX ON imported_bounds (user_id, scope); ANALYZE imported_runs; ANALYZE imported_bounds`);
  await client.query(`INSERT INTO read_stream_floors (user_id, stream_id, message_id)
    SELECT user_id, scope, bound FROM imported_bounds WHERE scope > 0`);
  await client.query(`INSERT INTO read_watermarks (user_id, conversation_id, message_id)
    SELECT user_id, -scope, bound FROM imported_bounds WHERE scope < 0`);
  for (const place of ['m.stream_id = r.scope', 'm.conversation_id = -r.scope'])
    await client.query(`INSERT INTO read_exceptions (user_id, message_id, conversation_id, stream_id, is_read)
      SELECT r.user_id, m.id, m.read_conversation_id, m.stream_id, r.is_read
      FROM imported_runs r LEFT JOIN imported_bounds b ON b.user_id = r.user_id AND b.scope = r.scope
      JOIN messages m ON ${place} AND m.id BETWEEN r.from_id AND r.to_id
      WHERE r.is_read <> (r.to_id <= coalesce(b.bound, 0)) AND r.scope ${place.includes('-') ? '<' : '>'} 0`);
}

/** A membership whose holder had the whole history of the stream. */
export type WholeHistory = { readonly userId: number; readonly streamId: number };

/** Notes memberships without receipts: their holders hold every message of the stream. */
export async function addWholeHistories(
  client: Client,
  memberships: readonly WholeHistory[],
): Promise<void> {
  if (memberships.length === 0) return;
  await client.query({
    text: `INSERT INTO imported_whole_histories SELECT * FROM unnest($1::integer[], $2::integer[])`,
    values: [memberships.map(({ userId }) => userId), memberships.map(({ streamId }) => streamId)],
  });
}

export async function beginWholeHistories(client: Client): Promise<void> {
  await client.query(
    'CREATE TEMP TABLE imported_whole_histories (user_id integer NOT NULL, stream_id integer NOT NULL) ON COMMIT DROP',
  );
}

/** Memberships of people who are members now: subscribed, active, in a live stream. */
const isMemberNow = `EXISTS (SELECT 1 FROM subscriptions n JOIN users u ON u.id = n.user_id JOIN streams s ON s.id = n.stream_id
  WHERE n.user_id = h.user_id AND n.stream_id = h.stream_id AND n.is_active AND u.is_active AND NOT s.is_deactivated)`;

/**
 * Writes what people hold of streams: memberships over time, and single messages as late receipts. Everybody who is a member now stays one
 * from the end of the import on.
 *
 * @param positionAbove as for `insertImportedMessages`
 * @param endChangeId the change at which the import ends
 */
export async function writeImportedHoldings(
  client: Client,
  positionAbove: number,
  endChangeId: number,
): Promise<void> {
  await client.query(`CREATE TEMP TABLE imported_holdings ON COMMIT DROP AS
    WITH islands AS (
      SELECT user_id, scope::integer AS stream_id, min(from_id) AS from_id, max(to_id) AS to_id, sum(to_seq - from_seq + 1) AS held
      FROM (SELECT r.*, count(*) FILTER (WHERE begins) OVER (PARTITION BY user_id, scope ORDER BY from_seq) AS island
        FROM (SELECT r.*, from_seq IS DISTINCT FROM 1 + lag(to_seq) OVER (PARTITION BY user_id, scope ORDER BY from_seq) AS begins
          FROM imported_runs r WHERE scope > 0) r) r
      GROUP BY user_id, scope, island
      UNION ALL
      SELECT w.user_id, w.stream_id, f.message_id, n.newest, 2 FROM imported_whole_histories w
      JOIN stream_first_messages f USING (stream_id)
      JOIN (SELECT stream_id, max(message_id) AS newest FROM conversation_newest WHERE stream_id IS NOT NULL GROUP BY 1) n USING (stream_id)
    ), newest AS (
      SELECT stream_id, max(message_id) AS id FROM conversation_newest WHERE stream_id IS NOT NULL GROUP BY 1
    )
    SELECT h.*, h.to_id = n.id AND ${isMemberNow} AS goes_on FROM islands h JOIN newest n USING (stream_id);
    ANALYZE imported_holdings`);
  await client.query(`INSERT INTO late_receipts (user_id, message_id)
    SELECT user_id, from_id FROM imported_holdings WHERE held = 1 AND NOT goes_on`);
  await client.query(`CREATE TEMP TABLE imported_changes ON COMMIT DROP AS
    SELECT after_id, nextval('change_ids') AS id FROM (
      SELECT from_id - 1 AS after_id FROM imported_holdings WHERE held > 1 OR goes_on
      UNION SELECT to_id FROM imported_holdings WHERE held > 1 AND NOT goes_on) b`);
  await client.query({
    text: `INSERT INTO changes (id, position, message_id) SELECT id, $1::bigint + after_id + 1, after_id FROM imported_changes`,
    values: [positionAbove],
  });
  await client.query(`INSERT INTO membership_periods (user_id, stream_id, from_change_id, until_change_id)
    SELECT h.user_id, h.stream_id, f.id, t.id FROM imported_holdings h JOIN imported_changes f ON f.after_id = h.from_id - 1
    LEFT JOIN imported_changes t ON t.after_id = h.to_id AND NOT h.goes_on WHERE h.held > 1 OR h.goes_on`);
  await client.query({
    text: `INSERT INTO membership_periods (user_id, stream_id, from_change_id)
      SELECT h.user_id, h.stream_id, $1 FROM subscriptions h
      WHERE ${isMemberNow} AND NOT EXISTS (SELECT 1 FROM membership_periods p
        WHERE p.user_id = h.user_id AND p.stream_id = h.stream_id AND p.until_change_id IS NULL)`,
    values: [endChangeId],
  });
}

/**
 * Marks everything read for everybody, for sources without read state.
 *
 * @param changeId of the end of the import
 */
export async function markImportRead(client: Client, changeId: number): Promise<void> {
  await client.query({ text: 'UPDATE read_users SET floor_change_id = $1', values: [changeId] });
}

/** How far somebody has read a stream, by its id, or a private conversation, by its id below zero. */
export type ImportedPosition = {
  readonly userId: number;
  readonly scope: number;
  /** Unix time: what was sent until then is read. */
  readonly readUpTo: number;
};

/**
 * Writes floors for all members whose holdings are whole, and watermarks for all participants: at the newest message until their position,
 * or at the newest message if they have none. Ids ascend with time, so looking from the newest one down takes as long as they have unread ones.
 */
export async function writeImportedPositions(
  client: Client,
  positions: readonly ImportedPosition[],
): Promise<void> {
  await client.query({
    text: `CREATE TEMP TABLE imported_positions (user_id integer NOT NULL, scope bigint NOT NULL, read_up_to double precision NOT NULL)
      ON COMMIT DROP`,
  });
  await client.query({
    text: 'INSERT INTO imported_positions SELECT * FROM unnest($1::integer[], $2::bigint[], $3::double precision[])',
    values: [
      positions.map(({ userId }) => userId),
      positions.map(({ scope }) => scope),
      positions.map(({ readUpTo }) => readUpTo),
    ],
  });
  await client.query(
    `CREATE INDEX ON imported_positions (user_id, scope); ANALYZE imported_positions`,
  );
  const positionSql = (user: string, scope: string): string =>
    `coalesce((SELECT max(p.read_up_to) FROM imported_positions p WHERE p.user_id = ${user} AND p.scope = ${scope}), 'infinity')`;
  await client.query(`INSERT INTO read_stream_floors (user_id, stream_id, message_id)
    SELECT w.user_id, w.stream_id, newest.id FROM imported_whole_histories w CROSS JOIN LATERAL (
      SELECT m.id FROM messages m WHERE m.stream_id = w.stream_id AND m.sent_at <= to_timestamp(${positionSql('w.user_id', 'w.stream_id')})
      ORDER BY m.id DESC LIMIT 1) newest ON CONFLICT DO NOTHING`);
  await client.query(`INSERT INTO read_watermarks (user_id, conversation_id, message_id)
    SELECT t.user_id, t.conversation_id, newest.id FROM conversation_participants t CROSS JOIN LATERAL (
      SELECT m.id FROM messages m WHERE m.conversation_id = t.conversation_id
        AND m.sent_at <= to_timestamp(${positionSql('t.user_id', '-t.conversation_id')})
      ORDER BY m.id DESC LIMIT 1) newest`);
}
