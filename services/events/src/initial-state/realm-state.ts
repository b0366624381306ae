/** What register answers about the organization. */
import { limits } from '@parley/api';
import type { FetchedState } from '@parley/api/events';
import type { RealmSettings } from '@parley/api/organization';
import type { Queryable } from '@parley/database';
import {
  authenticationMethods,
  defaultExternalAccounts,
  realmDomainJson,
  realmIconUrl,
  realmLogoUrl,
} from '@parley/store/objects';
import { findStreamsByIds, getRealm, listDomains, generatedEmailDomain } from '@parley/store';

/** How a server runs, as far as clients see it. */
export type ServerFacts = {
  readonly mode: 'development' | 'production';
  readonly usesSingleSignOn: boolean;
  /** Without a slash at the end. */
  readonly publicUrl: string;
  /** Most that all files together may take; undefined for no bound. */
  readonly uploadQuotaBytes: number | undefined;
};

const pictureMaxMib = limits.pictureMaxBytes / (1024 * 1024);

const videoChatProviders = {
  jitsi_meet: { name: 'Jitsi Meet', id: 1 },
  google_hangouts: { name: 'Google Hangouts', id: 2 },
} as const;

async function liveStreamId(db: Queryable, streamId: number | null): Promise<number> {
  if (streamId === null) return -1;
  const [stream] = await findStreamsByIds(db, [streamId]);
  return stream === undefined || stream.isDeactivated ? -1 : stream.id;
}

type PrefixedSettings = {
  readonly [Name in keyof RealmSettings as `realm_${Name}`]: RealmSettings[Name];
};

function prefixedSettings(settings: RealmSettings): PrefixedSettings {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`realm_${name}`, value]),
  ) as PrefixedSettings;
}

/** @returns the settings of the organization as register tells them (reference facts, events 4.5) */
export async function readRealmState(
  db: Queryable,
  server: ServerFacts,
): Promise<FetchedState<'realm'>> {
  const realm = await getRealm(db);
  const methods = authenticationMethods(realm, server);
  const isPasswordOn = methods['Email'] === true;
  return {
    ...prefixedSettings(realm.settings),
    // Nothing takes messages away (reference facts, people 14.1).
    realm_message_retention_days: null,
    realm_name: realm.name,
    realm_description: realm.description,
    realm_authentication_methods: methods,
    realm_icon_url: realmIconUrl(realm),
    realm_icon_source: realm.iconSource,
    max_icon_file_size: pictureMaxMib,
    realm_logo_url: realmLogoUrl(realm, 'day'),
    realm_logo_source: realm.logo.source,
    realm_night_logo_url: realmLogoUrl(realm, 'night'),
    realm_night_logo_source: realm.nightLogo.source,
    max_logo_file_size: pictureMaxMib,
    realm_uri: server.publicUrl,
    realm_bot_domain: generatedEmailDomain(server.publicUrl),
    realm_notifications_stream_id: await liveStreamId(db, realm.notificationsStreamId),
    realm_signup_notifications_stream_id: await liveStreamId(db, realm.signupNotificationsStreamId),
    realm_presence_disabled: false,
    realm_is_zephyr_mirror_realm: false,
    realm_email_auth_enabled: isPasswordOn,
    realm_password_auth_enabled: isPasswordOn,
    realm_push_notifications_enabled: false,
    settings_send_digest_emails: false,
    realm_upload_quota: server.uploadQuotaBytes ?? null,
    realm_plan_type: 1,
    plan_includes_wide_organization_logo: true,
    upgrade_text_for_wide_organization_logo: '',
    realm_available_video_chat_providers: videoChatProviders,
    realm_default_external_accounts: defaultExternalAccounts,
  };
}

/** @returns the organization's domains as register tells them */
export async function readDomainState(db: Queryable): Promise<FetchedState<'realm_domains'>> {
  return { realm_domains: (await listDomains(db)).map(realmDomainJson) };
}
