/** Sign-ins by single sign-on that wait for the browser to come back (owner of `sign_in_attempts`; decision 0051). */
import type { Queryable } from '@parley/database';
import { hashSessionToken } from '@parley/auth/secrets';

export type SignInAttempt = {
  readonly provider: string;
  /** Who links an identity; null if somebody signs in. */
  readonly userId: number | null;
  /** Of the link by which somebody came; null without one. */
  readonly invitationId: number | null;
};

/** Stores the hash of the secret that the browser keeps. */
export async function insertAttempt(
  db: Queryable,
  token: string,
  { provider, userId, invitationId }: SignInAttempt,
  validSecs: number,
): Promise<void> {
  await db.query({
    name: 'store-insert-sign-in-attempt',
    text: `INSERT INTO sign_in_attempts (token_hash, provider, user_id, invitation_id, expires_at)
      VALUES ($1, $2, $3, $4, parley_now() + make_interval(secs => $5))`,
    values: [hashSessionToken(token), provider, userId, invitationId, validSecs],
  });
}

/** Uses an attempt up. @returns it, or undefined if it is unknown, used, expired or with another provider */
export async function takeAttempt(
  db: Queryable,
  token: string,
  provider: string,
): Promise<SignInAttempt | undefined> {
  const { rows } = await db.query<SignInAttempt>({
    name: 'store-take-sign-in-attempt',
    text: `DELETE FROM sign_in_attempts WHERE token_hash = $1 AND provider = $2 AND expires_at > parley_now()
      RETURNING provider, user_id AS "userId", invitation_id AS "invitationId"`,
    values: [hashSessionToken(token), provider],
  });
  return rows[0];
}

export async function deleteOldAttempts(db: Queryable): Promise<void> {
  await db.query({
    name: 'store-delete-old-sign-in-attempts',
    text: 'DELETE FROM sign_in_attempts WHERE expires_at < parley_now()',
  });
}
