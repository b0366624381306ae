import { botTypes } from '@parley/api';
import type { Caller } from '@parley/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { identityLifetimeMs, signIdentity, signatureOf } from './sign-identity.ts';
import { verifyIdentity } from './verify-identity.ts';

const secret = 'a secret that only gateway and services know';
const nowMs = 1_600_000_000_000;

const callers: fc.Arbitrary<Caller> = fc.record(
  {
    userId: fc.nat(),
    email: fc.string(),
    role: fc.constantFrom('administrator', 'member', 'guest'),
    botType: fc.option(fc.constantFrom(...Object.values(botTypes))),
    botOwnerId: fc.option(fc.nat()),
    sessionId: fc.nat(),
    scimTokenId: fc.nat(),
  },
  { requiredKeys: ['userId', 'email', 'role', 'botType', 'botOwnerId'] },
);

describe('a signed identity', () => {
  it('is read back unchanged, with and without a caller', () => {
    fc.assert(
      fc.property(fc.option(callers), fc.string(), (caller, requestId) => {
        const header = signIdentity(secret, caller, { requestId, nowMs });
        expect(header).toMatch(/^[\w-]+\.[\w-]{43}$/);
        expect(verifyIdentity(secret, header, nowMs)).toEqual({ caller, requestId });
      }),
    );
  });

  it('is valid for 30 seconds', () => {
    const header = signIdentity(secret, null, { requestId: 'r', nowMs });
    expect(verifyIdentity(secret, header, nowMs + identityLifetimeMs)).toBeDefined();
    expect(verifyIdentity(secret, header, nowMs + identityLifetimeMs + 1)).toBeUndefined();
    expect(verifyIdentity(secret, header, nowMs - identityLifetimeMs - 1)).toBeUndefined();
  });

  it('is accepted by any of several secrets', () => {
    const header = signIdentity(secret, null, { requestId: 'r', nowMs });
    expect(verifyIdentity(['a new one', secret], header, nowMs)).toBeDefined();
    expect(verifyIdentity(['a new one', 'another'], header, nowMs)).toBeUndefined();
    expect(verifyIdentity([], header, nowMs)).toBeUndefined();
  });

  it('is refused when a single character differs', () => {
    const header = signIdentity(secret, null, { requestId: 'r', nowMs });
    fc.assert(
      fc.property(
        fc.nat(header.length - 1),
        fc.constantFrom('A', 'b', '7', '.', '-'),
        (at, character) => {
          fc.pre(header[at] !== character);
          const changed = header.slice(0, at) + character + header.slice(at + 1);
          expect(verifyIdentity(secret, changed, nowMs)).toBeUndefined();
        },
      ),
    );
  });

  it('is refused without an exception if it is anything else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constant(undefined)), (header) => {
        expect(verifyIdentity(secret, header, nowMs)).toBeUndefined();
      }),
    );
    expect(verifyIdentity(secret, 'a'.repeat(10_000), nowMs)).toBeUndefined();
  });

  it('of a gateway that names no session is accepted', () => {
    const claims = { c: [1, 'e', 'member', null, null], r: 'r', t: nowMs };
    const encoded = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const header = `${encoded}.${signatureOf(secret, encoded)}`;
    expect(verifyIdentity(secret, header, nowMs)?.caller).toEqual({
      userId: 1,
      email: 'e',
      role: 'member',
      botType: null,
      botOwnerId: null,
    });
  });

  it('is refused if it is signed but not an identity', () => {
    for (const claims of [
      { c: [1, 'e', 'member', null, null, 'x'], r: 'r', t: nowMs },
      {},
      { c: [1, 'e', 'owner', null, null], r: 'r', t: nowMs },
      { c: ['1', 'e', 'member', null, null], r: 'r', t: nowMs },
      { c: null, r: 'r' },
    ]) {
      const encoded = Buffer.from(JSON.stringify(claims)).toString('base64url');
      expect(
        verifyIdentity(secret, `${encoded}.${signatureOf(secret, encoded)}`, nowMs),
      ).toBeUndefined();
    }
  });
});
