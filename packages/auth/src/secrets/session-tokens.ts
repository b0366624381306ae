import { hash, randomBytes } from 'node:crypto';

/** The secret that a browser keeps for its session. */

const tokenBytes = 32;

/** 256 bits as base64url. */
export const sessionTokenPattern = /^[\w-]{43}$/;

/** @returns a new random token */
export function makeSessionToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

/**
 * The stored form of a token. Nobody can search 256 random bits, so a plain hash is enough; under the key secret, replacing that would end
 * every session.
 */
export function hashSessionToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

const scimTokenPrefix = 'scim_';

/** Programs that search for leaked secrets recognize a token of SCIM by its beginning. */
export const scimTokenPattern = /^scim_[\w-]{43}$/;

/** @returns a new random token of SCIM, which `hashSessionToken` stores as it does those of sessions */
export function makeScimToken(): string {
  return scimTokenPrefix + makeSessionToken();
}
