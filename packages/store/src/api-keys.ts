import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  randomInt,
} from 'node:crypto';

import { limits } from '@parley/contracts';
import type { Caller } from '@parley/contracts';
import type { Queryable } from '@parley/database';

/**
 * API keys at rest (owner of `api_keys`). A key is found by its keyed hash and kept encrypted, because some answers must show
 * it again; without the key secret the table tells nothing. The same encryption guards keys inside log entries.
 */

/** What follows from the key secret; made once per process by `deriveKeySecrets`. */
export type KeySecrets = { readonly hashKey: Buffer; readonly encryptionKey: Buffer };

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Derives independent keys for hashing and encryption from the deployment's key secret (HKDF-SHA256).
 *
 * @param secret the text of PARLEY_KEY_SECRET, at least 32 characters
 */
export function deriveKeySecrets(secret: string): KeySecrets {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, '', `parley api key ${purpose}`, 32));
  return { hashKey: derive('hash'), encryptionKey: derive('encryption') };
}

const keyAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** @returns a new random key: 32 letters and digits (reference facts, people 4) */
export function generateApiKey(): string {
  let key = '';
  for (let n = 0; n < limits.apiKeyLength; n += 1)
    key += keyAlphabet[randomInt(keyAlphabet.length)];
  return key;
}

function hashKey(secrets: KeySecrets, key: string): Buffer {
  return createHmac('sha256', secrets.hashKey).update(key).digest();
}

// The purpose is authenticated with the text, so that a stored value cannot be moved to another account or use.
function encrypt(secrets: KeySecrets, text: string, purpose: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', secrets.encryptionKey, nonce);
  cipher.setAAD(Buffer.from(purpose));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function decrypt(secrets: KeySecrets, sealed: Buffer, purpose: string): string {
  const decipher = createDecipheriv(
    'aes-256-gcm',
    secrets.encryptionKey,
    sealed.subarray(0, nonceBytes),
  );
  decipher.setAAD(Buffer.from(purpose));
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([
    decipher.update(sealed.subarray(nonceBytes + tagBytes)),
    decipher.final(),
  ]).toString('utf8');
}

const keyPurpose = (userId: number): string => `api key of ${userId}`;
const eventPurpose = 'event';

/**
 * Encrypts members of an event that nobody may read in the log, such as a bot's key.
 *
 * @returns base64 text for the `sealed` member of an event part
 */
export function sealEventMembers(
  secrets: KeySecrets,
  members: Readonly<Record<string, unknown>>,
): string {
  return encrypt(secrets, JSON.stringify(members), eventPurpose).toString('base64');
}

/**
 * The reverse of `sealEventMembers`.
 *
 * @throws Error when the text was made under another secret or was altered
 */
export function openEventMembers(secrets: KeySecrets, sealed: string): Record<string, unknown> {
  return JSON.parse(decrypt(secrets, Buffer.from(sealed, 'base64'), eventPurpose)) as Record<
    string,
    unknown
  >;
}

/**
 * Encrypts a secret that is stored beside its owner, such as the token of a bot's service.
 *
 * @param purpose what it is for and whose it is: it opens for the same purpose only
 */
export function sealSecret(secrets: KeySecrets, text: string, purpose: string): Buffer {
  return encrypt(secrets, text, purpose);
}

/**
 * The reverse of `sealSecret`.
 *
 * @throws Error when it was sealed for another purpose or was altered
 */
export function openSecret(secrets: KeySecrets, sealed: Buffer, purpose: string): string {
  return decrypt(secrets, sealed, purpose);
}

/**
 * Gives accounts their keys in one statement, replacing earlier ones, which stop working with this transaction's commit.
 *
 * @param accounts each with its new key; by default a random one
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
      ON CONFLICT (user_id) DO UPDATE SET key_hash = excluded.key_hash, key_encrypted = excluded.key_encrypted, created_at = now()`,
    values: [
      [...keys.keys()],
      [...keys.values()].map((key) => hashKey(secrets, key)),
      [...keys].map(([userId, key]) => encrypt(secrets, key, keyPurpose(userId))),
    ],
  });
  return keys;
}

/**
 * Makes the stored form of a key, for rows that are written as they are.
 *
 * @returns the columns `key_hash` and `key_encrypted`
 */
export function sealApiKey(
  secrets: KeySecrets,
  key: string,
  userId: number,
): { readonly hash: Buffer; readonly encrypted: Buffer } {
  return { hash: hashKey(secrets, key), encrypted: encrypt(secrets, key, keyPurpose(userId)) };
}

/**
 * Opens the column `key_encrypted` of an account's row.
 *
 * @throws Error when it was stored under another secret
 */
export function openApiKey(secrets: KeySecrets, encrypted: Buffer, userId: number): string {
  return decrypt(secrets, encrypted, keyPurpose(userId));
}

/** Gives one account its key; see `setApiKeys`. */
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
    rows.map(({ userId, sealed }) => [userId, decrypt(secrets, sealed, keyPurpose(userId))]),
  );
}

/** @returns the account's key, or undefined when it has none (system bots) */
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
  return rows[0] === undefined ? undefined : decrypt(secrets, rows[0].sealed, keyPurpose(userId));
}

/**
 * Opens one of the stored keys, to see whether the secrets are the right ones.
 *
 * @returns undefined when there is none
 * @throws Error when it was stored under another secret
 */
export async function findAnyApiKey(
  db: Queryable,
  secrets: KeySecrets,
): Promise<string | undefined> {
  const { rows } = await db.query<{ userId: number }>({
    text: 'SELECT user_id AS "userId" FROM api_keys ORDER BY user_id LIMIT 1',
  });
  return rows[0] === undefined ? undefined : findApiKey(db, secrets, rows[0].userId);
}

/** Whose key it is, with what authentication has to refuse (reference facts, people 4). */
export type KeyAccount = Caller & {
  /** `foldName` of the real address: the given one must fold to the same. */
  readonly emailFolded: string;
  readonly isActive: boolean;
  readonly isRealmDeactivated: boolean;
};

/**
 * Finds the account of a key, active or not, in one statement.
 *
 * @returns undefined when nobody has this key
 */
export async function findAccountByKey(
  db: Queryable,
  secrets: KeySecrets,
  key: string,
): Promise<KeyAccount | undefined> {
  const { rows } = await db.query<KeyAccount>({
    name: 'store-find-account-by-key',
    text: `SELECT u.id AS "userId", u.email, coalesce(u.delivery_email_folded, u.email_folded) AS "emailFolded", u.role, u.bot_type AS "botType",
        u.bot_owner_id AS "botOwnerId", u.is_active AS "isActive",
        coalesce((SELECT r.is_deactivated FROM realm r LIMIT 1), false) AS "isRealmDeactivated"
      FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.key_hash = $1`,
    values: [hashKey(secrets, key)],
  });
  return rows[0];
}
