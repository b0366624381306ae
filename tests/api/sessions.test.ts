/** Sessions of people in browsers (decision 0048). */
import { openTestPool, settle } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { Browser } from '../support/browser.ts';
import { useFixture } from '../support/use-fixture.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { SmallOrganization } from './small-organization.ts';

const organization = useFixture(() =>
  startSmallOrganization({ gateways: 2, events: 1, messages: 1 }),
);

const loggedOut = {
  result: 'error',
  msg: 'Not logged in: API authentication or user session required',
};

function newBrowser(): Browser {
  return new Browser(organization.url);
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

/** Every gateway has heard of it. */
async function expectSignedOut(...browsers: Browser[]): Promise<void> {
  await settle();
  const states = await Promise.all(
    organization.gatewayUrls.flatMap((url) =>
      browsers.map(({ cookie }) => isSignedIn(new Browser(url, cookie))),
    ),
  );
  expect(states).not.toContain(true);
}

describe('a change that could take an account away', () => {
  const proofRequired = {
    result: 'error',
    msg: 'Give your password too, or sign in again in this browser.',
    reason: 'proof required',
  };

  /** Each is by Ann, with more parameters. */
  type Change = readonly [
    method: 'POST' | 'PATCH',
    path: () => string,
    form: Readonly<Record<string, string>>,
    passwordName: string,
    accepted: number,
  ];
  const botKey = (): string => `bots/${organization.accounts.hookBot.user.id}/api_key/regenerate`;
  const changes: readonly Change[] = [
    ['PATCH', () => 'settings', { email: 'new@example.com' }, 'old_password', 200],
    ['POST', botKey, {}, 'password', 200],
    ['POST', () => 'scim_tokens', { name: 'x' }, 'password', 200],
    // There is no such provider.
    ['POST', () => 'sso/link', { provider: 'x' }, 'password', 400],
  ];

  test.each(changes)(
    'asks for the password, or a session that just began: %s, %#',
    async (method, path, form, passwordName, accepted) => {
      const byKey = async (more: Readonly<Record<string, string>>): Promise<unknown[]> => {
        const ann = organization.client('ann');
        const { status, body } = await ann.request(method, path(), { ...form, ...more });
        return [status, body];
      };
      const wrong = { result: 'error', msg: 'Wrong password!' };
      expect(await byKey({})).toEqual([403, proofRequired]);
      expect(await byKey({ [passwordName]: '' })).toEqual([403, proofRequired]);
      expect(await byKey({ [passwordName]: 'wrong' })).toEqual([400, wrong]);
      const [status, body] = await byKey({ [passwordName]: 'ann-secret' });
      expect(status).toBe(accepted);
      expect(body).not.toHaveProperty('reason', 'proof required');
      const browser = await signedIn('ann@example.com', 'ann-secret');
      const ask = async (more: Readonly<Record<string, string>>): Promise<unknown[]> => {
        const answer = await browser.call(method, path(), { form: { ...form, ...more } });
        return [answer.status, answer.body['reason']];
      };
      const allowed = await ask({});
      expect(allowed[0]).toBe(accepted);
      expect(allowed[1]).not.toBe('proof required');
      expect(
        (await browser.call(method, path(), { form: { ...form, [passwordName]: 'x' } })).body,
      ).toEqual(wrong);
      await organization.pool.query(
        "UPDATE sessions SET created_at = created_at - interval '601 seconds' WHERE user_id = $1",
        [organization.id('ann')],
      );
      expect(await ask({})).toEqual([403, 'proof required']);
      const proven = await ask({ [passwordName]: 'ann-secret' });
      expect(proven[0]).toBe(accepted);
      expect(proven[1]).not.toBe('proof required');
    },
  );

  test('is nothing that a bot may do with its own key, nor a person with the key alone', async () => {
    const regenerated = await organization
      .client('ann')
      .request('POST', 'users/me/api_key/regenerate');
    expect([regenerated.status, regenerated.body]).toEqual([403, proofRequired]);
    const refused = await organization
      .client('bobBot')
      .request('POST', 'users/me/api_key/regenerate');
    expect([refused.status, refused.body['msg']]).toEqual([
      400,
      'This endpoint does not accept bot requests.',
    ]);
  });

  test('is none that is none: the own address stays, and a name changes', async () => {
    const form = { email: 'Ann@example.com', full_name: 'Ann Lee' };
    expect((await organization.client('ann').request('PATCH', 'settings', form)).status).toBe(200);
  });
});

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
    // The other one is by which the browser is known again.
    expect(headers['set-cookie']).toHaveLength(2);
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
    const limited = { PARLEY_LOGIN_LIMITS: '60:3', PARLEY_RATE_LIMITS: '60:10000' };
    const browser = new Browser(await organization.addGateway(limited));
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
  });

  test('at a development server needs only the address, except for bots', async () => {
    const browser = newBrowser();
    expect((await browser.signIn('cat@example.com')).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(true);
    expect((await newBrowser().signIn('nobody@example.com')).body['reason']).toBe('unregistered');
    expect((await newBrowser().signIn('bob-bot@example.com')).body['reason']).toBe('unregistered');
  });

  describe('at a production server behind TLS', () => {
    let secure: SmallOrganization;
    beforeAll(async () => {
      secure = await startSmallOrganization({
        subscriptions: 0,
        environment: { PARLEY_MODE: 'production', PARLEY_PUBLIC_URL: 'https://chat.example' },
      });
    });
    afterAll(() => secure.stop());

    test('needs the password', async () => {
      const browser = new Browser(secure.url);
      const { status, body } = await browser.signIn('cat@example.com');
      expect([status, body['code'], body['var_name']]).toEqual([
        400,
        'REQUEST_VARIABLE_MISSING',
        'password',
      ]);
      expect((await browser.signIn('bob@example.com', 'bob-secret')).status).toBe(200);
    });

    test('sets a cookie that only this host by TLS can set, whatever a proxy says', async () => {
      const browser = new Browser(secure.url);
      const headers = { 'x-forwarded-proto': 'http', forwarded: 'proto=http' };
      const form = { username: 'bob@example.com', password: 'bob-secret' };
      await browser.call('POST', 'sessions', { form, headers });
      expect(browser.setCookie).toMatch(
        /^__Host-parley-session=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      );
      expect(await isSignedIn(browser)).toBe(true);
      // The name of a cookie that plain HTTP or a subdomain could set.
      const token = browser.cookie?.split('=')[1];
      for (const name of ['parley-session-9991', 'parley-session-443', 'parley-session-80'])
        expect(await isSignedIn(new Browser(browser.url, `${name}=${token}`))).toBe(false);
    });
  });

  test('sets a plain cookie where the server has no TLS, whatever a proxy says', async () => {
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
    await expectSignedOut(before);
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
    await expectSignedOut(oldest);
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
    await expectSignedOut(copy);
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
    await expectSignedOut(...others);
    expect(await sessionsOf(browser)).toHaveLength(1);
    await organization.client('bob').delete('sessions');
    await expectSignedOut(browser);
  });

  test('with a new key, a new password and deactivation', async () => {
    const browser = await signedIn('ann@example.com', 'ann-secret');
    const form = { old_password: 'ann-secret', new_password: 'seventeen grey herons' };
    expect((await browser.call('PATCH', 'settings', { form })).status).toBe(200);
    await expectSignedOut(browser);
    const again = await signedIn('ann@example.com', 'seventeen grey herons');
    const { body } = await again.call('POST', 'users/me/api_key/regenerate', { form: {} });
    await expectSignedOut(again);
    const { person } = await organization.makePersonWithBot('dot');
    const third = newBrowser();
    await third.signIn('dot@example.com');
    await organization.client('ann', String(body['api_key'])).delete(`users/${person.user.id}`);
    await expectSignedOut(third);
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
        text: 'UPDATE sessions SET last_used_at = parley_now() - $2::interval WHERE user_id = $1',
        values: [organization.id('cat'), interval],
      });
    };
    const browser = newBrowser();
    await browser.signIn('cat@example.com');
    await age('29 days 23 hours');
    expect(await isSignedIn(browser)).toBe(true);
    await settle();
    const { rows } = await organization.pool.query({
      text: `SELECT id FROM sessions WHERE user_id = $1 AND last_used_at > parley_now() - interval '1 hour'`,
      values: [organization.id('cat')],
    });
    expect(rows).toHaveLength(1);
    const late = newBrowser();
    await late.signIn('cat@example.com');
    await age('30 days 1 hour');
    expect(await isSignedIn(late)).toBe(false);
    expect((await organization.client('cat').get('sessions'))['sessions']).toEqual([]);
  });
});
