/** Signing in by OpenID providers (decision 0051), against a real one. */
import { rm } from 'node:fs/promises';

import { settle, startSystem } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { makeMailFolder, readMail, tokenIn } from '../support/kept-mails.ts';
import { OpenIdServer, openIdClient } from '../support/openid-server.ts';
import { SignOnBrowser, publicUrl, redirectUriOf } from '../support/sign-on-browser.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { SmallOrganization } from './small-organization.ts';

let server: OpenIdServer;
let stranger: OpenIdServer;
let organization: SmallOrganization;
let folder: string;

function providerConfig(
  id: string,
  { issuer }: OpenIdServer,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const { id: client_id, secret: client_secret } = openIdClient;
  return { id, name: `Login ${id}`, issuer, client_id, client_secret, ...more };
}

beforeAll(async () => {
  const startServer = (...ids: string[]): Promise<OpenIdServer> =>
    OpenIdServer.start({ redirectUris: ids.map(redirectUriOf), returnTo: `${publicUrl}/` });
  folder = makeMailFolder();
  [server, stranger] = await Promise.all([startServer('work'), startServer('club')]);
  organization = await startSmallOrganization({
    gateways: 2,
    people: 2,
    events: 1,
    environment: {
      PARLEY_MAIL_DIR: folder,
      PARLEY_OIDC_PROVIDERS: JSON.stringify([
        providerConfig('work', server, {
          trusted: true,
          scopes: 'openid email profile groups',
          groups_claim: 'groups',
          roles: { admins: 'administrator', staff: 'member', partners: 'guest' },
        }),
        providerConfig('club', stranger, { icon: 'https://club.example/icon.png' }),
      ]),
    },
  });
});

