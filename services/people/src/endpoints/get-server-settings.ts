import { getServerSettingsEndpoint } from '@parley/api/organization';
import { isOpenToStrangers, isSingleSignOnUsed, signInPath } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement, productName } from '@parley/server';
import {
  authenticationMethods,
  realmIconUrl,
  realmLogoUrl,
  singleSignOnMethod,
} from '@parley/store/objects';
import { findRealm } from '@parley/store';
import type { Realm } from '@parley/store';

/** The level of the interface that clients are told, under both names (reference facts, people 1). */
const interfaceVersion = '2.1.4';

/** The User-Agent that is always told that it is too old; it exists for testing clients (reference facts, people 5.5). */
const incompatibleClientName = 'ZulipInvalid';

/** What the server has and the organization has not switched off, as a client asks before it signs in. */
function shownMethods(realm: Realm | undefined, context: PeopleContext) {
  const methods = authenticationMethods(realm ?? { disabledAuthenticationMethods: [] }, context);
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
    ...(context.usesSingleSignOn && {
      [singleSignOnMethod.toLowerCase()]: methods[singleSignOnMethod] === true,
    }),
  };
}

/** The buttons of the sign-in page (reference facts, people 5.5). */
function externalMethods(realm: Realm | undefined, context: PeopleContext) {
  const isOn = realm !== undefined && isSingleSignOnUsed(realm, context);
  return Array.from(isOn ? context.identityProviders.values() : [], ({ config }) => {
    const path = signInPath(config.id);
    return {
      name: `oidc:${config.id}`,
      display_name: config.name,
      display_icon: config.icon ?? null,
      login_url: path,
      signup_url: path,
    };
  });
}

export const getServerSettingsHandler = implement(
  getServerSettingsEndpoint,
  async (context: PeopleContext, { header }) => {
    const realm = await findRealm(context.pool);
    const methods = shownMethods(realm, context);
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
      external_authentication_methods: externalMethods(realm, context),
    };
  },
);
