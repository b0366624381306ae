/** The keys by which push services recognize this installation (owner of `push_keys`; RFC 8292). */
import { transaction } from '@parley/database';
import type { Pool, Queryable } from '@parley/database';
import { openSecret, sealSecret } from '@parley/auth/secrets';
import type { KeySecrets } from '@parley/auth/secrets';

/** Both in base64url. */
export type PushKeys = { readonly publicKey: string; readonly privateKey: string };

/** The purpose for which the column `private_key_encrypted` is encrypted. */
export const pushKeyPurpose = (): string => 'push key';

/** @returns undefined before the first start of the service that pushes */
export async function findPublicPushKey(db: Queryable): Promise<string | undefined> {
  const { rows } = await db.query<{ publicKey: string }>({
    name: 'store-find-public-push-key',
    text: 'SELECT public_key AS "publicKey" FROM push_keys',
  });
  return rows[0]?.publicKey;
}

function tryToOpen(secrets: KeySecrets, sealed: Buffer): string | undefined {
  try {
    return openSecret(secrets, sealed, pushKeyPurpose());
  } catch {
    return undefined;
  }
}

/**
 * Reads the keys, or stores new ones if there are none, or none that this installation can decrypt. Subscriptions belong to the keys with
 * which they were made, so they end with lost ones.
 *
 * @returns the keys that all processes use
 */
export async function getPushKeys(
  pool: Pool,
  secrets: KeySecrets,
  draw: () => PushKeys,
): Promise<PushKeys> {
  return transaction(pool, async (client) => {
    await client.query({ text: 'LOCK TABLE push_keys IN EXCLUSIVE MODE' });
    const { rows } = await client.query<{ publicKey: string; sealed: Buffer }>({
      text: 'SELECT public_key AS "publicKey", private_key_encrypted AS sealed FROM push_keys',
    });
    const [stored] = rows;
    const privateKey = stored && tryToOpen(secrets, stored.sealed);
    if (stored !== undefined && privateKey !== undefined)
      return { publicKey: stored.publicKey, privateKey };
    const drawn = draw();
    await client.query({ text: 'DELETE FROM push_subscriptions' });
    await client.query({
      text: `INSERT INTO push_keys (id, public_key, private_key_encrypted) VALUES (1, $1, $2)
        ON CONFLICT (id) DO UPDATE SET public_key = excluded.public_key, private_key_encrypted = excluded.private_key_encrypted`,
      values: [drawn.publicKey, sealSecret(secrets, drawn.privateKey, pushKeyPurpose())],
    });
    return drawn;
  });
}
