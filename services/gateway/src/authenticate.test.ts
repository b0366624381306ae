import { ApiError } from '@parley/contracts';
import type { KeyAccount } from '@parley/store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { checkAccount, parseAuthorization } from './authenticate.ts';

const key = 'abcdefghijklmnopqrstuvwxyzABCDEF';

function basic(text: string | Buffer): string {
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

function refusalOf(act: () => unknown): {
  status: number;
  msg: string;
  challenge: string | undefined;
} {
  try {
    act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.code).toBeUndefined();
    return {
      status: error.status,
      msg: error.message,
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
const malformed = { status: 401, msg: 'Malformed API key', challenge };

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
    ['a short key', basic('a@b.example:abc'), malformed],
    ['a long key', basic(`a@b.example:${key}a`), malformed],
    ['a key with other characters', basic(`a@b.example:${key.slice(1)}-`), malformed],
    ['an empty key', basic('a@b.example:'), malformed],
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

  it('takes the scheme in any case and strips white space', () => {
    const encoded = Buffer.from(` a@b.example : ${key}\n`).toString('base64');
    expect(parseAuthorization(`bAsIc ${encoded}`)).toEqual({ email: 'a@b.example', apiKey: key });
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

describe('checkAccount', () => {
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
  const ordinary = { incomingWebhookBots: 'refused' } as const;
  const credentials = { email: 'rina@example.COM', apiKey: key };

  it('compares the email in any letter case', () => {
    expect(checkAccount(credentials, account, ordinary)).toEqual({
      userId: 7,
      email: 'Rina@Example.com',
      role: 'member',
      botType: null,
      botOwnerId: null,
    });
  });

  it.each<[string, Partial<KeyAccount> | undefined, string]>([
    ['an unknown key', undefined, 'Invalid API key'],
    [
      "another user's email, before anything about the account",
      { emailFolded: 'X', isActive: false },
      'Invalid API key',
    ],
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
    const found = change && { ...account, ...change };
    expect(refusalOf(() => checkAccount(credentials, found, ordinary))).toEqual({
      status: 401,
      msg,
      challenge,
    });
  });

  it('lets an incoming-webhook bot send', () => {
    const bot = { ...account, botType: 2 };
    expect(checkAccount(credentials, bot, { incomingWebhookBots: 'allowed' }).botType).toBe(2);
  });
});
