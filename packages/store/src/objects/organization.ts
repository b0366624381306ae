/** The organization and its lists as clients see them. */
import { createHash } from 'node:crypto';

import { realmId } from '@parley/api';
import { getDefaultLogoEndpoint, getDefaultNightLogoEndpoint } from '@parley/api/organization';
import type { RealmEmoji as RealmEmojiObject } from '@parley/api/organization';
import type { ProfileFieldObject, UserGroupObject } from '@parley/api/people';
import type {
  AuthoredEmoji,
  ProfileField,
  Realm,
  RealmDomain,
  StoredLinkifier,
  UserGroup,
} from '../index.ts';

/** @returns the URL of the organization's icon (reference facts, people 5.5) */
export function realmIconUrl(realm: Realm): string {
  if (realm.iconSource === 'U')
    return `/user_avatars/${realm.id}/realm/icon.png?version=${realm.iconVersion}`;
  const hash = createHash('md5').update(realm.stringId).digest('hex');
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon`;
}

/** The logos of organizations that uploaded none (reference facts, people 5.5). */
const defaultLogos = { day: getDefaultLogoEndpoint, night: getDefaultNightLogoEndpoint } as const;

/** @returns the URL of the organization's logo for day or night (reference facts, people 5.5) */
export function realmLogoUrl(realm: Realm, theme: 'day' | 'night'): string {
  const { source, version } = theme === 'day' ? realm.logo : realm.nightLogo;
  if (source === 'D') return `${defaultLogos[theme].path}?version=0`;
  const name = theme === 'day' ? 'logo' : 'night_logo';
  return `/user_avatars/${realm.id}/realm/${name}.png?version=${version}`;
}

/** What decides which ways to sign in the server has. */
export type SignInServer = {
  readonly mode: 'development' | 'production';
  /** Whether its configuration names OpenID providers. */
  readonly usesSingleSignOn: boolean;
};

/** The name of signing in by an OpenID provider in the organization's settings. */
export const singleSignOnMethod = 'OpenID Connect';

/**
 * Lists the server's authentication methods by the names in the organization's settings (reference facts, events 4.5).
 *
 * @returns whether each method is on
 */
export function authenticationMethods(
  realm: Pick<Realm, 'disabledAuthenticationMethods'>,
  { mode, usesSingleSignOn }: SignInServer,
): Readonly<Record<string, boolean>> {
  const names = [
    ...(mode === 'development' ? ['Dev'] : []),
    'Email',
    ...(usesSingleSignOn ? [singleSignOnMethod] : []),
  ];
  const off = new Set(realm.disabledAuthenticationMethods);
  return Object.fromEntries(names.map((name) => [name, !off.has(name)]));
}

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

/** External accounts that profile fields may name without describing them (reference facts, events 4.5). */
export const defaultExternalAccounts: Readonly<Record<string, ExternalAccount>> = {
  twitter: externalAccount('Twitter', 'https://twitter.com/%(username)s'),
  github: externalAccount('GitHub', 'https://github.com/%(username)s'),
};

/** @returns a domain as clients see it (reference facts, people 14.2) */
export function realmDomainJson(domain: RealmDomain): {
  readonly domain: string;
  readonly allow_subdomains: boolean;
} {
  return { domain: domain.domain, allow_subdomains: domain.allowSubdomains };
}

/** @returns where clients find the picture of a custom emoji (reference facts, people 11.1) */
export function emojiUrl(fileName: string): string {
  return `/user_avatars/${realmId}/emoji/images/${fileName}`;
}

/** @returns custom emoji by id as clients see them (contract, Custom emoji) */
export function realmEmojiJson(emoji: readonly AuthoredEmoji[]): RealmEmojiObject {
  return Object.fromEntries(
    emoji.map(({ id, name, fileName, isDeactivated, author }) => [
      String(id),
      {
        id: String(id),
        name,
        source_url: emojiUrl(fileName),
        deactivated: isDeactivated,
        author,
      },
    ]),
  );
}

/** @returns a linkifier as clients see it (reference facts, people 12) */
export function linkifierJson({
  pattern,
  urlFormat,
  id,
}: StoredLinkifier): readonly [pattern: string, urlFormat: string, id: number] {
  return [pattern, urlFormat, id];
}

/** @returns a field as clients see it (reference facts, people 13) */
export function profileFieldJson(field: ProfileField): ProfileFieldObject {
  return {
    id: field.id,
    name: field.name,
    type: field.type,
    hint: field.hint,
    field_data: field.fieldData,
    order: field.order,
  };
}

/** @returns a group as clients see it (contract, User group) */
export function userGroupJson(group: UserGroup): UserGroupObject {
  return {
    id: group.id,
    name: group.name,
    description: group.description,
    members: group.memberIds,
  };
}
