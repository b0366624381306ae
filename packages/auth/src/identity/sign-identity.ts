import { createHmac } from 'node:crypto';

import type { Caller } from '@parley/api';

/** How long a signed identity is valid. This covers a slow hop and different clocks, but no later replay. */
export const identityLifetimeMs = 30_000;

/** The signed content. Short keys, because it travels with every request. */
export type IdentityClaims = {
  /** User id, email, role, bot type, owner, session and token of SCIM of the caller; null for a request without authentication. */
  readonly c:
    | readonly [
        userId: number,
        email: string,
        role: string,
        botType: number | null,
        botOwnerId: number | null,
        sessionId: number | null,
        scimTokenId: number | null,
      ]
    | null;
  /** Request id. */
  readonly r: string;
  /** When it was signed, UNIX milliseconds. */
  readonly t: number;
};

/** The signature over the encoded claims, base64url. */
export function signatureOf(secret: string, encodedClaims: string): string {
  return createHmac('sha256', secret).update(encodedClaims).digest('base64url');
}

/**
 * Makes the value of the identity header: base64url JSON, a dot, and its HMAC-SHA256.
 *
 * @param caller null when the endpoint needs no authentication
 * @param nowMs UNIX time; the value is valid for 30 seconds
 */
export function signIdentity(
  secret: string,
  caller: Caller | null,
  { requestId, nowMs }: { readonly requestId: string; readonly nowMs: number },
): string {
  const claims: IdentityClaims = {
    c: caller && [
      caller.userId,
      caller.email,
      caller.role,
      caller.botType,
      caller.botOwnerId,
      caller.sessionId ?? null,
      caller.scimTokenId ?? null,
    ],
    r: requestId,
    t: nowMs,
  };
  const encoded = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${encoded}.${signatureOf(secret, encoded)}`;
}
