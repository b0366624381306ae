import { ApiError, badRequest, botTypes } from '@parley/api';
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
const invalidHeader = {
  status: 401,
  msg: 'Invalid authorization header for basic auth',
  challenge,
};
const loggedOut = {
  status: 401,
  msg: 'Not logged in: API authentication or user session required',
  challenge,
};

describe('parseAuthorization', () => {
  it.each([
    ['no header', undefined, loggedOut],
    ['an empty header', '', loggedOut],
    ['one word', 'Basic', invalidHeader],
    ['three words', 'Basic a b', invalidHeader],
    ['three words of another scheme', 'Digest a b', invalidHeader],
    ['no base64', 'Basic !!!!', invalidHeader],
    ['broken padding', 'Basic YQ', invalidHeader],
    ['no UTF-8', basic(Buffer.from([0xff, 0x3a, 0xfe])), invalidHeader],
    ['no colon', basic('abc'), invalidHeader],
    ['two colons', basic(`a@b.example:${key}:x`), invalidHeader],
  ])('refuses %s', (_case, header, refusal) => {
    expect(refusalOf(() => parseAuthorization(header))).toEqual(refusal);
  });

  it('refuses another scheme with 400 and without a challenge', () => {
    expect(refusalOf(() => parseAuthorization('Bearer x'))).toEqual({
      status: 400,
      msg: 'This endpoint requires HTTP basic authentication.',
      challenge: undefined,
    });
  });

  it('accepts the scheme in any case and strips white space', () => {
    const encoded = Buffer.from(` a@b.example : ${key}\n`).toString('base64');
    expect(parseAuthorization(`bAsIc ${encoded}`)).toEqual({
      emailFolded: 'A@B.EXAMPLE',
      apiKey: key,
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
  it('reads the last key, stripped of white space, and requires one', () => {
    expect(parseKeyInQuery(new Query(`api_key=x&api_key=%20${key}%0A`))).toEqual({ apiKey: key });
    expect(refusalOf(() => parseKeyInQuery(new Query('api=1')))).toEqual({
      ...loggedOut,
      challenge: 'Session realm="zulip"',
    });
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

  it('compares the email in any letter case, and requires none with a key in the query', () => {
    const said = parseAuthorization(basic(`rina@example.COM:${key}`));
    expect(checkKey(said, account)).toBe(account);
    expect(checkKey({ emailFolded: undefined, apiKey: key }, account)).toBe(account);
  });

  it.each([
    ['short', 'abc'],
    ['long', `${key}a`],
    ['with other characters', `${key.slice(1)}-`],
    ['empty', ''],
  ])('refuses a key that is %s', (_case, apiKey) => {
    expect(refusalOf(() => checkKey({ emailFolded, apiKey }, undefined))).toEqual({
      status: 401,
      msg: 'Malformed API key',
      challenge,
    });
    expect(refusalOf(() => checkKey({ emailFolded: undefined, apiKey }, undefined))).toEqual({
      status: 401,
      msg: 'Malformed API key',
      code: 'INVALID_API_KEY',
      challenge: undefined,
    });
  });

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

  it('returns the caller', () => {
    expect(checkAccount(account, ordinary)).toEqual({
      userId: 7,
      email: 'Rina@Example.com',
      role: 'member',
      botType: null,
      botOwnerId: null,
    });
  });

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
    [
      'an incoming-webhook bot',
      { botType: 2 },
      'This API is not available to incoming webhook bots.',
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

  it('lets an incoming-webhook bot send', () => {
    const bot = { ...account, botType: botTypes.incomingWebhook };
    expect(checkAccount(bot, { ...ordinary, incomingWebhookBots: 'allowed' }).botType).toBe(2);
  });
});