afterAll(async () => {
  await organization?.stop();
  await server?.stop();
  await stranger?.stop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => setRules({ invite_required: true }));

afterEach(() => {
  server.atRequest = () => false;
});

function setRules(settings: object): Promise<unknown> {
  return organization.pool.query('UPDATE realm SET settings = $1', [JSON.stringify(settings)]);
}

function newBrowser(): SignOnBrowser {
  return new SignOnBrowser(organization.cluster.gatewayUrls);
}

let count = 0;

/** Somebody at a provider. */
function person(claims: JsonObject, at: OpenIdServer = server): string {
  count += 1;
  const name = `person-${count}`;
  at.claims.set(name, claims);
  return name;
}

function verified(email: string, more: JsonObject = {}): JsonObject {
  return { email, email_verified: true, name: 'Some Body', ...more };
}

async function signIn(name: string | null, at: OpenIdServer = server, browser = newBrowser()) {
  const answer = await browser.signInAt(at, at === server ? 'work' : 'club', name);
  return { ...answer, browser };
}

async function expectSignedInAs(browser: SignOnBrowser, email: string): Promise<JsonObject> {
  const { status, body } = await browser.call('GET', 'users/me');
  expect(status).toBe(200);
  expect(body['email']).toBe(email);
  return body;
}

async function refusalOf(
  answer: Promise<{ status: number; body: JsonObject; browser: SignOnBrowser }>,
) {
  const { status, body, browser } = await answer;
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  expect((await browser.call('GET', 'users/me')).status).toBe(401);
  return String(body['msg']);
}

async function roleOf(id: unknown): Promise<unknown> {
  const { rows } = await organization.pool.query<{ role: string }>({
    text: 'SELECT role FROM users WHERE id = $1',
    values: [id],
  });
  return rows[0]?.role;
}

const noAccount = /^No account here belongs to your sign-in at Login/;
const notThisBrowser = /began in another browser/;

describe('server_settings', () => {
  test('list the providers in their order', async () => {
    const { body } = await newBrowser().call('GET', 'server_settings');
    expect(body['external_authentication_methods']).toEqual([
      {
        name: 'oidc:work',
        display_name: 'Login work',
        display_icon: null,
        login_url: '/sso/work/start',
        signup_url: '/sso/work/start',
      },
      {
        name: 'oidc:club',
        display_name: 'Login club',
        display_icon: 'https://club.example/icon.png',
        login_url: '/sso/club/start',
        signup_url: '/sso/club/start',
      },
    ]);
    expect(body['authentication_methods']).toMatchObject({ 'openid connect': true });
  });

  test('list none where the organization has switched it off, and nobody signs in by one', async () => {
    const administrator = organization.client('ann');
    const methods = (isOn: boolean) => ({
      authentication_methods: { Email: true, 'OpenID Connect': isOn },
    });
    await administrator.patch('realm', methods(false));
    try {
      const { body } = await newBrowser().call('GET', 'server_settings');
      expect(body['external_authentication_methods']).toEqual([]);
      const { status, body: refused } = await newBrowser().begin('work');
      expect([status, refused['msg']]).toEqual([
        400,
        'Single sign-on is switched off in this organization.',
      ]);
    } finally {
      await administrator.patch('realm', methods(true));
    }
  });
});

test('a server without an organization says so', async () => {
  const mails = makeMailFolder();
  const cluster = await startSystem({
    events: 0,
    messages: 0,
    subscriptions: 0,
    environment: {
      PARLEY_OIDC_PROVIDERS: JSON.stringify([providerConfig('work', server)]),
      PARLEY_MAIL_DIR: mails,
    },
  });
  try {
    const browser = new SignOnBrowser(cluster.gatewayUrls);
    const { status, body } = await browser.begin('work');
    expect([status, body['msg']]).toEqual([400, 'There is no organization on this server yet.']);
    expect((await browser.call('GET', 'server_settings')).body).toMatchObject({
      external_authentication_methods: [],
      signup_enabled: false,
    });
    for (const [path, parameters] of [
      ['password_reset', { email: 'ann@example.com' }],
      ['password_reset/confirm', { token: 'x'.repeat(43), new_password: 'a' }],
      ['join/request', { email: 'ann@example.com' }],
      ['join/look', { token: 'x'.repeat(43) }],
      ['join', { token: 'x'.repeat(43), full_name: 'Ann', password: 'a' }],
    ] as const) {
      const refused = await browser.call('POST', path, { form: parameters });
      expect([path, refused.status, refused.body['msg']]).toEqual([path, status, body['msg']]);
    }
  } finally {
    await cluster.stop();
    await rm(mails, { recursive: true, force: true });
  }
});

describe('the pages on the way', () => {
  test.each([
    ['/sso/work/start', '#sso/work/start'],
    ['/sso/work/callback?code=a&state=b', '#sso/work/callback?code=a&state=b'],
    [
      '/sso/none/callback?x=%23%0d%0aSet-Cookie:%20a=b',
      '#sso/none/callback?x=%23%0d%0aSet-Cookie:%20a=b',
    ],
  ])('%s leads to the web client, whatever the host of the request', async (path, fragment) => {
    const { status, headers } = await newBrowser().call('GET', path, {
      headers: { host: 'evil.example', 'sec-fetch-site': 'cross-site' },
    });
    expect(status).toBe(303);
    expect(headers.location).toBe(`${publicUrl}/${fragment}`);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['set-cookie']).toBeUndefined();
  });
});

