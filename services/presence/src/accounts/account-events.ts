import { audienceKey, changeEntry as entryOf } from '@parley/contracts';
import type { ChangeEntry, EventBody, EventPart, LogEffect, SideEffect } from '@parley/contracts';
import { hidesEmails, realmUserJson } from '@parley/store';
import type { ProfileData, RealmSettings, Stream, User } from '@parley/store';

/** The parts of log entries that tell of accounts (reference facts, events 13.1). */

/** An event for all active accounts. */
export function toEveryone(event: EventBody): EventPart {
  return { form: 'same', audience: { to: 'everyone' }, event };
}

/** An event for these accounts. */
export function toUsers(userIds: readonly number[], event: EventBody): EventPart {
  return { form: 'same', audience: { to: 'users', userIds }, event };
}

/**
 * Where addresses are hidden, administrators get the real one beside what everybody gets, as they have it of others.
 *
 * @param settings those of the organization
 * @param profile what a person who comes back had filled in
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
  if (user.botType !== null || !hidesEmails(settings)) return [added];
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

/** How events that end something name an account. */
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
export function personUpdated(user: User, change: Readonly<Record<string, unknown>>): EventPart {
  return toEveryone({ type: 'realm_user', op: 'update', person: { user_id: user.id, ...change } });
}

/** @returns the effect by which every follower knows role and activity of an account from this entry on */
export function accountEffect(user: Pick<User, 'id' | 'role' | 'isActive'>): LogEffect {
  return { effect: 'account', userId: user.id, role: user.role, isActive: user.isActive };
}

/** @returns the entry of a change that concerns everybody, as `EventLog.transaction` takes it */
export function changeEntry(
  events: readonly EventPart[],
  effects: readonly LogEffect[] = [],
  sideEffects: readonly SideEffect[] = [],
): { readonly entry: ChangeEntry; readonly audience: number } {
  return { entry: entryOf({ events, effects, sideEffects }), audience: audienceKey.everyone };
}

/** @returns the effects of accounts that became members of streams, or are none any more, stream by stream */
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
 * @param streams among them all of the memberships
 * @returns what those hear who have the lists of subscribers that accounts come into or go out of, stream by stream
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
