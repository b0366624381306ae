import { badRequest, withoutCode } from '@parley/api';
import type { Caller, Role } from '@parley/api';
import type { Queryable } from '@parley/database';
import {
  findMemberships,
  findStreamById,
  findStreamByName,
  isMember,
  mayReadStream,
  maySeeStream,
} from '../index.ts';
import { streamPolicies } from '@parley/api/organization';
import type { RealmSettings } from '@parley/api/organization';
import type { Stream, StreamSources, User } from '../index.ts';

/**
 * Who may do what with a stream (reference facts, streams 10.1). A refused stream looks exactly like one that does not exist.
 */

export { maySeeStream, mayReadStream, sharesHistory } from '../index.ts';

type Actor = { readonly role: Role };

/**
 * Joining a stream, or adding others. Outside a private stream only administrators may, and only if nobody is left in it who could add
 * somebody (decision 0078).
 *
 * @param isAbandoned whether its members are all guests, or gone (`findAbandonedStreams`)
 */
export function maySubscribeTo(
  actor: Actor,
  stream: Stream,
  isMemberNow: boolean,
  isAbandoned: boolean,
): boolean {
  if (actor.role === 'guest') return false;
  const mayOpen = isAbandoned && maySeeStream(actor, stream, isMemberNow);
  return mayOpen || mayReadStream(actor, stream, isMemberNow);
}

/**
 * Finds a stream that the caller may read.
 *
 * @param which a stream's id, or its trimmed name in any letter case
 * @returns undefined when there is none or the caller may not read it
 */
export async function findReadableStream(
  db: Queryable,
  caller: Pick<Caller, 'userId' | 'role'>,
  which: { readonly streamId: number } | { readonly name: string },
): Promise<Stream | undefined> {
  const stream =
    'streamId' in which
      ? await findStreamById(db, which.streamId)
      : await findStreamByName(db, which.name);
  if (stream === undefined) return undefined;
  return mayReadStream(caller, stream, await isMember(db, caller.userId, stream.id))
    ? stream
    : undefined;
}

/** @returns those of the streams that the caller may read, in their order */
export async function filterReadableStreams(
  db: Queryable,
  caller: Pick<Caller, 'userId' | 'role'>,
  streams: readonly Stream[],
): Promise<Stream[]> {
  const ids = streams.map(({ id }) => id);
  const memberOf = await findMemberships(db, caller.userId, ids);
  return streams.filter((stream) => mayReadStream(caller, stream, memberOf.has(stream.id)));
}

/**
 * @returns the stream of this id
 * @throws ApiError `Invalid stream id` when there is none or the caller may not read it
 */
export async function getReadableStream(
  db: Queryable,
  caller: Pick<Caller, 'userId' | 'role'>,
  streamId: number,
): Promise<Stream> {
  const stream = await findReadableStream(db, caller, { streamId });
  if (stream === undefined) throw badRequest('Invalid stream id');
  return stream;
}

/** The flags of GET streams. */
export type StreamListFlags = {
  readonly includePublic: boolean;
  readonly includeSubscribed: boolean;
  readonly includeAllActive: boolean;
  readonly includeDefault: boolean;
  readonly includeOwnerSubscribed: boolean;
};

/**
 * Decides what GET streams may list for a caller (contract, GET streams; reference facts, streams 4.1).
 *
 * @throws ApiError `User not authorized for this query` if anybody but an administrator asks for all active streams
 */
export function checkStreamSources(
  caller: Pick<Caller, 'userId' | 'role' | 'botType' | 'botOwnerId'>,
  flags: StreamListFlags,
): StreamSources {
  if (flags.includeAllActive && caller.role !== 'administrator') {
    throw badRequest('User not authorized for this query');
  }
  const isGuest = caller.role === 'guest';
  const subscriberIds = flags.includeSubscribed ? [caller.userId] : [];
  if (flags.includeOwnerSubscribed && caller.botType !== null && caller.botOwnerId !== null) {
    subscriberIds.push(caller.botOwnerId);
  }
  return {
    allActive: flags.includeAllActive,
    public: flags.includePublic && !isGuest,
    defaultsOf: flags.includeDefault ? caller.userId : null,
    subscriberIds,
  };
}

const dayMs = 86_400_000;

type PolicyActor = Pick<User, 'role' | 'dateJoined'>;

function isPastWaitingPeriod(
  account: PolicyActor,
  settings: RealmSettings,
  nowMs: number,
): boolean {
  const days = Math.floor((nowMs - Date.parse(account.dateJoined)) / dayMs);
  return days >= settings.waiting_period_threshold;
}

function isAllowedBy(
  policy: number,
  account: PolicyActor,
  settings: RealmSettings,
  nowMs: number,
): boolean {
  if (account.role === 'administrator') return true;
  if (account.role === 'guest' || policy === streamPolicies.administrators) return false;
  return (
    policy !== streamPolicies.afterWaitingPeriod || isPastWaitingPeriod(account, settings, nowMs)
  );
}

/** @returns whether the account may create streams under the organization's policy */
export function mayCreateStreams(
  account: PolicyActor,
  settings: RealmSettings,
  nowMs: number,
): boolean {
  return isAllowedBy(settings.create_stream_policy, account, settings, nowMs);
}

/** @returns whether the account may subscribe others under the organization's policy */
export function maySubscribeOthers(
  account: PolicyActor,
  settings: RealmSettings,
  nowMs: number,
): boolean {
  return isAllowedBy(settings.invite_to_stream_policy, account, settings, nowMs);
}

/**
 * Refuses accounts that may not subscribe others.
 *
 * @throws ApiError without a code, naming the policy (reference facts, streams 5.1, step 6)
 */
export function checkMaySubscribeOthers(
  account: PolicyActor,
  settings: RealmSettings,
  nowMs: number,
): void {
  if (maySubscribeOthers(account, settings, nowMs)) return;
  throw withoutCode(
    settings.invite_to_stream_policy === streamPolicies.afterWaitingPeriod
      ? "Your account is too new to modify other users' subscriptions."
      : "Only administrators can modify other users' subscriptions.",
  );
}
