/** Providers that fail or lie. What a right one does is in `tests/api/single-sign-on.test.ts`. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { MovedClock } from '@parley/clock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { OpenIdProvider } from './openid-provider.ts';
import { ProviderAnswerFault, ProviderUnavailable } from './provider-faults.ts';

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });

type Json = Readonly<Record<string, unknown>>;

function encoded(value: Json): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** @returns a token as JWT (RFC 7519) */
function signed(claims: Json, header: Json = {}, key = keys.privateKey): string {
  const text = `${encoded({ alg: 'RS256', kid: 'k', ...header })}.${encoded(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

let server: Server;
let issuer: string;
/** The answers by path; a function answers by itself. */
let answers: Record<string, Json | ((request: IncomingMessage, response: ServerResponse) => void)>;
let requests: string[];
let provider: OpenIdProvider;
let clock: MovedClock;

const attempt = {
  redirectUri: 'https://chat.example/sso/work/callback',
  state: 'state of the attempt',
  nonce: 'nonce of the attempt',
  codeVerifier: 'v'.repeat(43),
};

function claims(more: Json = {}): Json {
  const nowSecs = Math.floor(clock.nowMs() / 1000);
  return {
    iss: issuer,
    sub: 'bob',
    aud: 'parley',
    iat: nowSecs,
    exp: nowSecs + 300,
    nonce: attempt.nonce,
    email: 'bob@example.com',
    email_verified: true,
    name: 'Bob',
    ...more,
  };
}

function answerWith(idToken: string): void {
  answers['/token'] = { access_token: 'a', token_type: 'Bearer', id_token: idToken };
}

function tell(query = `code=c&state=${encodeURIComponent(attempt.state)}`) {
  return provider.identify({ ...attempt, query });
}

beforeEach(async () => {
  clock = new MovedClock();
  requests = [];
  server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    requests.push(path);
    const answer = answers[path];
    if (typeof answer === 'function') answer(request, response);
    else
      response
        .writeHead(answer === undefined ? 404 : 200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify(answer ?? {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  answers = {
    '/.well-known/openid-configuration': {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/me`,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
    },
    '/keys': { keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256' }] },
  };
  answerWith(signed(claims()));
  provider = makeProvider();
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

function makeProvider(): OpenIdProvider {
  const config = {
    id: 'work',
    name: 'Work',
    icon: undefined,
    issuer,
    clientId: 'parley',
    clientSecret: undefined,
    scopes: 'openid email',
    isTrusted: true,
    emailVerifiedClaim: 'email_verified',
    makesAccounts: false,
    groupsClaim: undefined,
    roles: {},
  };
  return new OpenIdProvider(config, clock);
}

test('a right answer names the person, without another request if the token says all', async () => {
  expect(await tell()).toEqual({
    issuer,
    subject: 'bob',
    email: 'bob@example.com',
    isEmailVerified: true,
    fullName: 'Bob',
    groups: [],
    idToken: expect.any(String) as string,
  });
  expect(requests).toEqual(['/.well-known/openid-configuration', '/token', '/keys']);
});

test('what the token does not say is asked for, but never for somebody else', async () => {
  answerWith(signed(claims({ email: undefined, email_verified: undefined })));
  answers['/me'] = { sub: 'bob', email: 'new@example.com', email_verified: 'true' };
  expect(await tell()).toMatchObject({ email: 'new@example.com', isEmailVerified: true });
  answers['/me'] = { sub: 'ann', email: 'ann@example.com', email_verified: true };
  await expect(tell()).rejects.toThrow(ProviderAnswerFault);
});

describe('an answer signs nobody in', () => {
  test.each<[string, () => string]>([
    ['by another key', () => signed(claims(), {}, otherKeys.privateKey)],
    ['by a key that the provider does not have', () => signed(claims(), { kid: 'other' })],
    ['by no key', () => `${encoded({ alg: 'none' })}.${encoded(claims())}.`],
    [
      'by the public key as a secret',
      () => `${encoded({ alg: 'HS256', kid: 'k' })}.${encoded(claims())}.AAAA`,
    ],
    ['by another issuer', () => signed(claims({ iss: 'https://evil.example' }))],
    ['for another client', () => signed(claims({ aud: 'other' }))],
    ['for another attempt', () => signed(claims({ nonce: 'other' }))],
    ['without an attempt', () => signed(claims({ nonce: undefined }))],
    ['that is over', () => signed(claims({ exp: Math.floor(clock.nowMs() / 1000) - 300 }))],
    ['about nobody', () => signed(claims({ sub: undefined }))],
    ['about an empty name', () => signed(claims({ sub: '' }))],
    ['about a name that is too long', () => signed(claims({ sub: 'b'.repeat(256) }))],
    ['about a name that no database stores', () => signed(claims({ sub: 'b\0b' }))],
    ['about a name that is half a character', () => signed(claims({ sub: 'b\ud800' }))],
    ['about a number', () => signed(claims({ sub: 7 }))],
    ['that is no token', () => 'x.y.z'],
  ])('%s', async (_what, token) => {
    answerWith(token());
    await expect(tell()).rejects.toThrow(ProviderAnswerFault);
  });

  test('that refuses, or has another state', async () => {
    const state = encodeURIComponent(attempt.state);
    for (const query of [
      `error=access_denied&state=${state}`,
      'code=c&state=other',
      `state=${state}`,
      `code=c&code=d&state=${state}`,
    ])
      await expect(tell(query)).rejects.toThrow(ProviderAnswerFault);
    expect(requests).not.toContain('/token');
  });

  test('that has no identity', async () => {
    answers['/token'] = { access_token: 'a', token_type: 'Bearer' };
    await expect(tell()).rejects.toThrow(ProviderAnswerFault);
  });
});

