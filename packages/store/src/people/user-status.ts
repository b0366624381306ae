import type { Queryable } from '@parley/database';

/** The statuses of people: away, and a line of text (owner of `user_status`). */

export type StatusChange = {
  readonly away?: boolean;
  readonly statusText?: string;
  readonly endsAtSecs?: number;
};

/** Stores the given values and keeps the rest, but for the end of another text; the caller has locked the account. */
export async function setUserStatus(
  db: Queryable,
  userId: number,
  change: StatusChange,
): Promise<void> {
  await db.query({
    text: `INSERT INTO user_status (user_id, away, status_text, ends_at)
      VALUES ($1, coalesce($2, false), coalesce($3, ''), to_timestamp($4))
      ON CONFLICT (user_id) DO UPDATE SET away = coalesce($2, user_status.away),
        status_text = coalesce($3, user_status.status_text),
        ends_at = CASE WHEN $3::text IS NULL THEN coalesce(excluded.ends_at, user_status.ends_at) ELSE excluded.ends_at END`,
    values: [userId, change.away ?? null, change.statusText ?? null, change.endsAtSecs ?? null],
  });
}

/** @returns accounts whose status should have ended, at most a hundred */
export async function listEndedStatuses(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ userId: number }>({
    name: 'store-list-ended-statuses',
    text: `SELECT user_id AS "userId" FROM user_status WHERE ends_at <= parley_now() ORDER BY ends_at LIMIT 100`,
  });
  return rows.map(({ userId }) => userId);
}

/**
 * Empties a status whose end has come; the caller has locked the account.
 *
 * @returns what it was, or undefined if it has another end now
 */
export async function endUserStatus(
  db: Queryable,
  userId: number,
): Promise<UserStatus | undefined> {
  const { rows } = await db.query<{ away: boolean; statusText: string }>({
    name: 'store-end-user-status',
    text: `WITH ended AS (SELECT * FROM user_status WHERE user_id = $1 AND ends_at <= parley_now())
      UPDATE user_status s SET away = false, status_text = '', ends_at = NULL FROM ended e WHERE s.user_id = e.user_id
      RETURNING e.away, e.status_text AS "statusText"`,
    values: [userId],
  });
  return rows[0] && statusJson(rows[0]);
}

/** A status as register lists it, without empty members (reference facts, events 4). */
export type UserStatus = { readonly away?: true; readonly status_text?: string };

/** @returns the status of an account that is not empty, whether the account is active or not */
export async function findUserStatus(
  db: Queryable,
  userId: number,
): Promise<UserStatus | undefined> {
  const { rows } = await db.query<{ away: boolean; statusText: string }>({
    name: 'store-find-user-status',
    text: `SELECT away, status_text AS "statusText" FROM user_status
      WHERE user_id = $1 AND (away OR status_text <> '')`,
    values: [userId],
  });
  return rows[0] && statusJson(rows[0]);
}

function statusJson({
  away,
  statusText,
}: {
  readonly away: boolean;
  readonly statusText: string;
}): UserStatus {
  return { ...(away && { away }), ...(statusText !== '' && { status_text: statusText }) };
}

/** @returns the statuses of active accounts that are not empty, by user id as text */
export async function listUserStatuses(db: Queryable): Promise<Record<string, UserStatus>> {
  const { rows } = await db.query<{ userId: number; away: boolean; statusText: string }>({
    name: 'store-list-user-statuses',
    text: `SELECT s.user_id AS "userId", s.away, s.status_text AS "statusText" FROM user_status s
      JOIN users u ON u.id = s.user_id WHERE u.is_active AND (s.away OR s.status_text <> '') ORDER BY s.user_id`,
  });
  return Object.fromEntries(
    rows.map(({ userId, ...status }) => [String(userId), statusJson(status)]),
  );
}
