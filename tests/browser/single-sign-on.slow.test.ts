/** Signing in by the button of an OpenID provider, linking one, and signing out there too (decision 0051). */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

import { afterAll, expect, test } from 'vitest';

import { makeMailFolder } from '../support/kept-mails.ts';
import { OpenIdServer, openIdClient } from '../support/openid-server.ts';
import { startBrowserTests } from './browser-system.ts';
import { expectShown } from './visitor.ts';
import type { Visitor } from './visitor.ts';

/** A provider leads back to an address that is known before the gateway starts. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const port = await findFreePort();
const publicUrl = `http://127.0.0.1:${port}`;
const server = await OpenIdServer.start({
  redirectUris: [`${publicUrl}/sso/work/callback`],
  returnTo: `${publicUrl}/`,
});
afterAll(() => server.stop());

const folder = makeMailFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

const { system, visit } = startBrowserTests({
  environment: {
    PARLEY_MAIL_DIR: folder,
    PARLEY_PUBLIC_URL: publicUrl,
    PARLEY_OIDC_PROVIDERS: JSON.stringify([
      {
        id: 'work',
        name: 'Example Inc.',
        issuer: server.issuer,
        client_id: openIdClient.id,
        client_secret: openIdClient.secret,
        trusted: true,
      },
    ]),
  },
  serviceEnvironment: { gateway: { PARLEY_PORT: String(port) } },
});

async function open(): Promise<Visitor> {
  const visitor = await visit();
  visitor.expectVisitsTo(server.issuer);
  return visitor;
}

async function signInByButton({ page }: Visitor): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with Example Inc.' }).click();
}

test('somebody signs in by the button, comes to the place of the address, and signs out there too', async () => {
  const visitor = await open();
  const { page } = visitor;
  const { email } = system().ann;
  server.person = 'ann-at-work';
  server.claims.set(server.person, { email, email_verified: true, name: 'Ann' });
  await visitor.go('#settings/identities');
  await signInByButton(visitor);
  await visitor.expectAddress('#settings/identities');
  const linked = page.getByRole('list', { name: 'Linked sign-ins' });
  await expectShown(linked.getByText('Example Inc.'));

  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await expectShown(page.getByRole('button', { name: 'Sign in with Example Inc.' }));
  expect(await visitor.context.cookies(server.issuer)).not.toContainEqual(
    expect.objectContaining({ name: '_session', value: expect.stringMatching(/./) as string }),
  );
});

test('who may not come in reads why, and is at the sign-in page then', async () => {
  const visitor = await open();
  const { page } = visitor;
  server.person = 'stranger';
  server.claims.set(server.person, { email: 'no@example.com', email_verified: false });
  await visitor.go('');
  await signInByButton(visitor);
  await expectShown(page.getByRole('alert').getByText('No account here belongs to your sign-in'));
  expect(await page.evaluate(() => location.search + location.hash)).toBe('');
  await page.getByRole('button', { name: 'Go on' }).click();
  await expectShown(page.getByRole('button', { name: 'Sign in with Example Inc.' }));
});

test('who has a link for anybody joins by the provider, and finds why if the link has ended', async () => {
  const { ann, general } = system();
  const terms = { stream_ids: [general.id], uses_max: 1 };
  const { invite_link: link } = await ann.typed.request('POST /invites/multiuse', terms);
  const joinAs = async (person: string): Promise<Visitor> => {
    const visitor = await open();
    server.person = person;
    server.claims.set(person, { email: `${person}@example.com`, email_verified: true });
    await visitor.go(`#join/${link.split('/').at(-1) ?? ''}`);
    return visitor;
  };
  const [first, second] = [await joinAs('ida'), await joinAs('jon')];
  await expectShown(second.page.getByText('Ann Lee invites you to'));
  const button = { name: 'Join with Example Inc.' };
  await first.page.getByRole('button', button).click();
  await expectShown(first.page.getByRole('navigation').getByText(general.name));
  await second.page.getByRole('button', button).click();
  await expectShown(second.page.getByRole('alert').getByText('This link is not valid any more.'));
});

test('an address of another client leads to the provider at once', async () => {
  const visitor = await open();
  const { email } = system().cat;
  server.person = 'cat-at-work';
  server.claims.set(server.person, { email, email_verified: true, name: 'Cat' });
  await visitor.page.goto(`${visitor.url}/sso/work/start`);
  await expectShown(visitor.page.getByRole('navigation').first());
});

test('who is signed in links a sign-in, and keeps it as the only way in', async () => {
  const visitor = await open();
  const { page } = visitor;
  server.person = 'bob-at-work';
  server.claims.set(server.person, { email: 'other@example.com', name: 'Bob' });
  await visitor.enter(system().bob, '#settings/identities');
  await page.getByRole('button', { name: 'Link Example Inc.' }).click();
  const linked = page.getByRole('list', { name: 'Linked sign-ins' });
  await expectShown(linked.getByText('Example Inc.'));
  await page.getByRole('button', { name: 'Remove: Example Inc.' }).click();
  await expectShown(page.getByText('This is your only way to sign in.'));
});
