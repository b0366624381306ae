/** Which requests are authenticated (reference facts, people 4), at both of two gateways and before every service. */
import type { ApiClient } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { postFreshly } from '../support/browser.ts';
import { sendRaw } from '../support/send-raw.ts';
import type { RawAnswer } from '../support/send-raw.ts';
import { useFixture } from '../support/use-fixture.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';

const organization = useFixture(() => startSmallOrganization({ gateways: 2 }));
beforeAll(async () => {
  await organization.client('bob').subscribe('general');
});

/** One endpoint of each service. */
const endpoints: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/api/v1/messages'],
  ['GET', '/api/v1/streams'],
  ['GET', '/api/v1/users'],
  ['POST', '/api/v1/register'],
  ['GET', '/api/v1/events?queue_id=1&last_event_id=0'],
];

/** The answers of both gateways. */
function sendToEach(
  method: string,
  path: string,
  authorization: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer[]> {
  return Promise.all(
    organization.cluster.gatewayUrls.map((url) =>
      sendRaw(url, {
        method,
        path,
        headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
      }),
    ),
  );
}

function basic(text: string | Buffer): string {
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

function login(who: PersonKey, changes: { email?: string; apiKey?: string } = {}): string {
  const { user, apiKey } = organization.accounts[who];
  return basic(`${changes.email ?? user.email}:${changes.apiKey ?? apiKey}`);
}

const key = 'abcdefghijklmnopqrstuvwxyzABCDEF';
const loggedOut = 'Not logged in: API authentication or user session required';
const invalid = 'Invalid authorization header for basic auth';
const malformed = 'Malformed API key';
const unknown = 'Invalid API key';

async function checkRefused(authorization: string | undefined, msg: string): Promise<void> {
  for (const [method, path] of endpoints) {
    for (const answer of await sendToEach(method, path, authorization)) {
      expect(JSON.parse(answer.text)).toEqual({ result: 'error', msg });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([
        401,
        'Basic realm="zulip"',
      ]);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.headers['cache-control']).toContain('no-store');
    }
  }
}

/** What ends the access of an account reaches every gateway within a second. */
async function expectNoAccess(client: ApiClient): Promise<void> {
  const ask = async (): Promise<number> => (await client.request('GET', 'users/me')).status;
  await expect.poll(async () => [await ask(), await ask()]).toEqual([401, 401]);
}

describe('a request is 401 with a challenge and no code', () => {
  test('without credentials, whatever the client accepts', async () => {
    await checkRefused(undefined, loggedOut);
    await checkRefused('', loggedOut);
    const [answer] = await sendToEach('GET', '/api/v1/users', undefined, { accept: 'text/html' });
    expect(answer?.status).toBe(401);
  });

  test.each([
    ['one word', 'Basic'],
    ['three words', 'Basic a b'],
    ['no base64', 'Basic !!!!'],
    ['no UTF-8', basic(Buffer.from([0xff, 0x3a, 0xfe]))],
    ['no colon', basic('abc')],
    ['two colons', basic(`a@example.com:${key}:x`)],
  ])('with undecodable credentials: %s', async (_case, authorization) => {
    await checkRefused(authorization, invalid);
  });

  test.each([
    ['too short', key.slice(1)],
    ['too long', `${key}a`],
    ['other characters', `${key.slice(1)}-`],
    ['empty', ''],
  ])('for a malformed key: %s', async (_case, apiKey) => {
    await checkRefused(login('bob', { apiKey }), malformed);
  });

  test('for a well-formed key that does not exist', async () => {
    await checkRefused(login('bob', { apiKey: key }), unknown);
    await checkRefused(basic(`nobody@example.com:${key}`), unknown);
  });

  test("for a valid key with another user's email", async () => {
    await checkRefused(login('bob', { email: 'cat@example.com' }), unknown);
    await checkRefused(login('bob', { email: 'nobody@example.com' }), unknown);
  });

  test('for a deactivated account, after its key was checked', async () => {
    const { person, bot } = await organization.makePersonWithBot('dot');
    await organization.client('ann').delete(`users/${person.user.id}`);
    for (const account of [person, bot]) {
      const client = organization.clientOf(account);
      await expectNoAccess(client);
      await checkRefused(basic(`${client.email}:${client.apiKey}`), 'Account is deactivated');
      await checkRefused(basic(`cat@example.com:${client.apiKey}`), unknown);
      await checkRefused(basic(`${client.email}:${key}`), unknown);
    }
  });
});

test('another scheme is refused with 400, without a challenge or code', async () => {
  for (const [method, path] of endpoints) {
    for (const scheme of ['Bearer x', 'Digest abc', 'basics x']) {
      for (const answer of await sendToEach(method, path, scheme)) {
        expect([answer.status, answer.headers['www-authenticate']]).toEqual([400, undefined]);
        expect(JSON.parse(answer.text)).toEqual({
          result: 'error',
          msg: 'This endpoint requires HTTP basic authentication.',
        });
      }
    }
  }
});

test('the email matches in any letter case, and white space around email and key is ignored', async () => {
  const { user, apiKey } = organization.accounts.ann;
  for (const authorization of [
    login('ann', { email: user.email.toUpperCase() }),
    login('ann', { email: user.email.toLowerCase() }),
    basic(` ${user.email}\t:\n${apiKey} `),
    login('ann').replace('Basic', 'bAsIc'),
  ])
    for (const answer of await sendToEach('GET', '/api/v1/users/me', authorization))
      expect(answer.status).toBe(200);
  await checkRefused(login('ann', { apiKey: apiKey.toLowerCase() }), unknown);
});

test('after a new key is made, the old one fails at once and the new one works, also for bots', async () => {
  const { person, bot } = await organization.makePersonWithBot('eve');
  for (const [path, { user, apiKey }] of [
    [`bots/${bot.user.id}/api_key/regenerate`, bot],
    ['users/me/api_key/regenerate', person],
  ] as const) {
    const client = organization.clientOf({ user, apiKey });
    expect((await client.request('GET', 'users/me')).status).toBe(200);
    const { api_key: newKey } = await postFreshly(organization.url, person.user.email, path);
    expect(newKey).toMatch(/^[A-Za-z0-9]{32}$/);
    await expectNoAccess(client);
    await checkRefused(basic(`${user.email}:${apiKey}`), unknown);
    const fresh = basic(`${user.email}:${String(newKey)}`);
    for (const answer of await sendToEach('GET', '/api/v1/users/me', fresh))
      expect(answer.status).toBe(200);
  }
});

describe('files and pictures', () => {
  const paths = [
    '/user_uploads/1/x/y.txt',
    '/avatar/bob@example.com',
    '/thumbnail?url=x&size=full',
  ];

  const withKey = (path: string, apiKey: string): string =>
    `${path}${path.includes('?') ? '&' : '?'}api_key=${apiKey}`;

  test('accept the key as a parameter, and then refuse with codes', async () => {
    for (const path of paths) {
      for (const [apiKey, msg] of [
        [key, unknown],
        ['x', malformed],
      ] as const)
        for (const { status, text } of await sendToEach('GET', withKey(path, apiKey), undefined))
          expect([status, JSON.parse(text)]).toMatchObject([401, { code: 'INVALID_API_KEY', msg }]);
      const accepted = withKey(path, organization.accounts.bob.apiKey);
      // An empty header is as none.
      for (const header of [undefined, ''])
        for (const { status } of await sendToEach('GET', accepted, header))
          expect(status).not.toBe(401);
    }
  });

  test('ask for a session if there is neither a header nor a key', async () => {
    for (const path of paths)
      for (const header of [undefined, ''])
        for (const answer of await sendToEach('GET', path, header))
          expect([answer.status, answer.headers['www-authenticate']]).toEqual([
            401,
            'Session realm="zulip"',
          ]);
  });

  test('other endpoints do not accept a key as a parameter', async () => {
    const path = `/api/v1/users?api_key=${organization.accounts.bob.apiKey}`;
    for (const { status } of await sendToEach('GET', path, undefined)) expect(status).toBe(401);
  });
});

describe('a key for a password', () => {
  async function refusal(
    path: string,
    parameters: Record<string, string>,
  ): Promise<{ status: number; body: unknown }> {
    const { status, body } = await organization.client().request('POST', path, parameters);
    return { status, body };
  }

  const reasoned = (status: number, msg: string, reason: string): object => ({
    status,
    body: { result: 'error', msg, reason },
  });

  test('returns the key for the right password, with the stored address', async () => {
    const answer = await organization
      .client()
      .post('fetch_api_key', { username: 'ANN@example.com', password: 'ann-secret' });
    expect(answer).toEqual({
      result: 'success',
      msg: '',
      api_key: organization.accounts.ann.apiKey,
      email: 'Ann@example.com',
    });
    expect(answer['api_key']).toMatch(/^[A-Za-z0-9]{32}$/);
  });

  test('gives the same refusal for wrong, empty and missing passwords, unknown people and bots', async () => {
    const incorrect = reasoned(403, 'Your username or password is incorrect.', 'incorrect_creds');
    for (const [username, password] of [
      ['ann@example.com', 'bob-secret'],
      ['ann@example.com', ''],
      ['cat@example.com', 'cat-secret'],
      ['nobody@example.com', 'ann-secret'],
      ['bob-bot@example.com', 'bob-secret'],
    ] as const) {
      expect(await refusal('fetch_api_key', { username, password })).toEqual(incorrect);
    }
  });

  test('refuses invalid addresses and missing parameters, with codes', async () => {
    expect(await refusal('fetch_api_key', { username: 'ann', password: 'x' })).toEqual({
      status: 400,
      body: { result: 'error', msg: 'Enter a valid email address.', code: 'BAD_REQUEST' },
    });
    expect(await refusal('fetch_api_key', { username: 'a\u0000', password: 'x' })).toMatchObject({
      body: { code: 'REQUEST_VARIABLE_INVALID', var_name: 'username' },
    });
    expect(await refusal('fetch_api_key', { username: 'ann@example.com' })).toMatchObject({
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'password' },
    });
  });

  test('a deactivated account gets its own refusal, whatever the password', async () => {
    await organization.client('ann').delete(`users/${organization.id('bob')}`);
    const disabled = reasoned(403, 'Your account has been disabled.', 'user disable');
    const username = 'bob@example.com';
    expect(await refusal('fetch_api_key', { username, password: 'wrong' })).toEqual(disabled);
    expect(await refusal('dev_fetch_api_key', { username })).toEqual(disabled);
  });

  test('a development server returns any key by the address', async () => {
    const answer = await organization
      .client()
      .post('dev_fetch_api_key', { username: 'cat@example.com' });
    expect(answer).toMatchObject({
      api_key: organization.accounts.cat.apiKey,
      email: 'cat@example.com',
    });
    expect(await refusal('dev_fetch_api_key', { username: 'nobody@example.com' })).toEqual(
      reasoned(403, 'This user is not registered.', 'unregistered'),
    );
  });

  test('dev_list_users lists active people', async () => {
    const person = (email: string): object => ({ email, realm_uri: 'http://127.0.0.1:9991' });
    for (const method of ['GET', 'POST'] as const) {
      const { body } = await organization.client().request(method, 'dev_list_users');
      expect(body).toMatchObject({
        result: 'success',
        direct_admins: [person('Ann@example.com')],
      });
      expect(body['direct_users']).toContainEqual(person('gil@example.com'));
      expect(body['direct_users']).not.toContainEqual(person('bob-bot@example.com'));
    }
  });
});
