/** What follows from a secret that only a browser keeps: other texts that nobody can guess, and what only this browser can have opened. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Derives another secret from one, so that it need not be stored.
 *
 * @param purpose two purposes give independent secrets
 * @returns 256 bits as base64url
 */
export function deriveToken(token: string, purpose: string): string {
  return createHmac('sha256', token).update(purpose).digest('base64url');
}

function keyOf(token: string): Buffer {
  return Buffer.from(hkdfSync('sha256', token, '', 'parley sealed under a token', 32));
}

/** Encrypts a text under a secret that is stored nowhere, such as that of a session. */
export function sealUnder(token: string, text: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', keyOf(token), nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** The reverse of `sealUnder`. @returns undefined if it was sealed under another secret, or altered */
export function openUnder(token: string, sealed: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(token), sealed.subarray(0, nonceBytes));
    decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([
      decipher.update(sealed.subarray(nonceBytes + tagBytes)),
      decipher.final(),
    ]).toString('utf8');
  } catch {
    return undefined;
  }
}
