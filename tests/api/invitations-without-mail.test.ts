/** Invitations of a server that sends no mails: they lead in through a provider that proves addresses, or nowhere (decisions 0050 and 0051). */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { OpenIdServer, openIdClient } from '../support/openid-server.ts';
import { SignOnBrowser, publicUrl, redirectUriOf } from '../support/sign-on-browser.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { SmallOrganization } from './small-organization.ts';

let server: OpenIdServer;

beforeAll(async () => {
  server = await OpenIdServer.start({
    redirectUris: [redirectUriOf('work')],
    returnTo: `${publicUrl}/`,
  });
});

afterAll(() => server?.stop());

async function within(
  trusted: boolean,
  act: (organization: SmallOrganization) => Promise<void>,
): Promise<void> {
  const { id: client_id, secret: client_secret } = openIdClient;
  const provider = { id: 'work', name: 'Work', issuer: server.issuer, client_id, client_secret };
  const organization = await startSmallOrganization({
    environment: { PARLEY_OIDC_PROVIDERS: JSON.stringify([{ ...provider, trusted }]) },
  });
  try {
    await act(organization);
  } finally {
    await organization.stop();
  }
}

const noMails = { result: 'error', msg: 'This server sends no mails.' };

test('a link for anybody leads in through a provider that is trusted with addresses; nothing that takes a mail does', async () => {
  await within(true, async (organization) => {
    const ann = organization.client('ann');
    await ann.post('users/me/subscriptions', { subscriptions: [{ name: 'engine room' }] });
    const { stream_id } = await ann.get('get_stream_id', { stream: 'engine room' });
    const stream_ids = JSON.stringify([stream_id]);
    const byAddress = { invitee_emails: 'nell@example.com', stream_ids };
    expect((await ann.request('POST', 'invites', byAddress)).body).toMatchObject(noMails);

    const { invite_link } = await ann.post('invites/multiuse', { stream_ids });
    const token = String(invite_link).split('/').at(-1) ?? '';
    const browser = new SignOnBrowser(organization.cluster.gatewayUrls);
    const asked = await browser.call('POST', 'join/request', {
      form: { token, email: 'nell@example.com' },
    });
    expect(asked.body).toMatchObject(noMails);

    server.claims.set('nell', { email: 'nell@example.com', email_verified: true, name: 'Nell' });
    const { status } = await browser.signInAt(server, 'work', 'nell', token);
    expect(status).toBe(200);
    const me = await browser.call('GET', 'users/me');
    expect(me.body).toMatchObject({ email: 'nell@example.com', full_name: 'Nell' });
  });
});

test('no link is made where it would lead nowhere', async () => {
  await within(false, async (organization) => {
    const ann = organization.client('ann');
    const refused = await ann.request('POST', 'invites/multiuse', { stream_ids: '[]' });
    expect(refused.body).toMatchObject(noMails);
    expect((await ann.get('invites'))['invites']).toEqual([]);
  });
});
