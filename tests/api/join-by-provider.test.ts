/** Joining by a link that anybody may use, with an address that an OpenID provider proves (decisions 0050 and 0051). */
import { rm } from 'node:fs/promises';

import type { JsonObject } from '@parley/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { makeMailFolder, readMail, tokenIn } from '../support/kept-mails.ts';
import { OpenIdServer, openIdClient } from '../support/openid-server.ts';
import { SignOnBrowser, publicUrl, redirectUriOf } from '../support/sign-on-browser.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { SmallOrganization } from './small-organization.ts';

let server: OpenIdServer;
let stranger: OpenIdServer;
let organization: SmallOrganization;
let folder: string;
let streamId: number;

const asGuest = 3;
const notValid = 'This link is not valid any more.';

beforeAll(async () => {
  const startServer = (id: string): Promise<OpenIdServer> =>
    OpenIdServer.start({ redirectUris: [redirectUriOf(id)], returnTo: `${publicUrl}/` });
  [server, stranger] = await Promise.all([startServer('work'), startServer('club')]);
  folder = makeMailFolder();
  const { id: client_id, secret: client_secret } = openIdClient;
  organization = await startSmallOrganization({
    gateways: 2,
    people: 2,
    environment: {
      PARLEY_MAIL_DIR: folder,
      PARLEY_OIDC_PROVIDERS: JSON.stringify([
        { id: 'club', name: 'Club', issuer: stranger.issuer, client_id, client_secret },
        {
          id: 'work',
          name: 'Work',
          issuer: server.issuer,
          trusted: true,
          client_id,
          client_secret,
        },
      ]),
    },
  });
  const ann = organization.client('ann');
  await ann.subscribe('engine room');
  streamId = await ann.streamId('engine room');
});