describe('the first sign-in', () => {
  test('finds the account by a verified address of a trusted provider', async () => {
    const { status, body, browser } = await signIn(person(verified('BOB@example.com')));
    expect({ status, body }).toEqual({
      status: 200,
      body: { result: 'success', msg: '', linked: false, user_id: organization.id('bob') },
    });
    await expectSignedInAs(browser, 'bob@example.com');
  });

  test('is refused without a word that the address is verified, or by a provider that is not trusted', async () => {
    const unverified = person({ email: 'bob@example.com', email_verified: false, name: 'Bob' });
    expect(await refusalOf(signIn(unverified))).toMatch(noAccount);
    const silent = person({ email: 'bob@example.com', name: 'Bob' });
    expect(await refusalOf(signIn(silent))).toMatch(noAccount);
    expect(await refusalOf(signIn(person({ name: 'Bob' })))).toMatch(noAccount);
    const untrusted = person(verified('bob@example.com'), stranger);
    expect(await refusalOf(signIn(untrusted, stranger))).toMatch(noAccount);
  });

  test('does not find an account whose address only looks like the verified one', async () => {
    await organization.pool.query({
      text: `UPDATE users SET email = 'chief@office.example', email_folded = 'CHIEF@OFFICE.EXAMPLE' WHERE email = 'bob@example.com'`,
    });
    for (const email of ['chief@offıce.example', 'chıef@office.example'])
      expect(await refusalOf(signIn(person(verified(email))))).toMatch(noAccount);
    expect((await signIn(person(verified('Chief@Office.Example')))).status).toBe(200);
    await organization.pool.query({
      text: `UPDATE users SET email = 'bob@example.com', email_folded = 'BOB@EXAMPLE.COM' WHERE email = 'chief@office.example'`,
    });
  });

  test('of a stranger with such an address is refused in the same words', async () => {
    const known = person(verified('bob@example.com'), stranger);
    const unknown = person(verified('new@example.com'), stranger);
    const [one, other] = [
      await refusalOf(signIn(known, stranger)),
      await refusalOf(signIn(unknown, stranger)),
    ];
    expect(one).toBe(other);
  });

  test('makes an account only where joining needs no invitation, by the rules for addresses', async () => {
    const name = person(verified('nils@example.com', { name: 'Nils Ask' }));
    expect(await refusalOf(signIn(name))).toBe('You need an invitation to join this organization.');
    await setRules({ invite_required: false, emails_restricted_to_domains: true });
    expect(await refusalOf(signIn(name))).toContain('not allowed in this organization');
    await setRules({ invite_required: false });
    const { status, browser } = await signIn(name);
    expect(status).toBe(200);
    const me = await expectSignedInAs(browser, 'nils@example.com');
    expect(me).toMatchObject({ full_name: 'Nils Ask', is_admin: false });
    await setRules({ invite_required: true });
    expect((await signIn(name)).body['user_id']).toBe(me['user_id']);
  });

  test('of somebody whose address was invited has the streams and the role of the invitation, once', async () => {
    const ann = organization.client('ann');
    await ann.subscribe('engine room');
    const { stream_id } = await ann.get('get_stream_id', { stream: 'engine room' });
    const [member, asGuest] = [1, 3];
    const invite = async (by: 'ann' | 'bob', email: string, invite_as: number): Promise<void> => {
      const stream_ids = JSON.stringify([stream_id]);
      await organization.client(by).post('invites', {
        invitee_emails: email,
        stream_ids,
        invite_as,
      });
    };
    await invite('ann', 'ida@example.com', asGuest);
    const unproved = { email: 'ida@example.com', email_verified: false };
    expect(await refusalOf(signIn(person(unproved)))).toMatch(noAccount);
    expect(
      await refusalOf(signIn(person(verified('ida@example.com'), stranger), stranger)),
    ).toMatch(noAccount);
    const { browser } = await signIn(person(verified('Ida@example.com')));
    const ida = await expectSignedInAs(browser, 'Ida@example.com');
    expect(await roleOf(ida['user_id'])).toBe('guest');
    const { body } = await browser.call('GET', 'users/me/subscriptions');
    expect(body['subscriptions']).toMatchObject([{ name: 'engine room' }]);
    expect((await ann.get('invites'))['invites']).toEqual([]);
    const link = tokenIn(await readMail(folder, 'ida@example.com'));
    const password = 'SomePassword-Qk3v-7';
    const joined = await browser.call('POST', 'join', {
      form: { token: link, full_name: 'Ida', password },
    });
    expect(joined.body['msg']).toBe('This link is not valid any more.');

    await invite('bob', 'jon@example.com', member);
    await setRules({ invite_required: true, invite_by_admins_only: true });
    const jon = person(verified('jon@example.com', { groups: ['partners'] }));
    expect(await refusalOf(signIn(jon))).toBe('You need an invitation to join this organization.');
    await setRules({ invite_required: true });
    const second = await signIn(jon);
    const { user_id } = await expectSignedInAs(second.browser, 'jon@example.com');
    // The groups decide.
    expect(await roleOf(user_id)).toBe('guest');
  });

  test('of one person in two browsers at once makes one account', async () => {
    await setRules({ invite_required: false });
    const name = person(verified('pia@example.com', { name: 'Pia `*` Rask' }));
    const answers = await Promise.all([signIn(name), signIn(name)]);
    const ids = answers.map(({ status, body }) => [status, body['user_id']]);
    expect(ids[0]).toEqual([200, expect.any(Number)]);
    expect(ids[1]).toEqual(ids[0]);
  });

  test('finds no account that has as many identities as one may have', async () => {
    const { person: full } = await organization.makePersonWithBot('full');
    await organization.pool.query({
      text: `INSERT INTO linked_identities (user_id, issuer, subject)
        SELECT $1, 'https://old.example', n::text FROM generate_series(1, 20) n`,
      values: [full.user.id],
    });
    expect(await refusalOf(signIn(person(verified(full.user.email))))).toBe(
      'An account has at most 20 linked sign-ins.',
    );
  });

  test('does not find bots', async () => {
    expect(await refusalOf(signIn(person(verified('bob-bot@example.com'))))).toMatch(noAccount);
  });
});

