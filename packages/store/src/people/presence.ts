import type { Queryable } from '@parley/database';

/**
 * The last report of each client of each person (owner of `presence`), from which presence is restored when Redis lost it. It is written in
 * batches about a second after the reports.
 */

export type PresenceStatus = 'active' | 'idle';

export type PresenceRow = {
  readonly userId: number;
  readonly client: string;
  readonly status: PresenceStatus;
  /** In milliseconds; two reports of one client never share one. */
  readonly reportedAtMs: number;
};

/** The most clients stored for a person, those that reported last; their names come from outside. */
export const presenceClientsMax = 4;

/** @returns the rows of all people, or of these */
export async function listPresence(
  db: Queryable,
  userIds: readonly number[] | null = null,
): Promise<PresenceRow[]> {
  const { rows } = await db.query<PresenceRow>({
    name: 'store-list-presence',
    text: `SELECT user_id AS "userId", client, status, (extract(epoch FROM reported_at) * 1000)::bigint AS "reportedAtMs"
      FROM presence WHERE $1::int[] IS NULL OR user_id = ANY ($1) ORDER BY user_id, client`,
    values: [userIds],
  });
  return rows;
}

/** Writes the reports that are newer than the stored ones. Two writers may write the same rows at the same time, in any order. */
export async function writePresence(db: Queryable, rows: readonly PresenceRow[]): Promise<void> {
  await db.query({
    name: 'store-write-presence',
    // Rows that are not older are not even locked, because a lock is a write.
    text: `INSERT INTO presence AS p (user_id, client, status, reported_at)
      SELECT n.user_id, n.client, n.status, to_timestamp(n.at_ms / 1000.0)
      FROM unnest($1::int[], $2::text[], $3::text[], $4::bigint[]) AS n (user_id, client, status, at_ms)
      WHERE NOT EXISTS (SELECT 1 FROM presence o WHERE o.user_id = n.user_id AND o.client = n.client
        AND o.reported_at >= to_timestamp(n.at_ms / 1000.0))
      ORDER BY n.user_id, n.client
      ON CONFLICT (user_id, client) DO UPDATE SET status = excluded.status, reported_at = excluded.reported_at
        WHERE p.reported_at < excluded.reported_at`,
    values: [
      rows.map(({ userId }) => userId),
      rows.map(({ client }) => client),
      rows.map(({ status }) => status),
      rows.map(({ reportedAtMs }) => reportedAtMs),
    ],
  });
}

/**
 * Finds reports that need no event because a later stored one replaces them. A later active report replaces an idle one at once, and an
 * active one only when it is stale (reference facts, events 15.2).
 *
 * @param staleAfterMs the time after which any report of an active client gets an event
 * @returns those that stay replaced, in a transaction that wrote the rows
 */
export async function findSupersededPresence(
  db: Queryable,
  rows: readonly PresenceRow[],
  staleAfterMs: number,
): Promise<Pick<PresenceRow, 'userId' | 'client'>[]> {
  const found = await db.query<Pick<PresenceRow, 'userId' | 'client'>>({
    name: 'store-find-superseded-presence',
    text: `SELECT p.user_id AS "userId", p.client
      FROM unnest($1::int[], $2::text[], $3::text[], $4::bigint[]) AS n (user_id, client, status, at_ms)
      JOIN presence p ON p.user_id = n.user_id AND p.client = n.client
      WHERE p.status = 'active' AND p.reported_at > to_timestamp((n.at_ms + CASE n.status WHEN 'idle' THEN 0 ELSE $5 END) / 1000.0)`,
    values: [
      rows.map(({ userId }) => userId),
      rows.map(({ client }) => client),
      rows.map(({ status }) => status),
      rows.map(({ reportedAtMs }) => reportedAtMs),
      staleAfterMs,
    ],
  });
  return found.rows;
}

/** Removes the clients of these people beyond the most for a person. */
export async function trimPresence(db: Queryable, userIds: readonly number[]): Promise<void> {
  await db.query({
    text: `DELETE FROM presence p USING (
        SELECT user_id, client, row_number() OVER (PARTITION BY user_id ORDER BY reported_at DESC, client) AS place
        FROM presence WHERE user_id = ANY ($1::int[])
      ) o WHERE o.place > $2 AND p.user_id = o.user_id AND p.client = o.client`,
    values: [userIds, presenceClientsMax],
  });
}

/** An account with the address that identifies it in presence. */
export type PresencePerson = {
  readonly id: number;
  readonly email: string;
  /** Only active people have presence; bots have none. */
  readonly isShown: boolean;
};

/** @returns every account, by ascending id */
export async function listPresencePeople(db: Queryable): Promise<PresencePerson[]> {
  const { rows } = await db.query<PresencePerson>({
    name: 'store-list-presence-people',
    text: `SELECT id, email, is_active AND bot_type IS NULL AND NOT is_system AS "isShown" FROM users ORDER BY id`,
  });
  return rows;
}
