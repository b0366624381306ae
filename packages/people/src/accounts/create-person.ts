import { checkListRoom, lockAdministrator } from '@parley/store/access';
import { withoutCode } from '@parley/api';
import type { ApiError, Caller, Role } from '@parley/api';
import type { Append, EventPart, SideEffect } from '@parley/event-log';
import { isUniqueViolation } from '@parley/database';
import type { Client, Queryable } from '@parley/database';
import { hashPassword } from '@parley/auth/secrets';
import { streamJson } from '@parley/store/objects';
import {
  clearWildcardMentions,
  createUser,
  emailPolicy,
  findBacklog,
  findOccupiedStreams,
  getRealm,
  isEmailTaken,
  listDefaultStreams,
  lockRealmInUse,
  lockStreams,
  openBacklog,
  setFirstStreamFloors,
  subscribeToStreams,
} from '@parley/store';
import { setScimFacts } from '@parley/store/scim';
import type { Realm, Stream, User } from '@parley/store';
import type { RealmSettings } from '@parley/api/organization';
import type { UserSettings } from '@parley/api/people';

import type { PeopleContext } from '../people-context.ts';
import {
  accountEffect,
  entryForEveryone,
  membershipEffects,
  peerEvents,
  personAdded,
} from './account-events.ts';
import { checkAdmitted, isEmailShaped, listAdmittedDomains } from './email-rules.ts';
import { checkFullName } from './full-name.ts';
import { isPasswordStrong } from './password-strength.ts';

export type NewPerson = {
  readonly email: string;
  /** Null for who has none yet: the person signs in by single sign-on, or asks for one by mail. */
  readonly password: string | null;
  readonly fullName: string;
  /** By default the part of the address before the `@`. */
  readonly shortName: string | undefined;
  /** By default a member. */
  readonly role?: Role;
  /** What a program that keeps accounts by SCIM calls the person. */
  readonly externalId?: string;
};

type Creation = Pick<PeopleContext, 'pool' | 'eventLog' | 'keySecrets' | 'publicUrl' | 'lists'>;

export function emailInUse(email: string): ApiError {
  return withoutCode(`Email '${email}' already in use`);
}

/** @throws ApiError without code for an address that the organization does not admit (reference facts, people 7.3) */
export async function checkAdmittedEmail(
  db: Queryable,
  realm: Realm,
  email: string,
): Promise<void> {
  checkAdmitted(email, realm.settings, await listAdmittedDomains(db, realm.settings));
}

async function checkEmail(db: Queryable, realm: Realm, email: string): Promise<void> {
  await checkAdmittedEmail(db, realm, email);
  if (await isEmailTaken(db, email)) throw emailInUse(email);
}

function settingsOfNewPeople(settings: RealmSettings): Partial<UserSettings> {
  return {
    default_language: settings.default_language,
    twenty_four_hour_time: settings.default_twenty_four_hour_time,
  };
}

/** A person whose data were checked. */
export type AddedPerson = Pick<NewPerson, 'email' | 'fullName'> & {
  /** Null for who has no password. */
  readonly passwordHash: string | null;
  readonly role: Role | undefined;
  /** By default the part of the address before the `@`. */
  readonly shortName?: string;
  /** The streams that the person joins; if there are none, the default streams. */
  readonly streamIds: readonly number[];
  /** Who made the account; by default the person. */
  readonly actorId: number | undefined;
};

/**
 * Adds a person in a transaction that has locked the realm.
 *
 * @returns the account, and what the transaction appends
 */
export async function addPerson(
  context: Creation,
  client: Client,
  realm: Realm,
  person: AddedPerson,
): Promise<{ readonly result: User; readonly append: Append }> {
  const { email, fullName, passwordHash, role, shortName = '', streamIds } = person;
  const changeId = await context.eventLog.drawChangeId(client);
  const { user } = await createUser(
    client,
    context.keySecrets,
    {
      email,
      fullName,
      passwordHash,
      settings: settingsOfNewPeople(realm.settings),
      ...(role !== undefined && { role }),
      ...(shortName !== '' && { shortName }),
    },
    changeId,
    emailPolicy(realm.settings, context.publicUrl),
  );
  const joined = await joinStreams(client, user.id, changeId, streamIds);
  await giveBacklog(context, client, { userId: user.id, streams: joined.streams, changeId });
  const effects = [accountEffect(user), ...membershipEffects('joined', joined.memberships)];
  await checkListRoom(client, context.lists, undefined, {
    lists: ['accounts', 'subscriptions'],
    texts: { accounts: { before: [], after: [user.email, user.deliveryEmail, user.fullName] } },
  });
  return {
    result: user,
    append: {
      entries: [
        entryForEveryone(
          [...personAdded(user, realm.settings), ...joined.events],
          effects,
          signUpNotices(realm, person.actorId ?? user.id, user),
        ),
      ],
      changeId,
      accountUserIds: [user.id],
    },
  };
}