afterAll(async () => {
  await organization?.stop();
  await Promise.all([server?.stop(), stranger?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

async function setRealm(settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
  await organization.pool.query({
    text: 'UPDATE realm SET settings = $1',
    values: [{ invite_required: true, ...settings }],
  });
}

beforeEach(() => setRealm());

type Link = { readonly token: string; readonly id: number };

async function makeLink(uses_max?: number): Promise<Link> {
  const ann = organization.client('ann');
  const terms = { stream_ids: JSON.stringify([streamId]), invite_as: asGuest };
  const made = await ann.post('invites/multiuse', {
    ...terms,
    ...(uses_max !== undefined && { uses_max }),
  });
  const token = String(made['invite_link']).split('/').at(-1) ?? '';
  const { invites } = await ann.get('invites');
  const found = (invites as JsonObject[]).find((each) => each['link_url'] === made['invite_link']);
  return { token, id: Number(found?.['id']) };
}

async function usesOf({ id }: Link): Promise<number | undefined> {
  const { rows } = await organization.pool.query<{ uses: number }>({
    text: 'SELECT uses FROM invitations WHERE id = $1',
    values: [id],
  });
  return rows[0]?.uses;
}

let count = 0;

/** Somebody at a provider who is new here, with a verified address. */
function newcomer(
  claims: JsonObject = {},
  at: OpenIdServer = server,
): { readonly name: string; readonly email: string } {
  count += 1;
  const [name, email] = [`newcomer-${count}`, `newcomer${count}@example.com`];
  at.claims.set(name, { email, email_verified: true, name: `Newcomer ${count}`, ...claims });
  return { name, email };
}

function newBrowser(): SignOnBrowser {
  return new SignOnBrowser(organization.cluster.gatewayUrls);
}

async function hasAccount(email: string): Promise<boolean> {
  const { rowCount } = await organization.pool.query({
    text: 'SELECT 1 FROM users WHERE coalesce(delivery_email, email) = $1',
    values: [email],
  });
  return rowCount === 1;
}

/** A person who has been at the provider, and comes back when `finish` is called. */
async function atProvider(name: string, token: string) {
  const browser = newBrowser();
  const begun = await browser.begin('work', {}, token);
  expect(begun.status).toBe(200);
  server.person = name;
  const returned = await server.visit(String(begun.body['url']));
  const finish = () => browser.finish('work', returned.search.slice(1));
  return { browser, finish };
}

test('who comes by the link gets an account with its streams and its role, as often as it says', async () => {
  const link = await makeLink(2);
  const { name, email } = newcomer();
  const browser = newBrowser();
  const { body } = await browser.signInAt(server, 'work', name, link.token);
  expect(body).toMatchObject({ result: 'success', linked: false });
  expect((await browser.call('GET', 'users/me')).body).toMatchObject({ email });
  const { members } = await organization.client('ann').get('users');
  expect(members).toContainEqual(expect.objectContaining({ email, is_guest: true }));
  const { body: joined } = await browser.call('GET', 'users/me/subscriptions');
  expect(joined['subscriptions']).toMatchObject([{ name: 'engine room' }]);
  expect(await usesOf(link)).toBe(1);

  const second = newcomer();
  expect((await newBrowser().signInAt(server, 'work', second.name, link.token)).status).toBe(200);
  const third = newcomer();
  expect((await newBrowser().signInAt(server, 'work', third.name, link.token)).body['msg']).toBe(
    notValid,
  );
  expect(await hasAccount(third.email)).toBe(false);
});

test('the link tells which providers prove an address, also where nobody has a password', async () => {
  const { token } = await makeLink();
  const look = async () => (await newBrowser().call('POST', 'join/look', { form: { token } })).body;
  expect(await look()).toMatchObject({ email: null, inviter: 'Ann Lee', providers: ['work'] });
  const ann = organization.client('ann');
  const setMethods = (methods: Readonly<Record<string, boolean>>) =>
    ann.patch('realm', { authentication_methods: methods });
  try {
    await setMethods({ Email: false, 'OpenID Connect': true });
    expect(await look()).toMatchObject({ providers: ['work'] });
    const { name } = newcomer();
    expect((await newBrowser().signInAt(server, 'work', name, token)).status).toBe(200);
    await setMethods({ Email: true, 'OpenID Connect': false });
    expect(await look()).toMatchObject({ providers: [] });
  } finally {
    await setMethods({ Email: true, 'OpenID Connect': true });
  }
});

test('an account that exists is signed in and uses nothing', async () => {
  const link = await makeLink(1);
  server.claims.set('bob', { email: 'bob@example.com', email_verified: true });
  for (const _time of ['the first time', 'later']) {
    const { body } = await newBrowser().signInAt(server, 'work', 'bob', link.token);
    expect(body['user_id']).toBe(organization.id('bob'));
  }
  expect(await usesOf(link)).toBe(0);
  const revoked = await atProvider('bob', link.token);
  await organization.client('ann').delete(`invites/multiuse/${link.id}`);
  expect((await revoked.finish()).status).toBe(200);
});

test('of two people who come at once with one use left, one gets in', async () => {
  const link = await makeLink(1);
  const people = [newcomer(), newcomer()];
  const waiting = [];
  for (const { name } of people) waiting.push(await atProvider(name, link.token));
  const answers = await Promise.all(waiting.map(({ finish }) => finish()));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.find(({ status }) => status === 400)?.body['msg']).toBe(notValid);
  const made = await Promise.all(people.map(({ email }) => hasAccount(email)));
  expect(made).toEqual(answers.map(({ status }) => status === 200));
  expect(await usesOf(link)).toBe(1);
});

test('one person in two browsers at once uses the link once', async () => {
  const link = await makeLink(2);
  const { name } = newcomer();
  const waiting = [await atProvider(name, link.token), await atProvider(name, link.token)];
  const answers = await Promise.all(waiting.map(({ finish }) => finish()));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[1]?.body['user_id']).toBe(answers[0]?.body['user_id']);
  expect(await usesOf(link)).toBe(1);
});

describe('at the end the invitation is judged again', () => {
  test.each<[string, (link: Link) => Promise<unknown>]>([
    [
      'its time',
      ({ id }) =>
        organization.pool.query({
          text: 'UPDATE invitations SET expires_at = parley_now() WHERE id = $1',
          values: [id],
        }),
    ],
    ['its revocation', ({ id }) => organization.client('ann').delete(`invites/multiuse/${id}`)],
  ])('%s', async (_what, end) => {
    const link = await makeLink();
    const { name, email } = newcomer();
    const { browser, finish } = await atProvider(name, link.token);
    await end(link);
    const { status, body } = await finish();
    expect([status, body['msg']]).toEqual([400, notValid]);
    expect((await browser.call('GET', 'users/me')).status).toBe(401);
    expect(await hasAccount(email)).toBe(false);
  });

  test('the rights of who made it', async () => {
    const { person } = await organization.makePersonWithBot('maker');
    const path = `users/${person.user.id}`;
    await organization.client('ann').patch(path, { is_admin: true });
    const made = await organization.clientOf(person).post('invites/multiuse');
    const { name, email } = newcomer();
    const token = String(made['invite_link']).split('/').at(-1) ?? '';
    const { finish } = await atProvider(name, token);
    await organization.client('ann').patch(path, { is_admin: false });
    expect((await finish()).body['msg']).toBe(notValid);
    expect(await hasAccount(email)).toBe(false);
  });

  test('the rules for addresses, and who is refused by them uses nothing', async () => {
    const link = await makeLink();
    const { name, email } = newcomer();
    const { finish } = await atProvider(name, link.token);
    await setRealm({ emails_restricted_to_domains: true });
    expect((await finish()).body['msg']).toContain('not allowed in this organization');
    expect(await hasAccount(email)).toBe(false);
    expect(await usesOf(link)).toBe(0);
  });
});

test('an address that the provider does not prove gets in by no link', async () => {
  const link = await makeLink();
  for (const [at, provider, claims] of [
    [server, 'work', { email_verified: false }],
    [stranger, 'club', {}],
  ] as const) {
    const { name, email } = newcomer(claims, at);
    const { body } = await newBrowser().signInAt(at, provider, name, link.token);
    expect(body['msg']).toContain('No account here belongs to your sign-in');
    expect(await hasAccount(email)).toBe(false);
  }
  expect(await usesOf(link)).toBe(0);
});

describe('the token', () => {
  test('is refused before the provider is asked if it is none', async () => {
    for (const token of ['', 'x', 'x'.repeat(43)]) {
      const { status, body } = await newBrowser().begin('work', {}, token);
      expect([status, body['msg']]).toEqual([400, notValid]);
    }
  });

  test('is the one with which the sign-in began', async () => {
    const [used, other] = [await makeLink(), await makeLink()];
    const { name, email } = newcomer();
    const without = newBrowser();
    const { body } = await without.begin('work');
    server.person = name;
    const returned = await server.visit(String(body['url']));
    const answer = returned.search.slice(1);
    const form = { provider: 'work', answer, token: used.token, invitation_id: String(used.id) };
    const refused = await without.call('POST', 'sso/finish', { form });
    expect(refused.body['msg']).toBe('You need an invitation to join this organization.');
    expect(await hasAccount(email)).toBe(false);

    const { browser, finish } = await atProvider(name, used.token);
    // A second sign-in of the same browser is another one.
    await browser.begin('work', {}, other.token);
    expect((await finish()).body['msg']).toContain('began in another browser');
    expect([await usesOf(used), await usesOf(other)]).toEqual([0, 0]);
  });

  test('of an invitation by address is for its address alone', async () => {
    const invited = newcomer();
    await organization.client('ann').post('invites', {
      invitee_emails: invited.email,
      stream_ids: JSON.stringify([streamId]),
    });
    const token = tokenIn(await readMail(folder, invited.email));
    const other = newcomer();
    expect((await newBrowser().signInAt(server, 'work', other.name, token)).body['msg']).toBe(
      'You need an invitation to join this organization.',
    );
    expect((await newBrowser().signInAt(server, 'work', invited.name, token)).status).toBe(200);
  });

  test('of a mail that a link for anybody sent stands for that link', async () => {
    const link = await makeLink(1);
    const { name, email } = newcomer();
    const form = { email, token: link.token };
    expect((await newBrowser().call('POST', 'join/request', { form })).status).toBe(200);
    const token = tokenIn(await readMail(folder, email));
    expect((await newBrowser().signInAt(server, 'work', name, token)).status).toBe(200);
    expect(await usesOf(link)).toBe(1);
  });
});
