import { createHash } from 'node:crypto';

import type { User } from './users.ts';

/** Accounts as clients see them. */

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
  const hash = createHash('md5').update(email.toLowerCase()).digest('hex');
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon${size === 'medium' ? '&s=500' : ''}&version=${version}`;
}

/** The one organization of a database. */
const realmId = 1;

/** @returns the URL of an account's avatar, always a real one (reference facts, people 7.8) */
export function avatarUrl(
  user: Pick<User, 'id' | 'email' | 'avatarSource' | 'avatarVersion'>,
  size: 'normal' | 'medium' = 'normal',
): string {
  if (user.avatarSource === 'G') return gravatarUrl(user.email, user.avatarVersion, size);
  const hash = createHash('sha256')
    .update(`avatar of ${user.id} in ${realmId}`)
    .digest('hex')
    .slice(0, 40);
  const suffix = size === 'medium' ? '-medium' : '';
  return `/user_avatars/${realmId}/${hash}${suffix}.png?x=x&version=${user.avatarVersion}`;
}

export type UserJsonOptions = {
  /** The client makes Gravatar URLs itself: `avatar_url` is null where it can. */
  readonly clientGravatar: boolean;
};

function peopleFields(user: User, options: UserJsonOptions): Record<string, unknown> {
  return {
    user_id: user.id,
    email: user.email,
    full_name: user.fullName,
    is_bot: user.botType !== null,
    is_admin: user.role === 'administrator',
    is_guest: user.role === 'guest',
    avatar_url: options.clientGravatar && user.avatarSource === 'G' ? null : avatarUrl(user),
    timezone: user.timezone,
    date_joined: user.dateJoined,
  };
}

/**
 * A member of GET users (contract, User; reference facts, people 7.1).
 *
 * @param emailOfOwner the address of a bot's owner, if it has one
 */
export function memberJson(
  user: User,
  emailOfOwner: string | undefined,
  options: UserJsonOptions & { readonly profileData?: boolean },
): Record<string, unknown> {
  const member: Record<string, unknown> = {
    ...peopleFields(user, options),
    is_active: user.isActive,
    bot_type: user.botType,
  };
  if (user.botType === null) {
    if (options.profileData === true) member['profile_data'] = {};
  } else {
    member['bot_owner_id'] = user.botOwnerId;
    if (emailOfOwner !== undefined) member['bot_owner'] = emailOfOwner;
  }
  return member;
}

/**
 * A user object of register's `realm_users` and of `realm_user`/`add` (reference facts, events 4.4 and 13.1): without
 * `is_active`, which the list or the event implies.
 */
export function realmUserJson(user: User, options: UserJsonOptions): Record<string, unknown> {
  const person = peopleFields(user, options);
  return user.botType === null
    ? { ...person, profile_data: {} }
    : { ...person, bot_type: user.botType, bot_owner_id: user.botOwnerId };
}

/** A system bot of register's `cross_realm_bots` (reference facts, events 4.4). */
export function crossRealmBotJson(user: User): Record<string, unknown> {
  return {
    email: user.email,
    user_id: user.id,
    is_admin: user.role === 'administrator',
    is_bot: true,
    avatar_url: avatarUrl(user),
    timezone: user.timezone,
    date_joined: user.dateJoined,
    full_name: user.fullName,
  };
}
