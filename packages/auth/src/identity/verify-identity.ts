import { timingSafeEqual } from 'node:crypto';

import { botTypes } from '@parley/api';
import type { BotType, Caller, Role } from '@parley/api';

import { identityLifetimeMs, signatureOf } from './sign-identity.ts';

export type VerifiedIdentity = {
  /** Null when the gateway passed the request on without authentication. */
  readonly caller: Caller | null;
  readonly requestId: string;
};

// An identity has an email and a request id of bounded length; anything longer did not come from a gateway.
const headerMaxLength = 4096;

function isSignedBy(secret: string, encoded: string, signature: Buffer): boolean {
  const expected = Buffer.from(signatureOf(secret, encoded));
  return expected.length === signature.length && timingSafeEqual(expected, signature);
}

function isIntegerOrNull(value: unknown): value is number | null {
  return value === null || Number.isSafeInteger(value);
}

function isBotTypeOrNull(value: unknown): value is BotType | null {
  return value === null || Object.values<unknown>(botTypes).includes(value);
}

function findCaller(value: unknown): Caller | undefined {
  if (!Array.isArray(value)) return undefined;
  // A gateway of the release before names no session or no token.
  const [userId, email, role, botType, botOwnerId, sessionId = null, scimTokenId = null] =
    value as readonly unknown[];
  if (!Number.isSafeInteger(userId) || typeof email !== 'string') return undefined;
  if (role !== 'administrator' && role !== 'member' && role !== 'guest') return undefined;
  if (!isBotTypeOrNull(botType) || !isIntegerOrNull(botOwnerId)) return undefined;
  if (!isIntegerOrNull(sessionId) || !isIntegerOrNull(scimTokenId)) return undefined;
  const checkedRole: Role = role;
  return {
    userId: userId as number,
    email,
    role: checkedRole,
    botType,
    botOwnerId,
    ...(sessionId !== null && { sessionId }),
    ...(scimTokenId !== null && { scimTokenId }),
  };
}

/**
 * Verifies the value of the identity header. Comparison takes constant time; several secrets are accepted, so that one
 * can be replaced while processes with the old and the new one run side by side.
 *
 * @param nowMs UNIX time; an identity is valid from 30 seconds before to 30 seconds after it was signed, because clocks differ
 * @returns undefined when the header is absent, malformed, signed by somebody else or too old
 */
export function verifyIdentity(
  secrets: string | readonly string[],
  header: string | undefined,
  nowMs: number,
): VerifiedIdentity | undefined {
  if (header === undefined || header.length > headerMaxLength) return undefined;
  const dot = header.indexOf('.');
  if (dot < 0) return undefined;
  const encoded = header.slice(0, dot);
  const signature = Buffer.from(header.slice(dot + 1));
  const accepted = typeof secrets === 'string' ? [secrets] : secrets;
  if (!accepted.some((secret) => isSignedBy(secret, encoded, signature))) return undefined;
  const claims = JSON.parse(Buffer.from(encoded, 'base64url').toString()) as Readonly<
    Record<string, unknown>
  >;
  const { c, r, t } = claims;
  if (typeof r !== 'string' || typeof t !== 'number' || Math.abs(nowMs - t) > identityLifetimeMs)
    return undefined;
  if (c === null) return { caller: null, requestId: r };
  const caller = findCaller(c);
  return caller && { caller, requestId: r };
}
