/** Encrypts an export's secrets under a passphrase, so that a stolen copy gives access to no account. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import type { ScryptOptions } from 'node:crypto';

import { CommandFault } from '../faults.ts';

/** The derivation of the keys from the passphrase; stored in the manifest. */
export type CipherParameters = {
  readonly kdf: 'scrypt';
  readonly cipher: 'aes-256-gcm';
  readonly n: number;
  readonly r: number;
  readonly p: number;
  /** Base64. */
  readonly salt: string;
  /** A known text, encrypted: distinguishes a wrong passphrase from an altered export. */
  readonly probe: string;
};

// The recommendation of the OWASP guide on storing passwords for scrypt: 128 MiB and about half a second for each guess.
const cost = { n: 131_072, r: 8, p: 1 } as const;
/** Bounds the memory that a foreign manifest can make the import use. */
const costMax = 2 ** 27;
const saltBytes = 16;
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const passphraseMinLength = 12;

const probeText = 'parley export';
const probePurpose = 'probe';

export class ExportCipher {
  readonly #encryptionKey: Buffer;
  readonly #macKey: Buffer;

  constructor(keys: Buffer) {
    this.#encryptionKey = keys.subarray(0, keyBytes);
    this.#macKey = keys.subarray(keyBytes);
  }

  /**
   * @param purpose the kind of the secret and its owner: decryption needs the same purpose
   * @returns base64 text; null stays null
   */
  encrypt(text: string | null, purpose: string): string | null {
    if (text === null) return null;
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#encryptionKey, nonce);
    cipher.setAAD(Buffer.from(purpose));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
  }

  /**
   * The reverse of `encrypt`.
   *
   * @throws Error if it was encrypted under another passphrase or for another purpose, or was altered
   */
  decrypt(encrypted: string | null, purpose: string): string | null {
    if (encrypted === null) return null;
    const bytes = Buffer.from(encrypted, 'base64');
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv('aes-256-gcm', this.#encryptionKey, nonce);
    decipher.setAAD(Buffer.from(purpose));
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    const body = bytes.subarray(nonceBytes + tagBytes);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  }

  /** @returns hex digits that prove that the author of a text knows the passphrase */
  authenticate(text: Buffer): string {
    return createHmac('sha256', this.#macKey).update(text).digest('hex');
  }

  isAuthentic(text: Buffer, mac: string): boolean {
    const expected = Buffer.from(this.authenticate(text));
    const given = Buffer.from(mac);
    return expected.length === given.length && timingSafeEqual(expected, given);
  }
}

async function derive(
  passphrase: string,
  salt: Buffer,
  { n, r, p }: { readonly n: number; readonly r: number; readonly p: number },
): Promise<ExportCipher> {
  const options: ScryptOptions = { N: n, r, p, maxmem: 2 * 128 * n * r };
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  scrypt(passphrase, salt, 2 * keyBytes, options, (error, keys) => {
    if (error === null) resolve(keys);
    else reject(error);
  });
  return new ExportCipher(await promise);
}

/**
 * Makes a cipher with a new salt.
 *
 * @throws CommandFault if the passphrase is too short
 */
export async function createExportCipher(
  passphrase: string,
): Promise<{ readonly cipher: ExportCipher; readonly parameters: CipherParameters }> {
  if (Array.from(passphrase).length < passphraseMinLength)
    throw new CommandFault(
      `The passphrase needs ${passphraseMinLength} characters at least: it guards the API keys of everybody`,
    );
  const salt = randomBytes(saltBytes);
  const cipher = await derive(passphrase, salt, cost);
  return {
    cipher,
    parameters: {
      kdf: 'scrypt',
      cipher: 'aes-256-gcm',
      ...cost,
      salt: salt.toString('base64'),
      probe: cipher.encrypt(probeText, probePurpose) ?? '',
    },
  };
}

/**
 * Makes the cipher of an existing export.
 *
 * @throws CommandFault if the passphrase is wrong
 */
export async function openExportCipher(
  passphrase: string,
  parameters: CipherParameters,
): Promise<ExportCipher> {
  const { n, r, p, salt, probe } = parameters;
  if (!(n * r * p <= costMax)) throw new CommandFault('The manifest of the export is damaged');
  const cipher = await derive(passphrase, Buffer.from(salt, 'base64'), { n, r, p });
  try {
    cipher.decrypt(probe, probePurpose);
  } catch (error) {
    throw new CommandFault(
      'The passphrase is not the one of this export (or its manifest was altered)',
      { cause: error },
    );
  }
  return cipher;
}
