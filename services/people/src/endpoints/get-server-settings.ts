import { getServerSettingsEndpoint } from '@parley/api/organization';
import { isOpenToStrangers } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement, productName } from '@parley/server';
import { authenticationMethods, realmIconUrl, realmLogoUrl } from '@parley/objects';
import { findRealm } from '@parley/store';
import type { Realm } from '@parley/store';

/** The level of the interface that clients are told, under both names (reference facts, people 1). */
const interfaceVersion = '2.1.4';

/** The User-Agent that is always told that it is too old; it exists for testing clients (reference facts, people 5.5). */
const incompatibleClientName = 'ZulipInvalid';

/** What the server has and the organization has not switched off, as a client asks before it signs in. */
function shownMethods(realm: Realm | undefined, mode: PeopleContext['mode']) {
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

export const getServerSettingsHandler = implement(
  getServerSettingsEndpoint,
  async (context: PeopleContext, { header }) => {
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
      signup_enabled: realm !== undefined && isOpenToStrangers(realm, context),
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
);
