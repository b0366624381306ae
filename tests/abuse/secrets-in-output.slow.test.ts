/** Secrets are never logged: known ones are sent everywhere, some answers fail on purpose, and all output of all processes is searched. */
import { rm } from 'node:fs/promises';

import { serviceNames } from '@parley/test-kit';
import type { JsonObject, Parameters } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Browser } from '../support/browser.ts';
import { OpenIdServer, openIdClient } from '../support/openid-server.ts';
import { SignOnBrowser, publicUrl, redirectUriOf } from '../support/sign-on-browser.ts';
import { makeMailFolder, tokenIn, waitForMail } from '../support/kept-mails.ts';
import { ScimClient } from '../api/scim-client.ts';
import { startSmallOrganization } from '../api/small-organization.ts';
import type { PersonKey, SmallOrganization } from '../api/small-organization.ts';

let folder: string;
let provider: OpenIdServer;
let organization: SmallOrganization;
const lines: string[] = [];
/** The secrets of browsers' sessions. */
const sessionTokens: string[] = [];
/** Those of links in mails. */
const linkTokens: string[] = [];
/** Those of sign-ins by a provider. */
const signOnSecrets: string[] = [];
/** Tokens of SCIM, the right one and a wrong one. */
const scimTokens: string[] = [];

/** What must not be found; each has a form that occurs nowhere else. */
const secrets = {
  message: 'SecretOfMessageQk3v',
  edited: 'SecretOfEditedMessageQk3v',
  privateMessage: 'SecretOfPrivateMessageQk3v',
  submessage: 'SecretOfSubmessageQk3v',
  rendered: 'SecretOfRenderedQk3v',
  search: 'SecretOfSearchQk3v',
  payload: 'SecretOfPayloadQk3v',
  password: 'SecretOfPasswordQk3v',
  newPassword: 'SecretOfNewPassword-Qk3v-7',
  linkPassword: 'SecretOfLinkPassword-Qk3v-7',
  wrongKey: 'SecretOfWrongKeyQk3vSecretOfWron',
  storage: 'SecretOfBotStorageQk3v',
  file: 'SecretOfFileQk3v',
} as const;

beforeAll(async () => {
  folder = makeMailFolder();
  provider = await OpenIdServer.start({
    redirectUris: [redirectUriOf('work')],
    returnTo: publicUrl,
  });
  organization = await startSmallOrganization({
    ownProcesses: true,
    messages: 1,
    events: 1,
    environment: {
      PARLEY_LOG_LEVEL: 'trace',
      PARLEY_MAIL_DIR: folder,
      PARLEY_OIDC_PROVIDERS: JSON.stringify([
        {
          id: 'work',
          name: 'Work',
          issuer: provider.issuer,
          client_id: openIdClient.id,
          client_secret: openIdClient.secret,
          trusted: true,
        },
      ]),
    },
    // The database fails on purpose, so answers with 500 are expected.
    checkAnswers: false,
  });
  for (const service of serviceNames)
    for (const running of organization.cluster.findProcesses(service))
      running.watchOutput((line) => lines.push(line));
});
afterAll(async () => {
  await organization?.stop();
  await provider?.stop();
  await rm(folder, { recursive: true, force: true });
});

const stream = 'secrets';

async function streamId(): Promise<unknown> {
  return (await call(basic('bob'), 'GET', 'get_stream_id', { stream }))['stream_id'];
}

/** Uses links in mails, rightly and wrongly. */
async function useLinks(): Promise<void> {
  await call(undefined, 'POST', 'password_reset', { email: 'cat@example.com' });
  await call(basic('ann'), 'POST', 'invites', {
    invitee_emails: 'invited@example.com',
    stream_ids: [await streamId()],
  });
  await call(basic('bob'), 'PATCH', 'settings', {
    email: 'bob-new@example.com',
    old_password: 'bob-secret',
  });
  for (const [recipient, path] of [
    ['invited@example.com', 'join/look'],
    ['bob-new@example.com', 'settings/email/confirm'],
  ] as const) {
    const mailed = tokenIn(await waitForMail(folder, recipient));
    linkTokens.push(mailed);
    await call(undefined, 'POST', path, { token: `${mailed.slice(1)}x` });
    await call(undefined, 'GET', `server_settings?token=${mailed}`, {});
  }
  const { invite_link: link } = await call(basic('ann'), 'POST', 'invites/multiuse', {});
  const mail = await waitForMail(folder, 'cat@example.com');
  const [token, shared] = [tokenIn(mail), String(link).split('/').at(-1) ?? ''];
  linkTokens.push(token, shared);
  await call(undefined, 'POST', 'join/look', { token: shared });
  await call(undefined, 'POST', 'join/request', { token: shared, email: 'new@example.com' });
  for (const new_password of ['x', secrets.linkPassword])
    await call(undefined, 'POST', 'password_reset/confirm', { token, new_password });
  await call(undefined, 'POST', 'join', { token, full_name: 'x', password: secrets.linkPassword });
}

