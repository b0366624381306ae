import { createHash } from 'node:crypto';

import { ApiClient } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { startSmallOrganization } from './small-organization.ts';

const organization = useFixture(() => startSmallOrganization({ subscriptions: 0 }));

test('returns what a client needs before signing in', async () => {
  const settings = await organization.client().get('server_settings');
  const iconHash = createHash('md5').update('example').digest('hex');
  expect(settings).toEqual({
    result: 'success',
    msg: '',
    authentication_methods: {
      password: true,
      dev: true,
      email: true,
      ldap: false,
      remoteuser: false,
      github: false,
      azuread: false,
      google: false,
      saml: false,
    },
    zulip_version: '2.1.4',
    service_version: '2.1.4',
    push_notifications_enabled: false,
    is_incompatible: false,
    email_auth_enabled: true,
    require_email_format_usernames: true,
    signup_enabled: false,
    realm_uri: 'http://127.0.0.1:9991',
    realm_name: 'Example',
    realm_icon: `https://secure.gravatar.com/avatar/${iconHash}?d=identicon`,
    realm_logo: '/static/images/logo/parley-logo.png?version=0',
    realm_night_logo: '/static/images/logo/parley-logo-night.png?version=0',
    realm_description: '<p>We <em>test</em>.</p>',
    external_authentication_methods: [],
  });
});

test('has two equal version keys and no feature level, and password equals email', async () => {
  const settings = await organization.client().get('server_settings');
  expect(settings['zulip_version']).toBe(settings['service_version']);
  expect(settings).not.toHaveProperty('zulip_feature_level');
  const methods = settings['authentication_methods'] as Record<string, boolean>;
  expect(methods['password']).toBe(methods['email'] === true || methods['ldap'] === true);
});

test('ignores credentials, good and bad ones', async () => {
  for (const client of [organization.client('bob'), organization.client('bob', 'x'.repeat(32))]) {
    expect(await client.get('server_settings')).toMatchObject({ result: 'success' });
  }
});

test('reports the one incompatible client as incompatible', async () => {
  const client = new ApiClient({
    urls: organization.cluster.gatewayUrls,
    userAgent: 'ZulipInvalid/5.0',
  });
  expect(await client.get('server_settings')).toMatchObject({ is_incompatible: true });
  expect(await client.get('server_settings', { client: 'website' })).toMatchObject({
    is_incompatible: true,
  });
  expect(
    await organization.client().get('server_settings', { client: 'ZulipInvalid' }),
  ).toMatchObject({ is_incompatible: false });
});