describe('a provider is unavailable', () => {
  const endless = (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const write = (): void => {
      if (response.destroyed) return;
      if (response.write(' '.repeat(65_536))) setImmediate(write);
      else response.once('drain', write);
    };
    write();
  };
  const failing = (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(503).end();
  };
  const silent = (): void => undefined;
  const moved = (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
  };

  test.each([
    ['that never ends its answer', endless],
    ['that says that it failed', failing],
    ['that leads elsewhere', moved],
    ['that describes another', { issuer: 'https://evil.example' }],
    ['that describes nothing', {}],
  ])('%s', async (_what, answer) => {
    answers['/.well-known/openid-configuration'] = answer;
    provider = makeProvider();
    await expect(provider.addressFor(attempt)).rejects.toThrow(ProviderUnavailable);
    // It is left alone for a while.
    await expect(provider.addressFor(attempt)).rejects.toThrow(ProviderUnavailable);
    expect(requests).toHaveLength(1);
  });

  test('that says nothing for four seconds, and is left alone for five more', async () => {
    answers['/.well-known/openid-configuration'] = silent;
    let fault: unknown;
    void provider.addressFor(attempt).catch((error: unknown) => {
      fault = error;
    });
    await expect.poll(() => requests.length).toBe(1);
    await clock.advance(3_999);
    expect(fault).toBeUndefined();
    await clock.advance(1);
    await expect.poll(() => fault).toBeInstanceOf(ProviderUnavailable);
    await clock.advance(4_999);
    await expect(provider.addressFor(attempt)).rejects.toThrow(ProviderUnavailable);
    expect(requests).toHaveLength(1);
    await clock.advance(1);
    void provider.addressFor(attempt).catch(() => undefined);
    await expect.poll(() => requests.length).toBe(2);
  });

  test('whose issuer has a slash at the end in the settings alone', async () => {
    issuer += '/';
    provider = makeProvider();
    await expect(provider.addressFor(attempt)).rejects.toThrow(ProviderUnavailable);
    expect(requests).toEqual(['/.well-known/openid-configuration']);
  });

  test.each([
    ['at the token', '/token', endless],
    ['at the token, with a fault', '/token', failing],
  ])('%s', async (_what, path, answer) => {
    answers[path] = answer;
    await expect(tell()).rejects.toThrow(ProviderUnavailable);
  });

  test.each([
    ['at the token', '/token'],
    ['at its keys', '/keys'],
  ])('%s, without a word', async (_what, path) => {
    answers[path] = silent;
    let fault: unknown;
    void tell().catch((error: unknown) => {
      fault = error;
    });
    await expect.poll(() => requests.at(-1)).toBe(path);
    await clock.advance(3_999);
    expect(fault).toBeUndefined();
    await clock.advance(1);
    await expect.poll(() => fault).toBeInstanceOf(ProviderUnavailable);
  });

  test('and everybody who comes at once waits for one description', async () => {
    const addresses = await Promise.all(
      Array.from({ length: 50 }, async () => provider.addressFor(attempt)),
    );
    expect(new Set(addresses).size).toBe(1);
    expect(requests).toHaveLength(1);
  });
});

test('the address of a sign-in has all that the provider must give back or keep', async () => {
  const url = new URL(await provider.addressFor(attempt));
  expect(Object.fromEntries(url.searchParams)).toEqual({
    response_type: 'code',
    client_id: 'parley',
    redirect_uri: attempt.redirectUri,
    scope: 'openid email',
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
    code_challenge_method: 'S256',
  });
  expect(url.href).not.toContain(attempt.codeVerifier);
});
