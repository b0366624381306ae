import { argon2, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { Argon2Parameters } from 'node:crypto';

/**
 * Stores passwords as argon2id hashes, in the usual text form `$argon2id$v=19$m=...,t=...,p=...$salt$hash`, so that the cost can be raised
 * later and old hashes can still be verified.
 */

// 19 MiB, two passes, one lane: the least that OWASP's password storage guide recommends for argon2id.
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const saltBytes = 16;
const hashBytes = 32;

async function derive(parameters: Argon2Parameters): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  argon2('argon2id', parameters, (error, derived) => {
    if (error === null) resolve(derived);
    else reject(error);
  });
  return promise;
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

/** @returns the text to store for a password */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(saltBytes);
  const hash = await derive({ message: password, nonce, tagLength: hashBytes, ...cost });
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(nonce)}$${unpadded(hash)}`;
}

const stored = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/;

/**
 * Checks a password. Without a stored hash it does the same work for nothing, so that the time taken does not reveal whether an account
 * exists or has a password.
 */
export async function verifyPassword(
  password: string,
  passwordHash: string | null | undefined,
): Promise<boolean> {
  const match = stored.exec(passwordHash ?? '');
  if (match === null) {
    await derive({
      message: password,
      nonce: Buffer.alloc(saltBytes),
      tagLength: hashBytes,
      ...cost,
    });
    return false;
  }
  const expected = Buffer.from(match[5] ?? '', 'base64');
  const derived = await derive({
    message: password,
    nonce: Buffer.from(match[4] ?? '', 'base64'),
    tagLength: expected.length,
    memory: Number(match[1]),
    passes: Number(match[2]),
    parallelism: Number(match[3]),
  });
  return timingSafeEqual(derived, expected);
}

// No characters that look alike.
const passwordAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
const passwordGroups = 5;
const groupLength = 4;

/** @returns a random password of some 99 bits, in groups that a person can type */
export function makePassword(): string {
  const group = (): string =>
    Array.from(
      { length: groupLength },
      () => passwordAlphabet[randomInt(passwordAlphabet.length)],
    ).join('');
  return Array.from({ length: passwordGroups }, group).join('-');
}
