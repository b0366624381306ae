/** Sessions of people in browsers (decision 0048). */
import { openTestPool, waitUntil } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { Browser } from '../support/browser.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { SmallOrganization } from './small-organization.ts';

let organization: SmallOrganization;
beforeAll(async () => {
  organization = await startSmallOrganization({ gateways: 2, events: 1, messages: 1 });
});
afterAll(() => organization?.stop());

const loggedOut = {
  result: 'error',
  msg: 'Not logged in: API authentication or user session required',
};

function newBrowser(): Browser {
  return new Browser(organization.cluster.url);
}

async function signedIn(username = 'bob@example.com', password = 'bob-secret'): Promise<Browser> {
  const browser = newBrowser();
  expect((await browser.signIn(username, password)).status).toBe(200);
  return browser;
}

async function sessionsOf(browser: Browser): Promise<JsonObject[]> {
  const { body } = await browser.call('GET', 'sessions');
  return body['sessions'] as JsonObject[];
}

async function isSignedIn(browser: Browser): Promise<boolean> {
  const { status } = await browser.call('GET', 'users/me');
  expect([200, 401]).toContain(status);
  return status === 200;
}

/** Another gateway hears of it within a second. */
async function untilSignedOut(...browsers: Browser[]): Promise<void> {
  await waitUntil(
    'every gateway refuses the sessions',
    async () => {
      const states = await Promise.all(
        organization.cluster.gatewayUrls.flatMap((url) =>
          browsers.map(({ cookie }) => isSignedIn(new Browser(url, cookie))),
        ),
      );
      return !states.includes(true);
    },
    { deadlineMs: 3_000 },
  );
}

