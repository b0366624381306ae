/** Accounts as clients see them. */
import { hash } from 'node:crypto';

import { botTypes, realmId } from '@parley/api';
import type { RealmSettings } from '@parley/api/organization';
import type { Member, ProfileData, SystemBot, UserObject } from '@parley/api/people';
import { avatarPathName, hidesEmails } from '../index.ts';
import type { User } from '../index.ts';

/**
 * @param email any letter case
 * @param size `medium` is the large picture
 * @returns the Gravatar URL (reference facts, people 7.8)
 */
export function gravatarUrl(
  email: string,
  version: number,
  size: 'normal' | 'medium' = 'normal',
): string {
  const name = hash('md5', email.toLowerCase());
  return `https://secure.gravatar.com/avatar/${name}?d=identicon${size === 'medium' ? '&s=500' : ''}&version=${version}`;
}

/**
 * @returns the URL of an account's avatar, always a real one (reference facts, people 7.8). A Gravatar URL reveals an address to anybody
 *   who tries likely ones, so an account with a hidden address gets the default picture instead
 */
export function avatarUrl(
  user: Pick<User, 'id' | 'email' | 'deliveryEmail' | 'avatarSource' | 'avatarVersion'>,
  size: 'normal' | 'medium' = 'normal',
): string {
  const suffix = size === 'medium' ? '-medium' : '';
  if (user.avatarSource === 'G')
    return user.email === user.deliveryEmail
      ? gravatarUrl(user.email, user.avatarVersion, size)
      : `/static/images/default-avatar${suffix}.png?x=x&version=${user.avatarVersion}`;
  return `/user_avatars/${realmId}/${avatarPathName(user.id)}${suffix}.png?x=x&version=${user.avatarVersion}`;
}

export type UserJsonOptions = {
  /**
   * The client makes Gravatar URLs itself, so `avatar_url` is null if it can. It cannot if addresses are hidden.
   */
  readonly clientGravatar: boolean;
  /**
   * Set if the organization hides addresses and the reader is an administrator: every object then has `delivery_email`, for bots their
   * address.
   */
  readonly deliveryEmails?: boolean;
  /** Profiles by user id; if given, people have `profile_data`. */
  readonly profiles?: ReadonlyMap<number, ProfileData>;
};

/** @returns the options that show a reader addresses and Gravatars according to the organization's settings */
export function userJsonOptions(
  reader: { readonly role: User['role'] },
  settings: Pick<RealmSettings, 'email_address_visibility'>,
  wanted: { readonly clientGravatar: boolean; readonly profiles?: UserJsonOptions['profiles'] },
): UserJsonOptions {
  const isHiding = hidesEmails(settings);
  return {
    clientGravatar: wanted.clientGravatar && !isHiding,
    deliveryEmails: isHiding && reader.role === 'administrator',
    ...(wanted.profiles === undefined ? {} : { profiles: wanted.profiles }),
  };
}

const noProfile: ProfileData = {};

type AccountFields = Omit<
  Extract<UserObject, { is_bot: true }>,
  'is_bot' | 'bot_type' | 'bot_owner_id'
>;

function accountFields(user: User, options: UserJsonOptions): AccountFields {
  return {
    user_id: user.id,
    email: user.email,
    full_name: user.fullName,
    is_admin: user.role === 'administrator',
    is_guest: user.role === 'guest',
    avatar_url: options.clientGravatar && user.avatarSource === 'G' ? null : avatarUrl(user),
    timezone: user.timezone,
    date_joined: user.dateJoined,
    ...(options.deliveryEmails === true && { delivery_email: user.deliveryEmail }),
  };
}

/** What only people have. */
function profileOf(user: User, { profiles }: UserJsonOptions): Pick<Member, 'profile_data'> {
  return profiles === undefined ? {} : { profile_data: profiles.get(user.id) ?? noProfile };
}

/**
 * A member of GET users (contract, User; reference facts, people 7.1).
 *
 * @param emailOfOwner the address of a bot's owner, if it has one
 */
export function memberJson(
  user: User,
  emailOfOwner: string | undefined,
  options: UserJsonOptions,
): Member {
  const account = {
    ...accountFields(user, options),
    is_bot: user.botType !== null,
    is_active: user.isActive,
    bot_type: user.botType,
  };
  if (user.botType === null) return { ...account, ...profileOf(user, options) };
  return {
    ...account,
    bot_owner_id: user.botOwnerId,
    ...(emailOfOwner !== undefined && { bot_owner: emailOfOwner }),
  };
}

/**
 * A user object of register's `realm_users` and of `realm_user`/`add` (reference facts, events 4.4 and 13.1): without
 * `is_active`, which the list or the event implies.
 */
export function realmUserJson(user: User, options: UserJsonOptions): UserObject {
  const account = accountFields(user, options);
  if (user.botType !== null)
    return {
      ...account,
      is_bot: true,
      bot_type: user.botType,
      bot_owner_id: user.botOwnerId,
    };
  const profile = options.profiles?.get(user.id) ?? noProfile;
  return { ...account, is_bot: false, ...profileOf(user, options), profile_data: profile };
}

/** A system bot of register's `cross_realm_bots` (reference facts, events 4.4). */
export function crossRealmBotJson(user: User): SystemBot {
  return {
    email: user.email,
    user_id: user.id,
    is_admin: user.role === 'administrator',
    is_bot: true,
    // Clients read this member of every bot.
    bot_type: user.botType ?? botTypes.generic,
    avatar_url: avatarUrl(user),
    timezone: user.timezone,
    date_joined: user.dateJoined,
    full_name: user.fullName,
  };
}