describe('later sign-ins', () => {
  test('find the account by issuer and subject, also when the address at the provider changed', async () => {
    const name = person(verified('cat@example.com'));
    await signIn(name);
    server.claims.set(name, { email: 'ann@example.com', email_verified: false, name: 'Other' });
    const { body } = await signIn(name);
    expect(body['user_id']).toBe(organization.id('cat'));
  });

  test('do not find it by the same subject at another provider', async () => {
    const name = person(verified('cat@example.com'));
    await signIn(name);
    stranger.claims.set(name, verified('cat@example.com'));
    expect(await refusalOf(signIn(name, stranger))).toMatch(noAccount);
  });

  test('are refused for a deactivated account', async () => {
    const { person: gone } = await organization.makePersonWithBot('gone');
    const name = person(verified('gone@example.com'));
    await signIn(name);
    await organization.client('ann').delete(`users/${gone.user.id}`);
    expect(await refusalOf(signIn(name))).toBe('Your account has been disabled.');
    const fresh = person(verified('gone@example.com'));
    expect(await refusalOf(signIn(fresh))).toBe('Your account has been disabled.');
  });

  test('replace the session that the browser had', async () => {
    const name = person(verified('bob@example.com'));
    const { browser } = await signIn(name);
    const before = new SignOnBrowser(organization.cluster.gatewayUrls, browser.cookies);
    await signIn(name, server, browser);
    await settle();
    expect((await before.call('GET', 'users/me')).status).toBe(401);
    await expectSignedInAs(browser, 'bob@example.com');
  });
});

describe('groups', () => {
  test('give the role at each sign-in, and nobody is raised without one', async () => {
    const { person: made } = await organization.makePersonWithBot('ole');
    const id = made.user.id;
    const name = person(verified('ole@example.com', { groups: ['staff', 'admins', 'other'] }));
    const signInWith = async (groups: unknown): Promise<unknown> => {
      server.claims.set(name, verified('ole@example.com', { groups }));
      expect((await signIn(name)).status).toBe(200);
      return roleOf(id);
    };
    expect(await signInWith(['staff', 'admins', 'other'])).toBe('administrator');
    expect(await signInWith(['partners'])).toBe('guest');
    expect(await signInWith(['other'])).toBe('guest');
    expect(await signInWith('admins')).toBe('administrator');
    expect(await signInWith([])).toBe('member');
    expect(await signInWith(['__proto__', 7])).toBe('member');
  });

  test('do not take the last administrator', async () => {
    const name = person(verified('ann@example.com', { groups: ['partners'] }));
    expect((await signIn(name)).status).toBe(200);
    expect(await roleOf(organization.id('ann'))).toBe('administrator');
  });
});

