import { defineEndpoint, productName } from '@parley/http';
import { authenticationMethods, findRealm, realmIconUrl, realmLogoUrl } from '@parley/store';
import type { Realm } from '@parley/store';

import type { PresenceContext } from '../context.ts';

/** The level of the interface that clients are told, under both names (reference facts, people 1). */
const interfaceVersion = '2.1.4';

/** The User-Agent that is always told that it is too old; it exists for testing clients (reference facts, people 5.5). */
const incompatibleClientName = 'ZulipInvalid';

/** What the server has and the organization has not switched off, as a client asks before it signs in. */
function shownMethods(realm: Realm | undefined, mode: PresenceContext['mode']) {
  const methods = authenticationMethods(realm ?? { disabledAuthenticationMethods: [] }, mode);
  const email = methods['Email'] === true;
  return {
    password: email,
    dev: methods['Dev'] === true,
    email,
    ldap: false,
    remoteuser: false,
    github: false,
    azuread: false,
    google: false,
    saml: false,
  };
}

const boolean = { type: 'boolean' } as const;
const string = { type: 'string' } as const;

/** GET server_settings (contract, Server settings; reference facts, people 5.5). */
export const getServerSettings = defineEndpoint({
  name: 'get-server-settings',
  method: 'GET',
  path: '/server_settings',
  summary: 'Get the settings that a client needs before it signs in',
  description: 'An Authorization header is ignored.',
  access: { authentication: 'none' },
  parameters: [],
  response: {
    type: 'object',
    properties: {
      authentication_methods: { type: 'object', additionalProperties: boolean },
      service_version: string,
      zulip_version: string,
      push_notifications_enabled: boolean,
      is_incompatible: boolean,
      email_auth_enabled: boolean,
      require_email_format_usernames: boolean,
      realm_uri: string,
      realm_name: string,
      realm_icon: string,
      realm_logo: string,
      realm_night_logo: string,
      realm_description: { ...string, description: 'HTML' },
      external_authentication_methods: { type: 'array', maxItems: 0 },
    },
    required: [
      'authentication_methods',
      'service_version',
      'zulip_version',
      'push_notifications_enabled',
      'is_incompatible',
      'email_auth_enabled',
      'require_email_format_usernames',
      'realm_uri',
      'external_authentication_methods',
    ],
  },
  handler: async (context: PresenceContext, { header }) => {
    const realm = await findRealm(context.pool);
    const methods = shownMethods(realm, context.mode);
    return {
      authentication_methods: methods,
      zulip_version: interfaceVersion,
      service_version: interfaceVersion,
      push_notifications_enabled: false,
      is_incompatible: productName(header('user-agent') ?? '') === incompatibleClientName,
      email_auth_enabled: methods.email,
      require_email_format_usernames: true,
      realm_uri: context.publicUrl,
      ...(realm && {
        realm_name: realm.name,
        realm_icon: realmIconUrl(realm),
        realm_logo: realmLogoUrl(realm, 'day'),
        realm_night_logo: realmLogoUrl(realm, 'night'),
        realm_description: context.renderDescription(realm.description),
      }),
      external_authentication_methods: [],
    };
  },
});
