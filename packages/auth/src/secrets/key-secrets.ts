import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/**
 * Hashes and encrypts under PARLEY_KEY_SECRET: API keys, secrets of bots, and encrypted members of log entries. While the secret is being
 * replaced there are two. Everything is read with either and written with the current one, so processes that have the two in opposite order
 * understand each other.
 */

type DerivedKeys = { readonly hashKey: Buffer; readonly encryptionKey: Buffer };

/** Keys derived from the key secrets, once per process, by `deriveKeySecrets`. */
export type KeySecrets = {
  /** Everything is written with this one. */
  readonly current: DerivedKeys;
  /** Set only while the secret is being replaced; texts written with it can still be read. */
  readonly previous: DerivedKeys | undefined;
};

const nonceBytes = 12;
const tagBytes = 16;

function deriveKeys(secret: string): DerivedKeys {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, '', `parley api key ${purpose}`, 32));
  return { hashKey: derive('hash'), encryptionKey: derive('encryption') };
}

/**
 * Derives independent keys for hashing and encryption from the deployment's key secrets (HKDF-SHA256).
 *
 * @param secret the text of PARLEY_KEY_SECRET, at least 32 characters
 * @param previous the text of PARLEY_KEY_SECRET_PREVIOUS, if there is one
 */
export function deriveKeySecrets(secret: string, previous?: string): KeySecrets {
  return {
    current: deriveKeys(secret),
    previous: previous === undefined ? undefined : deriveKeys(previous),
  };
}

function hashWith({ hashKey }: DerivedKeys, text: string): Buffer {
  return createHmac('sha256', hashKey).update(text).digest();
}

/** @returns the keyed hash under which a text is stored */
export function hashToStore(secrets: KeySecrets, text: string): Buffer {
  return hashWith(secrets.current, text);
}

/** @returns the keyed hashes under which a text may have been stored, one for each secret */
export function hashesToFind(secrets: KeySecrets, text: string): Buffer[] {
  const { current, previous } = secrets;
  return [current, ...(previous === undefined ? [] : [previous])].map((keys) =>
    hashWith(keys, text),
  );
}

/** @returns whether a stored hash is the one that `hashToStore` gives now */
export function isCurrentHash(secrets: KeySecrets, text: string, stored: Buffer): boolean {
  const wanted = hashToStore(secrets, text);
  return stored.length === wanted.length && timingSafeEqual(stored, wanted);
}

/**
 * Encrypts a secret that is stored beside its owner, such as an API key or the token of a bot's service.
 *
 * @param purpose its use and owner, authenticated with the text, so that a stored value cannot be moved to another account or use
 */
export function sealSecret({ current }: KeySecrets, text: string, purpose: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', current.encryptionKey, nonce);
  cipher.setAAD(Buffer.from(purpose));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function openWith({ encryptionKey }: DerivedKeys, sealed: Buffer, purpose: string): string {
  const decipher = createDecipheriv('aes-256-gcm', encryptionKey, sealed.subarray(0, nonceBytes));
  decipher.setAAD(Buffer.from(purpose));
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([
    decipher.update(sealed.subarray(nonceBytes + tagBytes)),
    decipher.final(),
  ]).toString('utf8');
}

/** A decrypted text, and whether it was encrypted under the current secret. */
export type Opened = { readonly text: string; readonly isCurrent: boolean };

/**
 * The reverse of `sealSecret`, which also returns which secret was used.
 *
 * @throws Error if it was sealed under neither secret or for another purpose, or was altered
 */
export function openEither(secrets: KeySecrets, sealed: Buffer, purpose: string): Opened {
  const { current, previous } = secrets;
  if (previous === undefined) return { text: openWith(current, sealed, purpose), isCurrent: true };
  // GCM authenticates: a text opens under the secret that sealed it and under no other.
  try {
    return { text: openWith(current, sealed, purpose), isCurrent: true };
  } catch {
    return { text: openWith(previous, sealed, purpose), isCurrent: false };
  }
}

/**
 * The reverse of `sealSecret`.
 *
 * @throws Error if it was sealed under neither secret or for another purpose, or was altered
 */
export function openSecret(secrets: KeySecrets, sealed: Buffer, purpose: string): string {
  return openEither(secrets, sealed, purpose).text;
}

const eventPurpose = 'event';

/**
 * Encrypts members of an event that must not be readable in the log, such as a bot's key.
 *
 * @returns base64 text for the `sealed` member of an event part
 */
export function sealEventMembers(
  secrets: KeySecrets,
  members: Readonly<Record<string, unknown>>,
): string {
  return sealSecret(secrets, JSON.stringify(members), eventPurpose).toString('base64');
}

/**
 * The reverse of `sealEventMembers`.
 *
 * @throws Error if the text was made under neither secret or was altered
 */
export function openEventMembers(secrets: KeySecrets, sealed: string): Record<string, unknown> {
  return JSON.parse(openSecret(secrets, Buffer.from(sealed, 'base64'), eventPurpose)) as Record<
    string,
    unknown
  >;
}
