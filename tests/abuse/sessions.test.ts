/**
 * Attacks on the sessions of browsers (decision 0048): forged requests of other pages, fixation, planted and stolen cookies, proxies, rebinding.
 * A refused request must change nothing.
 */
import { beforeAll, describe, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import { Browser } from '../support/browser.ts';
import type { BrowserAnswer, BrowserRequestOptions } from '../support/browser.ts';
import { useFixture } from '../support/use-fixture.ts';

const publicUrl = 'http://chat.example:9991';
const cookieName = 'parley-session-9991';

let victim: Browser;

const organization = useFixture(() =>
  startSmallOrganization({
    messages: 1,
    events: 1,
    gatewaySettings: { PARLEY_PUBLIC_URL: publicUrl },
  }),
);
beforeAll(async () => {
  victim = newBrowser();
  await victim.signIn('bob@example.com', 'bob-secret');
});

function newBrowser(cookie?: string): Browser {
  return new Browser(organization.url, cookie);
}

const crossOrigin = { result: 'error', msg: 'A session works only in pages of this server.' };

type Headers = NonNullable<BrowserRequestOptions['headers']>;

/** What browsers say about requests that no page of the server made. */
const foreign: readonly (readonly [who: string, headers: Headers])[] = [
  ['a page elsewhere', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  ['a form elsewhere', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ['a picture elsewhere', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }],
  ['a link elsewhere', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
  ['an address that was typed', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
  ['a subdomain', { 'sec-fetch-site': 'same-site', origin: 'http://evil.chat.example:9991' }],
  ['another port', { 'sec-fetch-site': 'same-site', origin: 'http://chat.example:8080' }],
  ['another scheme', { 'sec-fetch-site': undefined, origin: 'https://chat.example:9991' }],
  ['a name that was rebound', { origin: 'http://evil.example:9991', host: 'evil.example:9991' }],
  ['an old browser', { 'sec-fetch-site': undefined }],
  [
    'an old browser elsewhere with a forged host',
    { 'sec-fetch-site': undefined, origin: 'http://evil.example', host: 'evil.example' },
  ],
  [
    'a proxy that vouches',
    {
      'sec-fetch-site': 'cross-site',
      'x-forwarded-host': 'chat.example:9991',
      'x-forwarded-proto': 'http',
      forwarded: 'host=chat.example:9991;proto=http',
    },
  ],
];

/** Requests of every kind: a call, a change, one that names another method in its form, events, a picture, a file. */
const requests: readonly (readonly [
  method: string,
  path: string,
  form?: Record<string, string>,
])[] = [
  ['GET', 'users/me'],
  ['HEAD', 'users/me'],
  ['PATCH', 'settings', { full_name: 'Forged' }],
  ['POST', 'settings', { method: 'PATCH', full_name: 'Forged' }],
  ['POST', 'users/me/api_key/regenerate', {}],
  ['DELETE', 'sessions', {}],
  ['POST', 'sessions', { method: 'DELETE' }],
  ['POST', 'sessions', { username: 'ann@example.com', password: 'ann-secret' }],
  ['POST', 'messages', { type: 'private', to: '["ann@example.com"]', content: 'forged' }],
  ['POST', 'users/me/subscriptions', { subscriptions: '[{"name":"forged"}]' }],
  ['GET', 'events?queue_id=1&last_event_id=-1'],
  ['GET', 'events/stream?queue_id=1&last_event_id=-1'],
  ['POST', '/api/v1/external/helloworld?stream=forged', {}],
  ['GET', '/avatar/bob@example.com'],
  ['GET', '/user_uploads/1/x/y.png'],
  ['GET', '/thumbnail?url=x&size=full'],
];

/** Everything that a forged request could have changed. */
async function stateOfVictim(): Promise<unknown> {
  const { rows } = await organization.pool.query({
    text: `SELECT (SELECT array_agg(s.id ORDER BY s.id) FROM sessions s) AS sessions,
      (SELECT full_name FROM users WHERE id = $1) AS name, (SELECT count(*) FROM messages) AS messages,
      (SELECT key_hash FROM api_keys WHERE user_id = $1) AS key, (SELECT count(*) FROM streams) AS streams`,
    values: [organization.id('bob')],
  });
  return rows[0];
}

describe.each(foreign)('%s', (_who, headers) => {
  test('can do nothing with the cookie', async () => {
    const before = await stateOfVictim();
    for (const [method, path, form] of requests) {
      const browser = newBrowser(victim.cookie);
      const answer = await browser.call(method, path, { ...(form && { form }), headers });
      expect([method, path, answer.status]).toEqual([method, path, 403]);
      if (method !== 'HEAD') expect(answer.body).toEqual(crossOrigin);
      expect(answer.headers).not.toHaveProperty('set-cookie');
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
    expect(await stateOfVictim()).toEqual(before);
  });

  test('learns nothing of whether a cookie is right', async () => {
    const ask = (cookie: string): Promise<BrowserAnswer> =>
      newBrowser(cookie).call('GET', 'users/me', { headers });
    const wrong = await ask(`${cookieName}=${'A'.repeat(43)}`);
    const right = await ask(String(victim.cookie));
    expect([wrong.status, wrong.text]).toEqual([right.status, right.text]);
  });

  test('cannot sign a browser in as somebody else', async () => {
    const before = await stateOfVictim();
    const form = { username: 'ann@example.com', password: 'ann-secret' };
    const answer = await newBrowser().call('POST', 'sessions', { form, headers });
    expect([answer.status, answer.body]).toEqual([403, crossOrigin]);
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(await stateOfVictim()).toEqual(before);
  });
});

describe('the answer to a cookie', () => {
  const paths: readonly (readonly [path: string, status: number])[] = [
    ['users/me', 200],
    ['nothing', 404],
    ['events?queue_id=1&last_event_id=-1', 400],
    ['messages/x', 404],
  ];

  test.each(paths)('of %s is for this origin and browser alone', async (path, status) => {
    const { headers, ...answer } = await newBrowser(victim.cookie).call('GET', path);
    expect(answer.status).toBe(status);
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers['vary']).toContain('Cookie');
    expect(headers['cache-control']).toContain('no-store');
    for (const name of Object.keys(headers)) expect(name).not.toMatch(/^access-control-/);
  });

  test('is the same for permitted origins of keys', async () => {
    const headers = { origin: publicUrl };
    const answer = await newBrowser(victim.cookie).call('GET', 'users/me', { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('never asks a page for a password, and a program still', async () => {
    const challengeOf = async (browser: Browser, headers: Headers = {}): Promise<unknown> => {
      const answer = await browser.call('GET', 'users/me', { headers });
      expect(answer.status).toBe(401);
      return answer.headers['www-authenticate'];
    };
    const ended = newBrowser(`${cookieName}=${'A'.repeat(43)}`);
    expect(await challengeOf(ended)).toBeUndefined();
    expect(await challengeOf(newBrowser())).toBeUndefined();
    expect(await challengeOf(newBrowser(), { authorization: 'Basic nonsense' })).toBeUndefined();
    const inForm = await newBrowser().call('POST', 'sessions', { form: { method: 'DELETE' } });
    expect([inForm.status, inForm.headers['www-authenticate']]).toEqual([401, undefined]);
    const program = { 'sec-fetch-site': undefined };
    expect(await challengeOf(newBrowser(), program)).toBe('Basic realm="zulip"');
  });
});

describe('a key', () => {
  const keyOf = (who: 'ann' | 'bob'): string =>
    organization.client(who).credentials['authorization'] ?? '';

  test('takes precedence over a cookie, also if it is wrong, and needs no page', async () => {
    const ask = (authorization: string): Promise<BrowserAnswer> =>
      newBrowser(victim.cookie).call('GET', 'users/me', {
        headers: { authorization, 'sec-fetch-site': 'cross-site' },
      });
    expect((await ask(keyOf('ann'))).body['user_id']).toBe(organization.id('ann'));
    expect((await ask(`${keyOf('ann')}x`)).status).toBe(401);
    expect((await ask('Basic')).status).toBe(401);
    expect((await ask('')).status).toBe(401);
    expect((await ask('Bearer x')).status).toBe(400);
  });

  test('sets no cookie', async () => {
    const browser = newBrowser();
    const headers = { authorization: keyOf('bob') };
    for (const path of ['users/me', 'sessions', '/']) await browser.call('GET', path, { headers });
    expect(browser.setCookie).toBeUndefined();
  });

  test('of another account beside the cookie leaves the session of a sign-in', async () => {
    const browser = newBrowser(victim.cookie);
    await browser.call('POST', 'sessions', {
      form: { username: 'gil@example.com' },
      headers: { authorization: keyOf('ann') },
    });
    expect((await newBrowser(victim.cookie).call('GET', 'users/me')).status).toBe(200);
  });
});

describe('a cookie', () => {
  const statusWith = async (cookie: string): Promise<number> =>
    (await newBrowser(cookie).call('GET', 'users/me')).status;

  test('that somebody planted beside the right one leaves no session', async () => {
    const own = String(victim.cookie);
    const planted = `${cookieName}=${'A'.repeat(43)}`;
    expect(await statusWith(`${own}; ${planted}`)).toBe(401);
    expect(await statusWith(`${planted}; ${own}`)).toBe(401);
    expect(await statusWith(`${own}; ${own}`)).toBe(200);
  });

  test('of another form is none', async () => {
    const token = String(victim.cookie).split('=')[1] ?? '';
    for (const value of [
      '',
      token.slice(1),
      `${token}=`,
      `${token} x`,
      `"${token}"`,
      token.toUpperCase(),
      '%00'.repeat(15),
      "' OR true --",
      'x'.repeat(8_000),
    ])
      expect(await statusWith(`${cookieName}=${value}`)).toBe(401);
  });

  test('among a thousand others is found', async () => {
    const others = Array.from({ length: 1_000 }, (_each, n) => `c${n}=1`).join('; ');
    expect(await statusWith(`${others}; ${String(victim.cookie)}`)).toBe(200);
  });

  test('reaches no service and no log entry of the database', async () => {
    const token = String(victim.cookie).split('=')[1] ?? '';
    const { rows } = await organization.pool.query<{ found: number }>({
      text: `SELECT count(*)::integer AS found FROM sessions s, log_entries e
        WHERE s::text LIKE '%' || $1 || '%' OR s.token_hash = decode($2, 'hex') OR e.payload LIKE '%' || $1 || '%'`,
      values: [token, Buffer.from(token, 'base64url').toString('hex')],
    });
    expect(rows).toEqual([{ found: 0 }]);
  });
});
