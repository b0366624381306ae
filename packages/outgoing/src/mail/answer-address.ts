/**
 * Addresses to which a mail about messages is answered (decision 0055). One names a person and a message, and is signed; nothing of it is
 * stored. It is good while the person's address, password and API key are those with which it was made.
 */
import { timingSafeEqual } from 'node:crypto';

import { answerTokenLength } from '@parley/config';
import type { AnswerAddresses } from '@parley/config';
import { hashToStore, hashesToFind } from '@parley/auth/secrets';
import type { KeySecrets } from '@parley/auth/secrets';

/** Who answers, and which message: the answer goes to where that message is then. */
export type AnswerSubject = { readonly userId: number; readonly messageId: number };

/** What ends the addresses of a person when it changes. */
export type AnswererCredentials = {
  readonly address: string;
  readonly passwordHash: string | null;
  /** Tells one API key from the next. */
  readonly keyMadeAt: string | null;
};

/** What an address says. It is a claim until `isGenuine` has judged it. */
export type AnswerToken = AnswerSubject & { readonly signature: Buffer };

const userIdBytes = 4;
const messageIdBytes = 6;
const signatureBytes = 16;
const namedBytes = userIdBytes + messageIdBytes;

const digits = 'abcdefghijklmnopqrstuvwxyz234567';
const digitBits = 5;

/** Base 32 (RFC 4648) in lower case without padding, because relays may change the case of an address. */
function write(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= digitBits) {
      bits -= digitBits;
      text += digits.charAt((value >> bits) & 31);
      value &= (1 << bits) - 1;
    }
  }
  return text + digits.charAt((value << (digitBits - bits)) & 31);
}

/** @returns undefined unless `write` gives the text again */
function read(text: string): Buffer | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const character of text) {
    const digit = digits.indexOf(character);
    if (digit === -1) return undefined;
    value = (value << digitBits) | digit;
    bits += digitBits;
    if (bits >= 8) {
      bits -= 8;
      bytes.push(value >> bits);
      value &= (1 << bits) - 1;
    }
  }
  const read = Buffer.from(bytes);
  return write(read) === text ? read : undefined;
}

function signedText(
  { userId, messageId }: AnswerSubject,
  { address, passwordHash, keyMadeAt }: AnswererCredentials,
): string {
  return JSON.stringify(['answer by mail', userId, messageId, address, passwordHash, keyMadeAt]);
}

/** @returns the address by which a person answers a message, the same each time */
export function makeAnswerAddress(
  { before, after }: AnswerAddresses,
  secrets: KeySecrets,
  subject: AnswerSubject,
  credentials: AnswererCredentials,
): string {
  const named = Buffer.alloc(namedBytes);
  named.writeUIntBE(subject.userId, 0, userIdBytes);
  named.writeUIntBE(subject.messageId, userIdBytes, messageIdBytes);
  const signature = hashToStore(secrets, signedText(subject, credentials));
  const token = write(Buffer.concat([named, signature.subarray(0, signatureBytes)]));
  return before + token + after;
}

/** @returns what an address says, or undefined if it is not of this form */
export function parseAnswerAddress(
  { before, after }: AnswerAddresses,
  address: string,
): AnswerToken | undefined {
  const folded = address.toLowerCase();
  const fits =
    folded.length === before.length + answerTokenLength + after.length &&
    folded.startsWith(before) &&
    folded.endsWith(after);
  const bytes = fits
    ? read(folded.slice(before.length, before.length + answerTokenLength))
    : undefined;
  if (bytes === undefined) return undefined;
  return {
    userId: bytes.readUIntBE(0, userIdBytes),
    messageId: bytes.readUIntBE(userIdBytes, messageIdBytes),
    signature: bytes.subarray(namedBytes),
  };
}

/** @returns whether an address was made by this installation, for a person with these credentials */
export function isGenuine(
  secrets: KeySecrets,
  { signature, ...subject }: AnswerToken,
  credentials: AnswererCredentials,
): boolean {
  return hashesToFind(secrets, signedText(subject, credentials)).some((expected) =>
    timingSafeEqual(expected.subarray(0, signatureBytes), signature),
  );
}