/** Signs in by a provider, rightly and wrongly. */
async function signOn(): Promise<void> {
  const browser = new SignOnBrowser(organization.cluster.gatewayUrls);
  provider.claims.set('bob', { email: 'bob@example.com', email_verified: true });
  const { body } = await browser.begin('work');
  provider.person = 'bob';
  const { search } = await provider.visit(String(body['url']));
  const answer = search.slice(1);
  await browser.call('GET', `/sso/work/callback${search}`);
  await browser.finish('work', answer.replace('code=', 'code=x'));
  await browser.signInAt(provider, 'work', 'bob');
  await browser.signInAt(provider, 'work', null);
  signOnSecrets.push(openIdClient.secret, new URLSearchParams(answer).get('code') ?? '');
  signOnSecrets.push(...browser.cookies.split('; ').map((pair) => pair.split('=')[1] ?? ''));
}

/** Keeps accounts by a token, rightly and wrongly. */
async function provision(): Promise<void> {
  const scim = await ScimClient.open(organization);
  const wrong = `${scim.token.slice(0, -1)}${scim.token.endsWith('A') ? 'B' : 'A'}`;
  scimTokens.push(scim.token, wrong);
  await scim.get('/Users?count=1');
  await scim.send('GET', '/Users', undefined, { authorization: `Bearer ${wrong}` });
  await scim.send('POST', '/Users', { userName: 'no address', password: secrets.password });
  await scim.get(`/Users?filter=${secrets.search}`);
}

/** Sends every secret where it belongs and where it does not; the answers do not matter here. */
async function sendSecretsEverywhere(): Promise<void> {
  const ask = (method: string, path: string, given: Parameters): Promise<JsonObject> =>
    call(basic('bob'), method, path, given);
  await ask('POST', 'users/me/subscriptions', { subscriptions: [{ name: stream }] });
  const sent = await ask('POST', 'messages', {
    widget_content: JSON.stringify({
      widget_type: 'zform',
      extra_data: { type: 'choices', heading: secrets.submessage, choices: [] },
    }),
    type: 'stream',
    to: stream,
    topic: 'x',
    content: secrets.message,
  });
  const id = typeof sent['id'] === 'number' ? sent['id'] : 1;
  await ask('POST', 'messages', {
    type: 'private',
    to: ['Ann@example.com'],
    content: secrets.privateMessage,
  });
  await ask('PATCH', `messages/${id}`, { content: secrets.edited });
  await ask('POST', 'submessage', {
    message_id: id,
    msg_type: 'widget',
    content: JSON.stringify({ text: secrets.submessage }),
  });
  await ask('POST', 'messages/render', { content: secrets.rendered });
  await ask('GET', 'messages', {
    anchor: 0,
    num_before: 0,
    num_after: 5,
    narrow: [{ operator: 'search', operand: secrets.search }],
  });
  await ask('PATCH', 'settings', {
    old_password: secrets.password,
    new_password: secrets.newPassword,
  });
  await call(basic('bobBot'), 'PUT', 'bot_storage', { storage: { key: secrets.storage } });
  await call(undefined, 'POST', 'fetch_api_key', {
    username: 'bob@example.com',
    password: secrets.password,
  });
  const browser = new Browser(organization.cluster.url);
  await browser.signIn('bob@example.com');
  if (browser.cookie !== undefined) sessionTokens.push(browser.cookie.split('=')[1] ?? '');
  await browser.call('GET', 'users/me');
  await browser.call('GET', 'users/me', { headers: { 'sec-fetch-site': 'cross-site' } });
  const wrong = Buffer.from(`bob@example.com:${secrets.wrongKey}`).toString('base64');
  await call(wrong, 'GET', 'users/me', {});
  await webhook(organization.accounts.hookBot.apiKey);
  await webhook(secrets.wrongKey);
  const form = new FormData();
  form.set('file', new Blob([secrets.file]), 'file.txt');
  await rawPost('user_uploads', form);
  // In a path and a query, where secrets do not belong but may be put by mistake.
  await fetch(
    `${organization.cluster.url}/avatar/bob@example.com?api_key=${organization.accounts.bob.apiKey}`,
    { redirect: 'manual' },
  );
}

