import { limits } from '@parley/api';
import type { Queryable } from '@parley/database';
import { hashSessionToken } from '@parley/auth/secrets';

import { keyAccountColumns } from './api-keys.ts';
import type { KeyAccount } from './api-keys.ts';

/**
 * Sessions of browsers (owner of `sessions`). They also end with the account's activity, password and key, by triggers. Whoever adds or ends
 * one has locked its account.
 */

/** A session without its secret. Times are seconds since 1970. */
export type Session = {
  readonly id: number;
  readonly device: string;
  readonly createdAtSecs: number;
  /** A few minutes old at most while the session is in use. */
  readonly lastUsedAtSecs: number;
};

/** The account of a session, with the data for authentication. */
export type SessionAccount = KeyAccount & {
  readonly sessionId: number;
  /** Whether the stored time of its last use is old enough to be written anew. */
  readonly isUseDue: boolean;
};

/** The provider by which somebody signed in, with its token, encrypted under the secret of the session. */
export type SessionProvider = { readonly provider: string; readonly idTokenSealed: Buffer };

/** The time of a session's last use is written at most this often. */
const useIntervalSecs = 300;

const isInUse = (idleMaxSecs: string): string =>
  `last_used_at > parley_now() - make_interval(secs => ${idleMaxSecs})`;

/**
 * Finds the accounts of sessions in one statement.
 *
 * @param idleMaxSecs a session that was not used for longer has ended
 * @returns the accounts that were found, by token
 */
export async function findAccountsBySessions(
  db: Queryable,
  tokens: readonly string[],
  idleMaxSecs: number,
): Promise<Map<string, SessionAccount>> {
  const tokenOfHash = new Map(
    tokens.map((token) => [hashSessionToken(token).toString('base64'), token] as const),
  );
  const { rows } = await db.query<SessionAccount & { readonly tokenHash: Buffer }>({
    name: 'store-find-accounts-by-sessions',
    text: `SELECT s.token_hash AS "tokenHash", s.id AS "sessionId",
        s.last_used_at < parley_now() - make_interval(secs => ${useIntervalSecs}) AS "isUseDue", ${keyAccountColumns}
      FROM sessions s JOIN users u ON u.id = s.user_id
      WHERE s.token_hash = ANY ($1::bytea[]) AND s.${isInUse('$2')}`,
    values: [Array.from(tokenOfHash.keys(), (hash) => Buffer.from(hash, 'base64')), idleMaxSecs],
  });
  return new Map(
    rows.flatMap(({ tokenHash, ...account }) => {
      const token = tokenOfHash.get(tokenHash.toString('base64'));
      return token === undefined ? [] : [[token, account] as const];
    }),
  );
}

/**
 * Adds a session, and ends the account's sessions that are too many or were not used for too long.
 *
 * @returns its id, and whether other sessions ended
 */
export async function insertSession(
  db: Queryable,
  session: {
    readonly userId: number;
    readonly token: string;
    readonly device: string;
    readonly by: SessionProvider | undefined;
  },
  idleMaxSecs: number,
): Promise<{ readonly id: number; readonly endedOthers: boolean }> {
  const { userId, token, device, by } = session;
  const { rowCount } = await db.query({
    name: 'store-end-superfluous-sessions',
    text: `DELETE FROM sessions WHERE user_id = $1 AND (NOT ${isInUse('$2')} OR id IN (
      SELECT id FROM sessions WHERE user_id = $1 AND ${isInUse('$2')}
      ORDER BY last_used_at DESC, id DESC OFFSET ${limits.sessionsMax - 1}))`,
    values: [userId, idleMaxSecs],
  });
  const { rows } = await db.query<{ id: number }>({
    name: 'store-insert-session',
    text: `INSERT INTO sessions (user_id, token_hash, device, provider, id_token_sealed)
      VALUES ($1, $2, $3, $4, $5) RETURNING id`,
    values: [
      userId,
      hashSessionToken(token),
      device,
      by?.provider ?? null,
      by?.idTokenSealed ?? null,
    ],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('no session was inserted');
  return { id: row.id, endedOthers: (rowCount ?? 0) > 0 };
}

/** @returns the account's sessions, the newest first */
export async function listSessions(
  db: Queryable,
  userId: number,
  idleMaxSecs: number,
): Promise<Session[]> {
  const { rows } = await db.query<Session>({
    name: 'store-list-sessions',
    text: `SELECT id, device, floor(extract(epoch FROM created_at))::bigint AS "createdAtSecs",
        floor(extract(epoch FROM last_used_at))::bigint AS "lastUsedAtSecs"
      FROM sessions WHERE user_id = $1 AND ${isInUse('$2')} ORDER BY id DESC`,
    values: [userId, idleMaxSecs],
  });
  return rows;
}

/** @returns how long ago a session of the account began; undefined if it has ended */
export async function findSessionAgeSecs(
  db: Queryable,
  userId: number,
  sessionId: number,
): Promise<number | undefined> {
  const { rows } = await db.query<{ ageSecs: number }>({
    name: 'store-find-session-age',
    text: `SELECT extract(epoch FROM parley_now() - created_at)::float AS "ageSecs"
      FROM sessions WHERE id = $1 AND user_id = $2`,
    values: [sessionId, userId],
  });
  return rows[0]?.ageSecs;
}

/** @returns the provider by which a session of the account began, if it did */
export async function findSessionProvider(
  db: Queryable,
  userId: number,
  sessionId: number,
): Promise<SessionProvider | undefined> {
  const { rows } = await db.query<SessionProvider>({
    name: 'store-find-session-provider',
    text: `SELECT provider, id_token_sealed AS "idTokenSealed" FROM sessions
      WHERE id = $1 AND user_id = $2 AND provider IS NOT NULL AND id_token_sealed IS NOT NULL`,
    values: [sessionId, userId],
  });
  return rows[0];
}

/** @returns whether the account had this session */
export async function deleteSession(
  db: Queryable,
  userId: number,
  sessionId: number,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'store-delete-session',
    text: 'DELETE FROM sessions WHERE id = $1 AND user_id = $2',
    values: [sessionId, userId],
  });
  return rowCount === 1;
}

/**
 * Ends the account's sessions.
 *
 * @param exceptId one that stays
 * @returns whether there were any
 */
export async function deleteSessions(
  db: Queryable,
  userId: number,
  exceptId: number | undefined,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'store-delete-sessions',
    text: 'DELETE FROM sessions WHERE user_id = $1 AND id IS DISTINCT FROM $2::bigint',
    values: [userId, exceptId ?? null],
  });
  return (rowCount ?? 0) > 0;
}

/** Writes the time of the last use of sessions where it is old. A session that is being changed is left for the next time. */
export async function noteSessionUses(db: Queryable, sessionIds: readonly number[]): Promise<void> {
  await db.query({
    name: 'store-note-session-uses',
    text: `UPDATE sessions SET last_used_at = parley_now() WHERE id IN (
      SELECT id FROM sessions WHERE id = ANY ($1::bigint[]) AND last_used_at < parley_now() - make_interval(secs => ${useIntervalSecs})
      FOR NO KEY UPDATE SKIP LOCKED)`,
    values: [sessionIds],
  });
}