/**
 * Creates a person, with events for everybody (reference facts, people 7.3) and a notice in the stream for sign-ups. Subscribes the person
 * to the default streams, whose recent messages the person then holds (reference facts, streams 8.4).
 *
 * @returns the new account
 * @throws ApiError with the first refusal of the reference facts, people 7.3; then nothing has changed
 */
export async function createPerson(
  context: Creation,
  caller: Caller,
  person: NewPerson,
): Promise<User> {
  const fullName = checkFullName(person.fullName);
  const email = person.email.trim();
  if (!isEmailShaped(email)) throw withoutCode('Bad name or username');
  await checkEmail(context.pool, await getRealm(context.pool), email);
  const { password } = person;
  if (password !== null && !(await isPasswordStrong(password, [fullName, email])))
    throw withoutCode('The password is too weak.');
  // Outside the transaction, because it takes long and needs no lock.
  const passwordHash = password === null ? null : await hashPassword(password);
  const shortName = person.shortName?.trim() ?? '';
  try {
    return await context.eventLog.transaction(async (client) => {
      const realm = await lockRealmInUse(client);
      await lockAdministrator(client, caller);
      await checkEmail(client, realm, email);
      const added = await addPerson(context, client, realm, {
        email,
        fullName,
        passwordHash,
        role: person.role,
        shortName,
        streamIds: [],
        actorId: caller.userId,
      });
      const { externalId } = person;
      if (externalId !== undefined) await setScimFacts(client, added.result.id, { externalId });
      return added;
    });
  } catch (error) {
    // Another request took the address between the check and the insertion.
    if (isUniqueViolation(error)) throw emailInUse(email);
    throw error;
  }
}

/** A notice in the stream that the organization chose for sign-ups (reference facts, events 18). */
function signUpNotices(realm: Realm, actorId: number, person: User): SideEffect[] {
  const streamId = realm.signupNotificationsStreamId;
  if (streamId === null) return [];
  return [
    {
      kind: 'signed-up-notice',
      target: streamId,
      actorId,
      personId: person.id,
    },
  ];
}

type Joined = {
  readonly streams: readonly Stream[];
  readonly memberships: readonly { readonly userId: number; readonly streamId: number }[];
  readonly events: readonly EventPart[];
};

/**
 * Subscribes a new person to these streams, or to the default streams. No event is made for the person, who has no queue yet and finds the
 * subscriptions at register.
 */
async function joinStreams(
  client: Client,
  userId: number,
  changeId: number,
  streamIds: readonly number[],
): Promise<Joined> {
  const isChosen = streamIds.length > 0;
  const wanted = isChosen ? streamIds : (await listDefaultStreams(client)).map(({ id }) => id);
  const locked = await lockStreams(client, { streamIds: wanted });
  const streams = locked.filter(
    (stream) => (isChosen || stream.isDefault) && !stream.isDeactivated,
  );
  const occupied = await findOccupiedStreams(
    client,
    streams.map(({ id }) => id),
  );
  const memberships = await subscribeToStreams(client, {
    userIds: [userId],
    streams: streams.map(({ id }) => ({ streamId: id })),
    changeId,
  });
  return {
    streams,
    memberships,
    events: joinEvents(memberships, streams, occupied),
  };
}

/**
 * Gives a new person the recent messages of the public streams that the person joins, most of them read (reference facts, streams 8.4).
 * Messages of private streams are held only from the join on.
 */
async function giveBacklog(
  context: Creation,
  client: Client,
  joined: {
    readonly userId: number;
    readonly streams: readonly Stream[];
    readonly changeId: number;
  },
): Promise<void> {
  const { userId, changeId } = joined;
  const open = joined.streams.filter(({ inviteOnly }) => !inviteOnly);
  const backlog = await findBacklog(
    client,
    open.map(({ id }) => id),
  );
  if (backlog === undefined) return;
  const { streamIds, first, readUpToId } = backlog;
  const fromChangeId = await context.eventLog.addChangeBefore(client, first);
  await openBacklog(client, { userId, streamIds, fromChangeId, joinChangeId: changeId });
  await clearWildcardMentions(client, userId, streamIds, first.id);
  if (readUpToId !== null) await setFirstStreamFloors(client, userId, streamIds, readUpToId);
}

function joinEvents(
  memberships: Joined['memberships'],
  streams: readonly Stream[],
  occupied: ReadonlySet<number>,
): EventPart[] {
  const newlyOccupied = streams.filter(({ id, inviteOnly }) => !inviteOnly && !occupied.has(id));
  const occupy: EventPart[] =
    newlyOccupied.length === 0
      ? []
      : [
          {
            form: 'same',
            // Not for guests, who do not see public streams that they are not in.
            audience: { to: 'members' },
            event: { type: 'stream', op: 'occupy', streams: newlyOccupied.map(streamJson) },
          },
        ];
  return [...occupy, ...peerEvents('peer_add', memberships, streams)];
}
