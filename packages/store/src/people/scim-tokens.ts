/** Tokens of programs that keep accounts by SCIM (owner of `scim_tokens`; decision 0052). */
import type { Client, Queryable } from '@parley/database';
import { hashSessionToken } from '@parley/auth/secrets';

/** A token without its secret. Times are seconds since 1970. */
export type ScimToken = {
  readonly id: number;
  readonly name: string;
  /** Null if the operator made it. */
  readonly makerId: number | null;
  readonly createdAtSecs: number;
  /** A few minutes old at most while the token is in use; null if it was never used. */
  readonly lastUsedAtSecs: number | null;
};

/** A token that a request came with. */
export type ScimTokenInUse = { readonly id: number; readonly isRealmDeactivated: boolean };

/** The time of a token's last use is written at most this often. */
const useIntervalSecs = 300;

/**
 * Finds tokens in one statement, and notes that they are used. A token that is being revoked is not waited for.
 *
 * @returns those that were found, by token
 */
export async function findScimTokens(
  db: Queryable,
  tokens: readonly string[],
): Promise<Map<string, ScimTokenInUse>> {
  const tokenOfHash = new Map(
    tokens.map((token) => [hashSessionToken(token).toString('base64'), token] as const),
  );
  const { rows } = await db.query<ScimTokenInUse & { readonly tokenHash: Buffer }>({
    name: 'store-find-scim-tokens',
    text: `WITH noted AS (
        UPDATE scim_tokens SET last_used_at = parley_now() WHERE id IN (
          SELECT id FROM scim_tokens WHERE token_hash = ANY ($1::bytea[])
            AND (last_used_at IS NULL OR last_used_at < parley_now() - make_interval(secs => ${useIntervalSecs}))
          FOR NO KEY UPDATE SKIP LOCKED))
      SELECT t.token_hash AS "tokenHash", t.id,
        coalesce((SELECT r.is_deactivated FROM realm r LIMIT 1), false) AS "isRealmDeactivated"
      FROM scim_tokens t WHERE t.token_hash = ANY ($1::bytea[])`,
    values: [Array.from(tokenOfHash.keys(), (hash) => Buffer.from(hash, 'base64'))],
  });
  return new Map(
    rows.flatMap(({ tokenHash, ...token }) => {
      const given = tokenOfHash.get(tokenHash.toString('base64'));
      return given === undefined ? [] : [[given, token] as const];
    }),
  );
}

/** Tokens are added one at a time, under an advisory lock with this number. */
const additionsLock = 7_217_015;

/** @returns how many tokens there are; none is added until the transaction ends */
export async function lockScimTokenCount(client: Client): Promise<number> {
  await client.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [additionsLock] });
  const { rows } = await client.query<{ count: number }>({
    text: 'SELECT count(*)::int AS count FROM scim_tokens',
  });
  return rows[0]?.count ?? 0;
}

/** @returns the id of the new token */
export async function insertScimToken(
  client: Client,
  given: { readonly name: string; readonly token: string; readonly makerId: number | null },
): Promise<number> {
  const { rows } = await client.query<{ id: number }>({
    text: 'INSERT INTO scim_tokens (name, token_hash, maker_id) VALUES ($1, $2, $3) RETURNING id',
    values: [given.name, hashSessionToken(given.token), given.makerId],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('no token was inserted');
  return row.id;
}

/** @returns all tokens, the newest first */
export async function listScimTokens(db: Queryable): Promise<ScimToken[]> {
  const { rows } = await db.query<ScimToken>({
    name: 'store-list-scim-tokens',
    text: `SELECT id, name, maker_id AS "makerId", floor(extract(epoch FROM created_at))::bigint AS "createdAtSecs",
        floor(extract(epoch FROM last_used_at))::bigint AS "lastUsedAtSecs"
      FROM scim_tokens ORDER BY id DESC`,
  });
  return rows;
}

/**
 * @param tokenId any integer
 * @returns whether there was such a token
 */
export async function deleteScimToken(db: Queryable, tokenId: number): Promise<boolean> {
  const { rowCount } = await db.query({
    text: 'DELETE FROM scim_tokens WHERE id = $1::bigint',
    values: [tokenId],
  });
  return rowCount === 1;
}
