/** What `tests/api/authentication.test.ts` does not show over HTTP. */
import { ApiError, badRequest } from '@parley/api';
import type { KeyAccount } from '@parley/store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { checkAccount, checkKey, parseAuthorization, parseKeyInQuery } from './authenticate.ts';
import { Query } from './query.ts';

const key = 'abcdefghijklmnopqrstuvwxyzABCDEF';

function basic(text: string | Buffer): string {
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

function refusalOf(act: () => unknown): {
  status: number;
  msg: string;
  code?: string;
  challenge: string | undefined;
} {
  try {
    act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return {
      status: error.status,
      msg: error.message,
      ...(error.code === undefined ? {} : { code: error.code }),
      challenge: error.headers['WWW-Authenticate'],
    };
  }
  throw new Error('nothing was refused');
}

const challenge = 'Basic realm="zulip"';

describe('parseAuthorization', () => {
  it.each([
    ['three words of another scheme', 'Digest a b'],
    ['an email and a key with broken padding', 'Basic YTpiYw'],
    ['an email and a key between other characters', 'Basic YT!pi'],
  ])('refuses %s', (_case, header) => {
    expect(refusalOf(() => parseAuthorization(header))).toEqual({
      status: 401,
      msg: 'Invalid authorization header for basic auth',
      challenge,
    });
  });

  it('answers every header with credentials or a refusal', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map(basic),
          fc.base64String().map((text) => `Basic ${text}`),
        ),
        (header) => {
          try {
            parseAuthorization(header);
          } catch (error) {
            expect(error).toBeInstanceOf(ApiError);
          }
        },
      ),
    );
  });
});

describe('parseKeyInQuery', () => {
  it('reads the last key, stripped of white space', () => {
    expect(parseKeyInQuery(new Query(`api_key=x&api_key=%20${key}%0A`))).toEqual({ apiKey: key });
  });
});

const account: KeyAccount = {
  userId: 7,
  email: 'Rina@Example.com',
  emailFolded: 'RINA@EXAMPLE.COM',
  role: 'member',
  botType: null,
  botOwnerId: null,
  isActive: true,
  isRealmDeactivated: false,
};

describe('checkKey', () => {
  const { emailFolded } = account;

  it("refuses an unknown key, and another user's email before anything about the account", () => {
    const invalid = { status: 401, msg: 'Invalid API key', challenge };
    expect(refusalOf(() => checkKey({ emailFolded, apiKey: key }, undefined))).toEqual(invalid);
    const other = { ...account, emailFolded: 'X', isActive: false };
    expect(refusalOf(() => checkKey({ emailFolded, apiKey: key }, other))).toEqual(invalid);
    expect(refusalOf(() => checkKey({ emailFolded: undefined, apiKey: key }, undefined))).toEqual({
      ...invalid,
      code: 'INVALID_API_KEY',
      challenge: undefined,
    });
  });
});

describe('checkAccount', () => {
  const ordinary = { authentication: 'required' } as const;

  it.each<[string, Partial<KeyAccount>, string]>([
    [
      'a deactivated organization first',
      { isRealmDeactivated: true, isActive: false },
      'This organization has been deactivated',
    ],
    [
      'a deactivated account before its kind',
      { isActive: false, botType: 2 },
      'Account is deactivated',
    ],
  ])('refuses %s', (_case, change, msg) => {
    const found = { ...account, ...change };
    expect(refusalOf(() => checkAccount(found, ordinary))).toEqual({ status: 401, msg, challenge });
    expect(refusalOf(() => checkAccount(found, ordinary, badRequest))).toEqual({
      status: 400,
      msg,
      code: 'BAD_REQUEST',
      challenge: undefined,
    });
  });
});