describe('a sign-in', () => {
  test('sets a cookie for this browser and answers whose session it is', async () => {
    const browser = newBrowser();
    const { status, body, headers } = await browser.signIn('BOB@example.com', 'bob-secret');
    expect(status).toBe(200);
    expect(body).toEqual({
      result: 'success',
      msg: '',
      session_id: body['session_id'],
      user_id: organization.id('bob'),
      email: 'bob@example.com',
    });
    expect(body['session_id']).toBeGreaterThan(0);
    expect(headers['set-cookie']).toHaveLength(1);
    expect(browser.setCookie).toMatch(
      /^parley-session-9991=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(headers['cache-control']).toContain('no-store');
    const { body: me } = await browser.call('GET', 'users/me');
    expect(me).toMatchObject({ user_id: organization.id('bob') });
  });

  test('sends as the client of people, whose own messages are read', async () => {
    const browser = await signedIn();
    const sent = async (client: Readonly<Record<string, string>>): Promise<JsonObject> => {
      const { body } = await browser.call('POST', 'messages', {
        form: { type: 'private', to: 'ann@example.com', content: 'x', ...client },
        headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' },
      });
      const query = `anchor=${String(body['id'])}&num_before=0&num_after=0`;
      const found = await browser.call('GET', `messages?${query}`);
      const [message = {}] = found.body['messages'] as JsonObject[];
      return message;
    };
    expect(await sent({})).toMatchObject({ client: 'website', flags: ['read'] });
    expect(await sent({ client: 'Gull' })).toMatchObject({ client: 'Gull', flags: [] });
  });

  test('is refused as it is for a key', async () => {
    const reasons = async (username: string, password: string): Promise<unknown> => {
      const browser = newBrowser();
      const { status, body, headers } = await browser.signIn(username, password);
      expect([status, headers['set-cookie']]).toEqual([403, undefined]);
      return body['reason'];
    };
    expect(await reasons('bob@example.com', 'wrong')).toBe('incorrect_creds');
    expect(await reasons('bob@example.com', '')).toBe('incorrect_creds');
    expect(await reasons('nobody@example.com', 'bob-secret')).toBe('incorrect_creds');
    expect(await reasons('bob-bot@example.com', 'bob-secret')).toBe('incorrect_creds');
    const { body } = await newBrowser().signIn('bob', 'bob-secret');
    expect(body).toMatchObject({ code: 'BAD_REQUEST', msg: 'Enter a valid email address.' });
  });

  test('with too many wrong passwords is refused for a while, also with the right one', async () => {
    const limited = await startSmallOrganization({
      subscriptions: 0,
      environment: { PARLEY_LOGIN_LIMITS: '60:3', PARLEY_RATE_LIMITS: '60:10000' },
    });
    try {
      const browser = new Browser(limited.cluster.url);
      for (let n = 0; n < 3; n += 1)
        expect((await browser.signIn('bob@example.com', 'wrong')).status).toBe(403);
      expect((await browser.signIn('bob@example.com', 'bob-secret')).status).toBe(429);
      expect(browser.cookie).toBeUndefined();
      expect((await browser.signIn('ann@example.com', 'ann-secret')).status).toBe(200);
      // Changing one's own password by the cookie is another way to guess it.
      const change = { form: { old_password: 'wrong', new_password: 'a good long sentence' } };
      for (let n = 0; n < 3; n += 1)
        expect((await browser.call('PATCH', 'settings', change)).status).toBe(400);
      expect((await browser.call('PATCH', 'settings', change)).status).toBe(429);
    } finally {
      await limited.stop();
    }
  });

  test('at a development server needs only the address, except for bots', async () => {
    const browser = newBrowser();
    expect((await browser.signIn('cat@example.com')).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(true);
    expect((await newBrowser().signIn('nobody@example.com')).body['reason']).toBe('unregistered');
    expect((await newBrowser().signIn('bob-bot@example.com')).body['reason']).toBe('unregistered');
  });

  test('at a production server needs the password, and counts failures', async () => {
    const production = await startSmallOrganization({
      subscriptions: 0,
      environment: { PARLEY_MODE: 'production' },
    });
    try {
      const browser = new Browser(production.cluster.url);
      const { status, body } = await browser.signIn('cat@example.com');
      expect([status, body['code'], body['var_name']]).toEqual([
        400,
        'REQUEST_VARIABLE_MISSING',
        'password',
      ]);
      expect((await browser.signIn('bob@example.com', 'bob-secret')).status).toBe(200);
    } finally {
      await production.stop();
    }
  });

  test('with TLS sets a cookie that only this host by TLS can set, whatever a proxy says', async () => {
    const secure = await startSmallOrganization({
      subscriptions: 0,
      environment: { PARLEY_PUBLIC_URL: 'https://chat.example' },
    });
    try {
      const browser = new Browser(secure.cluster.url);
      const headers = { 'x-forwarded-proto': 'http', forwarded: 'proto=http' };
      const form = { username: 'cat@example.com' };
      await browser.call('POST', 'sessions', { form, headers });
      expect(browser.setCookie).toMatch(
        /^__Host-parley-session=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      );
      expect(await isSignedIn(browser)).toBe(true);
      // The name of a cookie that plain HTTP or a subdomain could set.
      const token = browser.cookie?.split('=')[1];
      for (const name of ['parley-session-9991', 'parley-session-443', 'parley-session-80'])
        expect(await isSignedIn(new Browser(browser.url, `${name}=${token}`))).toBe(false);
    } finally {
      await secure.stop();
    }
    const plain = newBrowser();
    await plain.call('POST', 'sessions', {
      form: { username: 'cat@example.com' },
      headers: { 'x-forwarded-proto': 'https' },
    });
    expect(plain.setCookie).not.toMatch(/Secure|__Host-/);
  });

  test('always opens another session, and ends the one that the browser sent', async () => {
    const browser = await signedIn();
    const before = new Browser(browser.url, browser.cookie);
    await browser.signIn('cat@example.com');
    expect(browser.cookie).not.toBe(before.cookie);
    const { body } = await browser.call('GET', 'users/me');
    expect(body['user_id']).toBe(organization.id('cat'));
    await untilSignedOut(before);
    // A secret from somebody else is never taken over.
    const chosen = `parley-session-9991=${'A'.repeat(43)}`;
    const victim = new Browser(browser.url, chosen);
    await victim.signIn('bob@example.com', 'bob-secret');
    expect(victim.cookie).not.toBe(chosen);
    expect(await isSignedIn(new Browser(browser.url, chosen))).toBe(false);
  });

  test('with a wrong password leaves the session of the browser', async () => {
    const browser = await signedIn();
    await browser.signIn('bob@example.com', 'wrong');
    expect(await isSignedIn(browser)).toBe(true);
  });
});

describe('the list of sessions', () => {
  test('names devices, shortened, and the current session', async () => {
    await organization.client('gil').delete('sessions');
    const first = newBrowser();
    const form = { username: 'gil@example.com' };
    const headers = { 'user-agent': `Netscape\t${'x'.repeat(500)}` };
    const opened = await first.call('POST', 'sessions', { form, headers });
    const second = newBrowser();
    await second.call('POST', 'sessions', { form });
    const listed = await sessionsOf(first);
    expect(listed).toMatchObject([
      { device: '', is_current: false },
      {
        session_id: opened.body['session_id'],
        device: `Netscape ${'x'.repeat(191)}`,
        is_current: true,
      },
    ]);
    for (const { created_at: createdAt, last_used_at: lastUsedAt } of listed)
      expect(createdAt).toBe(lastUsedAt);
    expect((await sessionsOf(second)).map((session) => session['is_current'])).toEqual([
      true,
      false,
    ]);
    // With a key, none is the current one.
    const { sessions } = await organization.client('gil').get('sessions');
    expect(sessions).toEqual(listed.map((session) => ({ ...session, is_current: false })));
  });

  test('has at most twenty, and the one that was not used for longest ends', async () => {
    await organization.client('ann').delete('sessions');
    const oldest = await signedIn('ann@example.com', 'ann-secret');
    const used = await signedIn('ann@example.com', 'ann-secret');
    const pool = openTestPool(organization.cluster.settings.databaseUrl, 1);
    try {
      await pool.query({
        text: `UPDATE sessions SET last_used_at = last_used_at - interval '1 hour'
          WHERE id = (SELECT min(id) FROM sessions WHERE user_id = $1)`,
        values: [organization.id('ann')],
      });
    } finally {
      await pool.end();
    }
    for (let n = 0; n < 18; n += 1) await newBrowser().signIn('ann@example.com');
    expect(await sessionsOf(oldest)).toHaveLength(20);
    await newBrowser().signIn('ann@example.com');
    await untilSignedOut(oldest);
    expect(await sessionsOf(used)).toHaveLength(20);
  });
});

describe('a session ends', () => {
  test('one by one; the browser that signs out forgets its cookie', async () => {
    const browser = await signedIn();
    const other = await signedIn();
    const copy = new Browser(browser.url, browser.cookie);
    const current = (await sessionsOf(browser)).find((session) => session['is_current'] === true);
    const path = `sessions/${String(current?.['session_id'])}`;
    expect((await browser.call('DELETE', path)).body).toEqual({ result: 'success', msg: '' });
    expect(browser.setCookie).toBe(
      'parley-session-9991=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    );
    await untilSignedOut(copy);
    const { status, body, headers } = await copy.call('GET', 'users/me');
    expect([status, body]).toEqual([401, loggedOut]);
    expect(headers['www-authenticate']).toBeUndefined();
    expect(await isSignedIn(other)).toBe(true);
    expect((await other.call('DELETE', path)).body['msg']).toBe('No such session');
    expect(other.setCookie).not.toContain('Max-Age=0');
  });

  test('never by somebody else', async () => {
    const browser = await signedIn();
    const [session] = await sessionsOf(browser);
    const path = `sessions/${String(session?.['session_id'])}`;
    for (const { status, body } of [
      await organization.client('ann').request('DELETE', path),
      await organization.client('ann').request('DELETE', 'sessions/999999999'),
    ])
      expect([status, body['msg']]).toEqual([400, 'No such session']);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('with all others, by a browser; with all, by a key', async () => {
    const browser = await signedIn();
    const others = [await signedIn(), await signedIn()];
    expect((await browser.call('DELETE', 'sessions')).status).toBe(200);
    expect(browser.cookie).toBeDefined();
    await untilSignedOut(...others);
    expect(await sessionsOf(browser)).toHaveLength(1);
    await organization.client('bob').delete('sessions');
    await untilSignedOut(browser);
  });

  test('with a new key, a new password and deactivation', async () => {
    const browser = await signedIn('ann@example.com', 'ann-secret');
    const form = { old_password: 'ann-secret', new_password: 'seventeen grey herons' };
    expect((await browser.call('PATCH', 'settings', { form })).status).toBe(200);
    await untilSignedOut(browser);
    const again = await signedIn('ann@example.com', 'seventeen grey herons');
    const { body } = await again.call('POST', 'users/me/api_key/regenerate', { form: {} });
    await untilSignedOut(again);
    const { person } = await organization.makePersonWithBot('dot');
    const third = newBrowser();
    await third.signIn('dot@example.com');
    await organization.client('ann', String(body['api_key'])).delete(`users/${person.user.id}`);
    await untilSignedOut(third);
    const { rows } = await organization.pool.query({
      text: 'SELECT id FROM sessions WHERE user_id = $1',
      values: [person.user.id],
    });
    expect(rows).toEqual([]);
  });

  test('thirty days after its last use, which is noted in the background', async () => {
    await organization.client('cat').delete('sessions');
    const age = async (interval: string): Promise<void> => {
      await organization.pool.query({
        text: 'UPDATE sessions SET last_used_at = now() - $2::interval WHERE user_id = $1',
        values: [organization.id('cat'), interval],
      });
    };
    const browser = newBrowser();
    await browser.signIn('cat@example.com');
    await age('29 days 23 hours');
    expect(await isSignedIn(browser)).toBe(true);
    await waitUntil('the use is noted', async () => {
      const { rows } = await organization.pool.query({
        text: `SELECT id FROM sessions WHERE user_id = $1 AND last_used_at > now() - interval '1 hour'`,
        values: [organization.id('cat')],
      });
      return rows.length === 1;
    });
    const late = newBrowser();
    await late.signIn('cat@example.com');
    await age('30 days 1 hour');
    expect(await isSignedIn(late)).toBe(false);
    expect((await organization.client('cat').get('sessions'))['sessions']).toEqual([]);
  });
});