describe('a link to an identity', () => {
  async function link(browser: SignOnBrowser, name: string, at: OpenIdServer = stranger) {
    const provider = at === server ? 'work' : 'club';
    const { body } = await browser.call('POST', 'sso/link', { form: { provider } });
    at.person = name;
    const returned = await at.visit(String(body['url']));
    return browser.finish(provider, returned.search.slice(1));
  }

  async function signedIn(username: string, password?: string): Promise<SignOnBrowser> {
    const browser = newBrowser();
    const form = { username, ...(password !== undefined && { password }) };
    expect((await browser.call('POST', 'sessions', { form })).status).toBe(200);
    return browser;
  }

  async function identitiesOf(browser: SignOnBrowser): Promise<JsonObject[]> {
    const { body } = await browser.call('GET', 'sso/identities');
    return body['identities'] as JsonObject[];
  }

  test('is made by who is signed in, with any provider, and signs in from then on', async () => {
    const name = person({ email: 'other@example.com', email_verified: false }, stranger);
    const browser = await signedIn('gil@example.com');
    const before = browser.cookies;
    const { status, body } = await link(browser, name);
    expect([status, body]).toEqual([
      200,
      { result: 'success', msg: '', linked: true, user_id: organization.id('gil') },
    ]);
    expect(browser.cookies).toContain(before);
    expect(await identitiesOf(browser)).toEqual([
      {
        identity_id: expect.any(Number) as number,
        provider: 'club',
        display_name: 'Login club',
        created_at: expect.any(Number) as number,
      },
    ]);
    expect((await signIn(name, stranger)).body['user_id']).toBe(organization.id('gil'));
    expect((await link(browser, name)).status).toBe(200);
    expect(await identitiesOf(browser)).toHaveLength(1);
  });

  test('is refused to another account, and to a browser that is signed in otherwise meanwhile', async () => {
    const name = person({}, stranger);
    expect((await link(await signedIn('bob@example.com'), name)).status).toBe(200);
    const { body } = await link(await signedIn('cat@example.com'), name);
    expect(body['msg']).toBe('This sign-in belongs to another account here.');
    const browser = await signedIn('cat@example.com');
    const begun = await browser.call('POST', 'sso/link', { form: { provider: 'club' } });
    stranger.person = person({}, stranger);
    const returned = await stranger.visit(String(begun.body['url']));
    await browser.call('POST', 'sessions', { form: { username: 'bob@example.com' } });
    const { body: refused } = await browser.finish('club', returned.search.slice(1));
    expect(refused['msg']).toMatch(notThisBrowser);
  });

  test('is removed unless it is the only way to sign in', async () => {
    const { person: made } = await organization.makePersonWithBot('una');
    const browser = await signedIn(made.user.email);
    const [one, other] = [person({}, stranger), person(verified('x@example.com'))];
    await link(browser, one);
    const remove = async () => {
      const [first] = await identitiesOf(browser);
      return browser.call('DELETE', `sso/identities/${String(first?.['identity_id'])}`);
    };
    expect((await remove()).body['msg']).toMatch(/^This is your only way to sign in/);
    await link(browser, other, server);
    expect((await remove()).status).toBe(200);
    expect(await identitiesOf(browser)).toMatchObject([{ provider: 'work' }]);
    expect(await refusalOf(signIn(one, stranger))).toMatch(noAccount);
    // Ids of others are answered like those that nobody has.
    const [left] = await identitiesOf(browser);
    const bob = await signedIn('bob@example.com', 'bob-secret');
    for (const id of [left?.['identity_id'], 999_999])
      expect((await bob.call('DELETE', `sso/identities/${String(id)}`)).body['msg']).toBe(
        'No such link',
      );
  });
});

