import { createHash } from 'node:crypto';

import { limits } from '@parley/api';
import type { FetchedState } from '@parley/api/events';
import { getDefaultLogoEndpoint, getDefaultNightLogoEndpoint } from '@parley/api/organization';
import type { RealmSettings } from '@parley/api/organization';
import type { Queryable } from '@parley/database';

import { listDomains, realmDomainJson } from './realm-domains.ts';
import { getRealm } from './realm.ts';
import type { Realm } from './realm.ts';
import { findStreamsByIds } from '../streams/streams.ts';
import { madeUpEmailDomain } from '../people/user-json.ts';

/** The organization as clients see it. */

/** @returns the URL of the organization's icon (reference facts, people 5.5) */
export function realmIconUrl(realm: Realm): string {
  if (realm.iconSource === 'U')
    return `/user_avatars/${realm.id}/realm/icon.png?version=${realm.iconVersion}`;
  const hash = createHash('md5').update(realm.stringId).digest('hex');
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon`;
}

/** Of organizations that uploaded none (reference facts, people 5.5). */
const defaultLogos = { day: getDefaultLogoEndpoint, night: getDefaultNightLogoEndpoint } as const;

/** @returns the URL of the organization's logo for day or night (reference facts, people 5.5) */
export function realmLogoUrl(realm: Realm, theme: 'day' | 'night'): string {
  const { source, version } = theme === 'day' ? realm.logo : realm.nightLogo;
  if (source === 'D') return `${defaultLogos[theme].path}?version=0`;
  const name = theme === 'day' ? 'logo' : 'night_logo';
  return `/user_avatars/${realm.id}/realm/${name}.png?version=${version}`;
}

/** How a server runs, as far as clients see it. */
export type ServerFacts = {
  readonly mode: 'development' | 'production';
  /** Without a slash at the end. */
  readonly publicUrl: string;
  /** Most that all files together may take; undefined for no bound. */
  readonly uploadQuotaBytes: number | undefined;
};

/**
 * The ways to sign in that the server has, by the names that organizations switch them by (reference facts, events 4.5).
 *
 * @returns which of them are on
 */
export function authenticationMethods(
  realm: Pick<Realm, 'disabledAuthenticationMethods'>,
  mode: ServerFacts['mode'],
): Readonly<Record<string, boolean>> {
  const names = mode === 'development' ? ['Dev', 'Email'] : ['Email'];
  const off = new Set(realm.disabledAuthenticationMethods);
  return Object.fromEntries(names.map((name) => [name, !off.has(name)]));
}

const pictureMaxMib = limits.pictureMaxBytes / (1024 * 1024);

const videoChatProviders = {
  jitsi_meet: { name: 'Jitsi Meet', id: 1 },
  google_hangouts: { name: 'Google Hangouts', id: 2 },
} as const;

type ExternalAccount = {
  readonly text: string;
  readonly url_pattern: string;
  readonly name: string;
  readonly hint: string;
};

function externalAccount(name: string, urlPattern: string): ExternalAccount {
  return {
    text: name,
    url_pattern: urlPattern,
    name,
    hint: `Enter your ${name} username`,
  };
}

/** Accounts elsewhere that profile fields may be about without describing them (reference facts, events 4.5). */
export const defaultExternalAccounts: Readonly<Record<string, ExternalAccount>> = {
  twitter: externalAccount('Twitter', 'https://twitter.com/%(username)s'),
  github: externalAccount('GitHub', 'https://github.com/%(username)s'),
};

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
  const methods = authenticationMethods(realm, server.mode);
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
    realm_bot_domain: madeUpEmailDomain(server.publicUrl),
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
