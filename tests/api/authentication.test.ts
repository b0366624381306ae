/** Which requests are authenticated (reference facts, people 4), at both of two gateways and before every service. */
import { ApiClient } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { sendRaw } from '../support/send-raw.ts';
import type { RawAnswer } from '../support/send-raw.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey, SmallOrganization } from './small-organization.ts';

let organization: SmallOrganization;

beforeAll(async () => {
  organization = await startSmallOrganization({ gateways: 2, messages: 1, events: 1 });
  await organization
    .client('bob')
    .post('users/me/subscriptions', { subscriptions: [{ name: 'general' }] });
});
afterAll(() => organization.stop());

const answerDeadlineMs = 30_000;

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
      sendRaw(
        url,
        {
          method,
          path,
          headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
          body: undefined,
        },
        answerDeadlineMs,
      ),
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
      const client = new ApiClient({
        urls: organization.cluster.gatewayUrls,
        email: account.user.email,
        apiKey: account.apiKey,
      });
      // The deactivation reaches every gateway within a second.
      await expect
        .poll(async () => [
          (await client.request('GET', 'users/me')).status,
          (await client.request('GET', 'users/me')).status,
        ])
        .toEqual([401, 401]);
      await checkRefused(basic(`${client.email}:${client.apiKey}`), 'Account is deactivated');
      await checkRefused(basic(`cat@example.com:${client.apiKey}`), unknown);
      await checkRefused(basic(`${client.email}:${key}`), unknown);
    }
  });

  test('for an incoming-webhook bot that does not send', async () => {
    await checkRefused(login('hookBot'), 'This API is not available to incoming webhook bots.');
    const sent = await organization
      .client('hookBot')
      .post('messages', { type: 'stream', to: 'general', topic: 'hook', content: 'x' });
    expect(sent['id']).toEqual(expect.any(Number));
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

test('a browser session does not authenticate', async () => {
  for (const { status } of await sendToEach('GET', '/api/v1/users', undefined, {
    cookie: 'sessionid=abc',
  }))
    expect(status).toBe(401);
});

test('after a new key is made, the old one fails at once and the new one works, also for bots', async () => {
  const { person, bot } = await organization.makePersonWithBot('eve');
  for (const { user, apiKey } of [person, bot]) {
    const client = organization.clientOf({ user, apiKey });
    expect((await client.request('GET', 'users/me')).status).toBe(200);
    const { api_key: newKey } = await client.post('users/me/api_key/regenerate');
    expect(newKey).toMatch(/^[A-Za-z0-9]{32}$/);
    // The other gateways learn of it within a second.
    await expect
      .poll(async () => [
        (await client.request('GET', 'users/me')).status,
        (await client.request('GET', 'users/me')).status,
      ])
      .toEqual([401, 401]);
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

  function refusalsOf(answers: readonly RawAnswer[]): JsonObject[] {
    return answers.map(({ status, text }) => ({ status, ...(JSON.parse(text) as JsonObject) }));
  }

  test('accept the key as a parameter, and then refuse with codes', async () => {
    for (const path of paths) {
      const withKey = (apiKey: string): string =>
        `${path}${path.includes('?') ? '&' : '?'}api_key=${apiKey}`;
      for (const refusal of refusalsOf(await sendToEach('GET', withKey(key), undefined)))
        expect(refusal).toMatchObject({ status: 401, code: 'INVALID_API_KEY', msg: unknown });
      for (const refusal of refusalsOf(await sendToEach('GET', withKey('x'), undefined)))
        expect(refusal).toMatchObject({ status: 401, code: 'INVALID_API_KEY', msg: malformed });
      for (const answer of await sendToEach(
        'GET',
        withKey(organization.accounts.bob.apiKey),
        undefined,
      ))
        expect(answer.status).not.toBe(401);
    }
  });

  test('accept the key as a parameter beside an empty header', async () => {
    for (const path of paths) {
      const { apiKey } = organization.accounts.bob;
      const withKey = `${path}${path.includes('?') ? '&' : '?'}api_key=${apiKey}`;
      for (const { status } of await sendToEach('GET', withKey, '')) expect(status).not.toBe(401);
      for (const answer of await sendToEach('GET', path, ''))
        expect(answer.headers['www-authenticate']).toBe('Session realm="zulip"');
    }
  });

  test('ask for a session if there is neither a header nor a key', async () => {
    for (const path of paths)
      for (const answer of await sendToEach('GET', path, undefined))
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
