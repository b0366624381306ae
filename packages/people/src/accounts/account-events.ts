import type { PersonChange, ProfileData } from '@parley/api/people';
import { audienceKey, changeEntry } from '@parley/event-log';
import type { ApiEvent } from '@parley/api/events';
import type { ChangeEntry, EventPart, LogEffect, SideEffect } from '@parley/event-log';
import type { Role } from '@parley/api';
import { avatarUrl, realmUserJson } from '@parley/store/objects';
import { hidesEmails } from '@parley/store';
import type { Stream, User } from '@parley/store';
import type { RealmSettings } from '@parley/api/organization';

/** The parts of log entries about accounts (reference facts, events 13.1). */

/** One group of members for each kind of change (reference facts, events 13.1). */
type PersonChangeMembers = PersonChange extends infer Change
  ? Change extends PersonChange
    ? Omit<Change, 'user_id'>
    : never
  : never;

/** The effect of one step of a change on accounts, for its log entry. */
export type AccountsChange = {
  readonly events: readonly EventPart[];
  readonly effects: readonly LogEffect[];
  /** Accounts whose key, role or activity changed. */
  readonly userIds: readonly number[];
};

/** An event for all active accounts. */
export function toEveryone(event: ApiEvent): EventPart {
  return { form: 'same', audience: { to: 'everyone' }, event };
}

/** An event for these accounts. */
export function toUsers(userIds: readonly number[], event: ApiEvent): EventPart {
  return { form: 'same', audience: { to: 'users', userIds }, event };
}

/**
 * If addresses are hidden, administrators get a second event with the real address, for bots too, because they have it for all other
 * accounts.
 *
 * @param settings those of the organization
 * @param profile of a person who is reactivated
 */
export function personAdded(
  user: User,
  settings: Pick<RealmSettings, 'email_address_visibility'>,
  profile: ProfileData = {},
): EventPart[] {
  const added = toEveryone({
    type: 'realm_user',
    op: 'add',
    person: realmUserJson(user, {
      clientGravatar: false,
      profiles: new Map([[user.id, profile]]),
    }),
  });
  if (!hidesEmails(settings)) return [added];
  const person = { user_id: user.id, delivery_email: user.deliveryEmail };
  return [
    added,
    {
      form: 'same',
      audience: { to: 'administrators' },
      event: { type: 'realm_user', op: 'update', person },
    },
  ];
}

/** The form in which events of an end name an account. */
export function removedPerson(user: User): {
  readonly email: string;
  readonly user_id: number;
  readonly full_name: string;
} {
  return { email: user.email, user_id: user.id, full_name: user.fullName };
}

export function personRemoved(user: User): EventPart {
  return toEveryone({ type: 'realm_user', op: 'remove', person: removedPerson(user) });
}

/** @param change one group of fields of the reference facts, events 13.1 */
export function personUpdated(user: Pick<User, 'id'>, change: PersonChangeMembers): EventPart {
  return toEveryone({ type: 'realm_user', op: 'update', person: { user_id: user.id, ...change } });
}

/** @param email by which others know the account until now */
export function pictureUpdated(
  user: Pick<User, 'id' | 'email' | 'deliveryEmail' | 'avatarSource' | 'avatarVersion'>,
  email: string,
): EventPart {
  return personUpdated(user, {
    email,
    avatar_source: user.avatarSource,
    avatar_url: avatarUrl(user),
    avatar_url_medium: avatarUrl(user, 'medium'),
  });
}

/** @returns the events of a new role for everybody, one for each right that changes */
export function roleEvents(user: User, role: Role): EventPart[] {
  const { email } = user;
  const isAdmin = role === 'administrator';
  const isGuest = role === 'guest';
  return [
    ...(isAdmin === (user.role === 'administrator')
      ? []
      : [personUpdated(user, { email, is_admin: isAdmin })]),
    ...(isGuest === (user.role === 'guest')
      ? []
      : [personUpdated(user, { email, is_guest: isGuest })]),
  ];
}

/** @returns the effect that gives every follower the role and activity of an account from this entry on */
export function accountEffect(user: Pick<User, 'id' | 'role' | 'isActive'>): LogEffect {
  return { effect: 'account', userId: user.id, role: user.role, isActive: user.isActive };
}

/** @returns the entry of a change that concerns everybody, for `EventLog.transaction` */
export function entryForEveryone(
  events: readonly EventPart[],
  effects: readonly LogEffect[] = [],
  sideEffects: readonly SideEffect[] = [],
): { readonly entry: ChangeEntry; readonly audience: number } {
  return { entry: changeEntry({ events, effects, sideEffects }), audience: audienceKey.everyone };
}

/** @returns the effects of accounts that joined or left streams, stream by stream */
export function membershipEffects(
  effect: 'joined' | 'left',
  memberships: readonly { readonly userId: number; readonly streamId: number }[],
): LogEffect[] {
  const byStream = Map.groupBy(memberships, ({ streamId }) => streamId);
  return [...byStream].map(([streamId, members]) => ({
    effect,
    streamId,
    userIds: members.map(({ userId }) => userId),
  }));
}

/**
 * @param streams including all streams of the memberships
 * @returns the events for those who have the lists of subscribers that change, stream by stream
 */
export function peerEvents(
  op: 'peer_add' | 'peer_remove',
  memberships: readonly { readonly userId: number; readonly streamId: number }[],
  streams: readonly Pick<Stream, 'id' | 'name' | 'inviteOnly'>[],
): EventPart[] {
  const byStream = Map.groupBy(memberships, ({ streamId }) => streamId);
  return streams.flatMap(({ id, name, inviteOnly }): EventPart[] => {
    const userIds = byStream.get(id)?.map(({ userId }) => userId) ?? [];
    if (userIds.length === 0) return [];
    return [
      {
        form: 'peers',
        op,
        streamId: id,
        streamName: name,
        inviteOnly,
        userIds,
        to: 'list-holders',
      },
    ];
  });
}