function basic(who: PersonKey): string {
  const { user, apiKey } = organization.accounts[who];
  return Buffer.from(`${user.email}:${apiKey}`).toString('base64');
}

async function call(
  credentials: string | undefined,
  method: string,
  path: string,
  given: Parameters,
): Promise<JsonObject> {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(given))
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  const isRead = method === 'GET';
  const answer = await fetch(
    `${organization.cluster.url}/api/v1/${path}${isRead ? `?${form.toString()}` : ''}`,
    {
      method,
      headers: credentials === undefined ? {} : { authorization: `Basic ${credentials}` },
      ...(isRead ? {} : { body: form }),
    },
  );
  return (await answer.json()) as JsonObject;
}

function rawPost(path: string, body: BodyInit, headers: object = {}): Promise<Response> {
  return fetch(`${organization.cluster.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic('bob')}`, ...headers },
    body,
  });
}

async function webhook(apiKey: string): Promise<void> {
  await fetch(
    `${organization.cluster.url}/api/v1/external/helloworld?api_key=${apiKey}&stream=${stream}`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ featured_title: secrets.payload, featured_url: secrets.payload }),
    },
  );
}

/** All secrets, including those in the settings of the processes. */
function everySecret(): ReadonlyMap<string, string> {
  const { keySecret, internalSecret, databaseUrl, redisUrl } = organization.cluster.settings;
  return new Map([
    ...Object.entries(secrets),
    ...Object.entries(organization.accounts).map(
      ([who, { apiKey }]) => [`key of ${who}`, apiKey] as const,
    ),
    ['credentials of a request', basic('bob')],
    ...sessionTokens.map((token) => ['session of a browser', token] as const),
    ...scimTokens.map((token, n) => [`token ${n} of SCIM`, token] as const),
    ...signOnSecrets.map((secret, n) => [`secret ${n} of a sign-in`, secret] as const),
    ...linkTokens.map((token, n) => [`link ${n} in a mail`, token] as const),
    ['PARLEY_KEY_SECRET', keySecret],
    ['PARLEY_INTERNAL_SECRET', internalSecret],
    ['password of Postgres', new URL(databaseUrl).password],
    ['password of Redis', new URL(redisUrl).password],
  ]);
}

function expectNoSecret(): void {
  expect(sessionTokens).not.toHaveLength(0);
  expect(linkTokens).not.toHaveLength(0);
  expect(signOnSecrets).not.toHaveLength(0);
  expect(scimTokens).not.toHaveLength(0);
  // Without output the search would prove nothing.
  expect(lines.filter((line) => line.includes('"msg":"request"')).length).toBeGreaterThan(20);
  const short = [...everySecret()].filter(([, secret]) => secret.length < 12);
  expect(short.map(([name]) => name)).toEqual([]);
  const found = [...everySecret()].flatMap(([name, secret]) =>
    lines.filter((line) => line.includes(secret)).map((line) => `${name} in ${line}`),
  );
  expect(found).toEqual([]);
}

test('are not written in normal operation', async () => {
  await sendSecretsEverywhere();
  await useLinks();
  await signOn();
  await provision();
  expectNoSecret();
});

test('are not written when the database refuses a statement', async () => {
  await organization.pool.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       RAISE EXCEPTION 'refused for a test' USING DETAIL = 'as is the detail', TABLE = TG_TABLE_NAME;
     END $$`,
  );
  for (const table of ['messages', 'log_entries', 'submessages', 'users', 'bot_storage', 'uploads'])
    await organization.pool.query(
      `CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
  await sendSecretsEverywhere();
  expect(lines.some((line) => line.includes('refused for a test'))).toBe(true);
  expectNoSecret();
});