describe('signing out', () => {
  async function signOut(browser: SignOnBrowser): Promise<JsonObject> {
    const { body } = await browser.call('GET', 'sessions');
    const current = (body['sessions'] as JsonObject[]).find((each) => each['is_current'] === true);
    const ended = await browser.call('DELETE', `sessions/${String(current?.['session_id'])}`);
    expect((await browser.call('GET', 'users/me')).status).toBe(401);
    return ended.body;
  }

  test('tells where to sign out at the provider, which takes it', async () => {
    const { browser } = await signIn(person(verified('bob@example.com')));
    const url = new URL(String((await signOut(browser))['sign_out_url']));
    expect(url.origin).toBe(server.issuer);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${publicUrl}/`);
    expect((await fetch(url)).status).toBe(200);
  });

  test('keeps the token of the provider where only the browser can open it', async () => {
    const { browser } = await signIn(person(verified('bob@example.com')));
    const { rows } = await organization.pool.query<{ sealed: Buffer }>({
      text: 'SELECT id_token_sealed AS sealed FROM sessions ORDER BY id DESC LIMIT 1',
    });
    const idToken =
      new URL(String((await signOut(browser))['sign_out_url'])).searchParams.get('id_token_hint') ??
      '';
    expect(idToken.length).toBeGreaterThan(100);
    expect(rows[0]?.sealed.toString('latin1')).not.toContain(idToken.slice(0, 20));
  });

  test('of who signed in by a password stays here', async () => {
    const browser = newBrowser();
    await browser.call('POST', 'sessions', { form: { username: 'bob@example.com' } });
    expect(await signOut(browser)).toEqual({ result: 'success', msg: '' });
  });
});

describe('a provider that is away', () => {
  test('is told in words, whenever it goes, and stops nobody else', async () => {
    const isAway = (path: string) => {
      server.atRequest = (request) => {
        if (request.url?.startsWith(path) !== true) return false;
        request.socket.destroy();
        return true;
      };
    };
    isAway('/token');
    const words =
      'Login work does not answer at the moment. Try again later, or sign in in another way.';
    expect(await refusalOf(signIn(person(verified('bob@example.com'))))).toBe(words);
    isAway('/me');
    expect(await refusalOf(signIn(person(verified('bob@example.com'))))).toBe(words);
    const name = person({}, stranger);
    expect(await refusalOf(signIn(name, stranger))).toMatch(noAccount);
    server.atRequest = () => false;
    expect((await signIn(person(verified('bob@example.com')))).status).toBe(200);
  });
});

describe('what comes back', () => {
  async function begun(browser: SignOnBrowser, name: string): Promise<string> {
    server.person = name;
    const { body } = await browser.begin('work');
    return (await server.visit(String(body['url']))).search.slice(1);
  }

  const refused = (browser: SignOnBrowser, answer: string, provider = 'work'): Promise<string> =>
    refusalOf(browser.finish(provider, answer).then((done) => ({ ...done, browser })));

  test('works once', async () => {
    const browser = newBrowser();
    const answer = await begun(browser, person(verified('bob@example.com')));
    const attempt = browser.cookies;
    expect((await browser.finish('work', answer)).status).toBe(200);
    const again = new SignOnBrowser(organization.cluster.gatewayUrls, attempt);
    expect(await refused(again, answer)).toMatch(notThisBrowser);
  });

  test('is for the browser that began, and for the provider where it began', async () => {
    const browser = newBrowser();
    const answer = await begun(browser, person(verified('bob@example.com')));
    const rival = newBrowser();
    await rival.begin('work');
    for (const other of [newBrowser(), rival])
      expect(await refused(other, answer)).toMatch(notThisBrowser);
    expect(await refused(browser, answer, 'club')).toMatch(notThisBrowser);
    expect((await browser.finish('work', answer)).status).toBe(200);
  });

  test('is refused after ten minutes', async () => {
    const browser = newBrowser();
    const answer = await begun(browser, person(verified('bob@example.com')));
    await organization.pool.query({
      text: 'UPDATE sign_in_attempts SET expires_at = parley_now()',
    });
    expect(await refused(browser, answer)).toMatch(notThisBrowser);
  });

  test('is refused with another state or code, and by somebody who declines', async () => {
    const notSignedIn = /did not sign you in/;
    for (const [name, value, refusal] of [
      ['state', 'x', notThisBrowser],
      ['state', undefined, notThisBrowser],
      ['code', 'x', notSignedIn],
      ['iss', 'https://evil.example', notSignedIn],
    ] as const) {
      const browser = newBrowser();
      const query = new URLSearchParams(await begun(browser, person(verified('bob@example.com'))));
      if (value === undefined) query.delete(name);
      else query.set(name, value);
      expect(await refused(browser, query.toString())).toMatch(refusal);
    }
    expect(await refusalOf(signIn(null))).toMatch(notSignedIn);
  });

  test('is accepted only from a page of this server', async () => {
    const browser = newBrowser();
    const answer = await begun(browser, person(verified('bob@example.com')));
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await browser.finish('work', answer, headers)).status).toBe(403);
    expect((await browser.begin('work', headers)).status).toBe(403);
    expect((await browser.finish('work', answer)).status).toBe(200);
  });
});
