/** Where people signed in by a password (owner of `sign_in_places`; decision 0070). */
import { limits } from '@parley/api';
import type { Queryable } from '@parley/database';

const ofAccount = 'coalesce(u.delivery_email_folded, u.email_folded) = $1';
const markOf = "md5(coalesce(u.password_hash, ''))";

export type FoundPlaces = {
  /** Those of the places where the account signed in. */
  readonly places: readonly Buffer[];
  /** Tells whether its password is still the same. */
  readonly passwordMark: string;
};

/** @returns undefined without such an account */
export async function findSignInPlaces(
  db: Queryable,
  emailFolded: string,
  places: readonly Buffer[],
): Promise<FoundPlaces | undefined> {
  const { rows } = await db.query<FoundPlaces>({
    name: 'store-find-sign-in-places',
    text: `SELECT ${markOf} AS "passwordMark", ARRAY(SELECT p.place_hash FROM sign_in_places p
        WHERE p.user_id = u.id AND p.place_hash = ANY ($2::bytea[])
          AND p.used_at > parley_now() - make_interval(days => ${limits.signInPlaceDays})) AS places
      FROM users u WHERE ${ofAccount}`,
    values: [emailFolded, places],
  });
  return rows[0];
}

/**
 * Remembers where an account signed in; the places that were not used for longest are forgotten for new ones.
 *
 * @param passwordMark nothing is remembered with another password; undefined for any
 */
export async function noteSignInPlaces(
  db: Queryable,
  emailFolded: string,
  places: readonly Buffer[],
  passwordMark: string | undefined,
): Promise<void> {
  const { rows } = await db.query<{ userId: number }>({
    name: 'store-note-sign-in-places',
    // The lock waits for a change of the password, whose trigger would not see these rows yet.
    text: `WITH account AS (SELECT u.id FROM users u
        WHERE ${ofAccount} AND ($3::text IS NULL OR ${markOf} = $3) FOR SHARE)
      INSERT INTO sign_in_places (user_id, place_hash) SELECT id, place FROM account, unnest($2::bytea[]) place
      ON CONFLICT (user_id, place_hash) DO UPDATE SET used_at = parley_now() RETURNING user_id AS "userId"`,
    values: [emailFolded, places.toSorted((one, other) => one.compare(other)), passwordMark],
  });
  await db.query({
    name: 'store-forget-sign-in-places',
    text: `DELETE FROM sign_in_places WHERE user_id = $1 AND place_hash IN (
      SELECT place_hash FROM sign_in_places WHERE user_id = $1 ORDER BY used_at DESC OFFSET ${limits.signInPlacesMax})`,
    values: [rows[0]?.userId ?? null],
  });
}
