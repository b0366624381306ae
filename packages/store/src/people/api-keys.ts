import { randomInt } from 'node:crypto';

import { limits } from '@parley/api';
import type { Caller } from '@parley/api';
import type { Queryable } from '@parley/database';

import { hashToStore, hashesToFind, openSecret, sealSecret } from '@parley/auth/secrets';
import type { KeySecrets } from '@parley/auth/secrets';

/**
 * Stored API keys (owner of `api_keys`). A key is found by its keyed hash, and stored encrypted because some answers must show it again.
 * Without the key secret, the table reveals nothing.
 */

const keyAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** @returns a new random key: 32 letters and digits (reference facts, people 4) */
export function generateApiKey(): string {
  let key = '';
  for (let n = 0; n < limits.apiKeyLength; n += 1)
    key += keyAlphabet[randomInt(keyAlphabet.length)];
  return key;
}

/** The purpose and the account for which the column `key_encrypted` is encrypted. */
export const keyPurpose = (userId: number | string): string => `api key of ${userId}`;

/**
 * Sets keys of accounts in one statement. Earlier keys stop working with the commit of the transaction. The time of a key differs from that of
 * the key before, because sessions, push subscriptions and answers by mail end with it.
 *
 * @param accounts each with its new key; random by default
 * @returns the keys by user id
 */
export async function setApiKeys(
  db: Queryable,
  secrets: KeySecrets,
  accounts: readonly { readonly userId: number; readonly key?: string | undefined }[],
): Promise<Map<number, string>> {
  const keys = new Map(accounts.map(({ userId, key }) => [userId, key ?? generateApiKey()]));
  if (keys.size === 0) return keys;
  await db.query({
    text: `INSERT INTO api_keys (user_id, key_hash, key_encrypted) SELECT * FROM unnest($1::int[], $2::bytea[], $3::bytea[])
      ON CONFLICT (user_id) DO UPDATE SET key_hash = excluded.key_hash, key_encrypted = excluded.key_encrypted,
        created_at = greatest(parley_now(), api_keys.created_at + interval '1 microsecond')`,
    values: [
      [...keys.keys()],
      [...keys.values()].map((key) => hashToStore(secrets, key)),
      [...keys].map(([userId, key]) => sealSecret(secrets, key, keyPurpose(userId))),
    ],
  });
  return keys;
}

/**
 * Makes the stored form of a key, for import.
 *
 * @returns the columns `key_hash` and `key_encrypted`
 */
export function sealApiKey(
  secrets: KeySecrets,
  key: string,
  userId: number,
): { readonly hash: Buffer; readonly encrypted: Buffer } {
  return {
    hash: hashToStore(secrets, key),
    encrypted: sealSecret(secrets, key, keyPurpose(userId)),
  };
}

/**
 * Decrypts the column `key_encrypted` of an account's row.
 *
 * @throws Error if it was stored under another secret
 */
export function openApiKey(secrets: KeySecrets, encrypted: Buffer, userId: number): string {
  return openSecret(secrets, encrypted, keyPurpose(userId));
}

/** Sets the key of one account; see `setApiKeys`. */
export async function setApiKey(
  db: Queryable,
  secrets: KeySecrets,
  userId: number,
  key: string = generateApiKey(),
): Promise<string> {
  await setApiKeys(db, secrets, [{ userId, key }]);
  return key;
}

/** @returns the keys of the accounts that have one, by user id */
export async function findApiKeys(
  db: Queryable,
  secrets: KeySecrets,
  userIds: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await db.query<{ userId: number; sealed: Buffer }>({
    text: 'SELECT user_id AS "userId", key_encrypted AS sealed FROM api_keys WHERE user_id = ANY ($1::int[])',
    values: [userIds],
  });
  return new Map(
    rows.map(({ userId, sealed }) => [userId, openSecret(secrets, sealed, keyPurpose(userId))]),
  );
}

/** @returns the account's key, or undefined if it has none (system bots) */
export async function findApiKey(
  db: Queryable,
  secrets: KeySecrets,
  userId: number,
): Promise<string | undefined> {
  const { rows } = await db.query<{ sealed: Buffer }>({
    name: 'store-find-api-key',
    text: 'SELECT key_encrypted AS sealed FROM api_keys WHERE user_id = $1',
    values: [userId],
  });
  return rows[0] === undefined
    ? undefined
    : openSecret(secrets, rows[0].sealed, keyPurpose(userId));
}

/** The owner of a key or a session, with the data for authentication (reference facts, people 4). */
export type KeyAccount = Caller & {
  /** `foldName` of the real address: the address in the request must fold to the same. */
  readonly emailFolded: string;
  readonly isActive: boolean;
  readonly isRealmDeactivated: boolean;
};

/** What is selected of `users u` for a `KeyAccount`. */
export const keyAccountColumns = `u.id AS "userId", u.email, coalesce(u.delivery_email_folded, u.email_folded) AS "emailFolded",
  u.role, u.bot_type AS "botType", u.bot_owner_id AS "botOwnerId", u.is_active AS "isActive",
  coalesce((SELECT r.is_deactivated FROM realm r LIMIT 1), false) AS "isRealmDeactivated"`;

/**
 * Finds the accounts of keys, active or not, in one statement, under either secret, also while keys are re-encrypted.
 *
 * @returns the accounts that were found, by key
 */
export async function findAccountsByKeys(
  db: Queryable,
  secrets: KeySecrets,
  keys: readonly string[],
): Promise<Map<string, KeyAccount>> {
  const keyOfHash = new Map(
    keys.flatMap((key) =>
      hashesToFind(secrets, key).map((hash) => [hash.toString('base64'), key] as const),
    ),
  );
  const { rows } = await db.query<KeyAccount & { readonly keyHash: Buffer }>({
    name: 'store-find-accounts-by-keys',
    text: `SELECT k.key_hash AS "keyHash", ${keyAccountColumns}
      FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.key_hash = ANY ($1::bytea[])`,
    values: [Array.from(keyOfHash.keys(), (hash) => Buffer.from(hash, 'base64'))],
  });
  return new Map(
    rows.flatMap(({ keyHash, ...account }) => {
      const key = keyOfHash.get(keyHash.toString('base64'));
      return key === undefined ? [] : [[key, account] as const];
    }),
  );
}
