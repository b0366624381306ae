/** Invitations of a server that sends no mails: they lead in through a provider that proves addresses, or nowhere (decisions 0050 and 0051). */
import { expect, test } from 'vitest';

import { OpenIdServer, openIdClient } from '../support/openid-server.ts';
import { SignOnBrowser, publicUrl, redirectUriOf } from '../support/sign-on-browser.ts';
import { useFixture } from '../support/use-fixture.ts';
import { startSmallOrganization } from './small-organization.ts';

const server = useFixture(() =>
  OpenIdServer.start({
    redirectUris: [redirectUriOf('work')],
    returnTo: `${publicUrl}/`,
  }),
);

const noMails = { result: 'error', msg: 'This server sends no mails.' };

test('a link for anybody leads in through a provider that is trusted with addresses; nothing that takes a mail does', async () => {
  const { id: client_id, secret: client_secret } = openIdClient;
  const provider = { id: 'work', name: 'Work', issuer: server.issuer, client_id, client_secret };
  const organization = await startSmallOrganization({
    environment: { PARLEY_OIDC_PROVIDERS: JSON.stringify([{ ...provider, trusted: true }]) },
  });
  try {
    const ann = organization.client('ann');
    await ann.subscribe('engine room');
    const stream_ids = JSON.stringify([await ann.streamId('engine room')]);
    const byAddress = { invitee_emails: 'nell@example.com', stream_ids };
    expect((await ann.request('POST', 'invites', byAddress)).body).toMatchObject(noMails);

    expect(
      (
        await ann.request('PATCH', 'settings', {
          email: 'other@example.com',
          old_password: 'ann-secret',
        })
      ).body,
    ).toEqual({
      result: 'error',
      msg: 'Email address changes are disabled in this organization.',
    });

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
  } finally {
    await organization.stop();
  }
});
