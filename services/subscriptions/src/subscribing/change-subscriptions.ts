import { checkListRoom } from '@parley/store/access';
import { notAllowedForGuests, withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import type { StreamEntry } from '@parley/api/streams';
import { lockStreams } from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';
import { joinStreams } from './join-streams.ts';
import type { JoinOptions, JoinOutcome } from './join-streams.ts';
import { leaveStreams } from './leave-streams.ts';
import type { LeaveOutcome } from './leave-streams.ts';
import { lockPeople, isOnlyCaller } from './principals.ts';
import type { Principal } from './principals.ts';
import { appendOf, checkLists } from './step.ts';
import { checkStreamNames, findDescriptionRoom, withDescriptions } from './stream-names.ts';
import type { NamedStream, StreamToJoin } from './stream-names.ts';

/**
 * POST, DELETE and PATCH users/me/subscriptions (contract, Streams; reference facts, streams 5): each is one transaction with one change.
 * PATCH has two changes, so that a person who joins and leaves the same stream is a member between them.
 */

export type SubscribeRequest = {
  readonly caller: Caller;
  readonly principals: readonly Principal[];
  readonly subscriptions: readonly StreamEntry[];
  readonly options: JoinOptions;
};

export type UnsubscribeRequest = {
  readonly caller: Caller;
  readonly principals: readonly Principal[];
  readonly streamNames: readonly string[];
};

/** Only an administrator may remove others (reference facts, streams 5.3). */
function checkMayRemove(
  role: Caller['role'],
  { caller, principals }: Pick<UnsubscribeRequest, 'caller' | 'principals'>,
): void {
  const concernsOthers = principals.length > 0 && !isOnlyCaller(principals, caller);
  if (concernsOthers && role !== 'administrator') {
    throw withoutCode('This action requires administrative rights');
  }
}

/** @throws ApiError for a guest, or if there is no room for the descriptions, before anything is made of them */
async function describe(
  context: SubscriptionsContext,
  caller: Caller,
  named: ReadonlyMap<string, NamedStream>,
): Promise<Map<string, StreamToJoin>> {
  if (caller.role === 'guest') throw notAllowedForGuests();
  return withDescriptions(context, named, () => findDescriptionRoom(context, caller, named));
}

/**
 * Subscribes people to streams, creating those that do not exist.
 *
 * @throws ApiError with the first refusal of the reference facts, streams 5.1; then nothing has changed
 */
export async function subscribePeople(
  context: SubscriptionsContext,
  request: SubscribeRequest,
): Promise<JoinOutcome> {
  checkLists(request.principals, request.subscriptions);
  const named = checkStreamNames(request.subscriptions);
  const wanted = await describe(context, request.caller, named);
  const traffic = await context.traffic.counts(context.pool);
  return context.eventLog.transaction(async (client) => {
    const people = await lockPeople(client, request.caller, request.principals);
    if (people.actor.role === 'guest') throw notAllowedForGuests();
    const changeId = await context.eventLog.drawChangeId(client);
    const joined = await joinStreams(context, client, {
      wanted,
      people,
      namesPeople: request.principals.length > 0,
      options: request.options,
      traffic,
      changeId,
    });
    await checkListRoom(client, context.lists, people.actor, joined.growth);
    return { result: joined.outcome, append: appendOf(joined, changeId) };
  });
}

/**
 * Unsubscribes people from streams.
 *
 * @throws ApiError with the first refusal of the reference facts, streams 5.3; then nothing has changed
 */
export async function unsubscribePeople(
  context: SubscriptionsContext,
  request: UnsubscribeRequest,
): Promise<LeaveOutcome> {
  checkLists(request.principals, request.streamNames);
  return context.eventLog.transaction(async (client) => {
    const people = await lockPeople(client, request.caller, request.principals);
    checkMayRemove(people.actor.role, request);
    const wanted = checkStreamNames(request.streamNames.map((name) => ({ name })));
    const changeId = await context.eventLog.drawChangeId(client);
    const left = await leaveStreams(client, { wanted, people, changeId });
    return { result: left.outcome, append: appendOf(left, changeId) };
  });
}

/**
 * Subscribes people to some streams, then unsubscribes them from others.
 *
 * @throws ApiError with the first refusal of either half (reference facts, streams 5.4); then nothing has changed
 */
export async function changeSubscriptions(
  context: SubscriptionsContext,
  request: SubscribeRequest & UnsubscribeRequest,
): Promise<JoinOutcome & LeaveOutcome> {
  const { caller, principals, subscriptions, streamNames } = request;
  if (subscriptions.length === 0 && streamNames.length === 0) {
    throw withoutCode('Nothing to do. Specify at least one of "add" or "delete".');
  }
  checkLists(principals, subscriptions, streamNames);
  const named = checkStreamNames(subscriptions);
  const toLeave = checkStreamNames(streamNames.map((name) => ({ name })));
  const toJoin = await describe(context, caller, named);
  const traffic = await context.traffic.counts(context.pool);
  return context.eventLog.transaction(async (client) => {
    const people = await lockPeople(client, caller, principals);
    if (people.actor.role === 'guest') throw notAllowedForGuests();
    // Both halves at once: streams are locked in the order of their ids.
    await lockStreams(client, { names: [...toJoin.keys(), ...toLeave.keys()] });
    const joinId = await context.eventLog.drawChangeId(client);
    const joined = await joinStreams(context, client, {
      wanted: toJoin,
      people,
      namesPeople: toJoin.size > 0 && principals.length > 0,
      options: request.options,
      traffic,
      changeId: joinId,
    });
    if (toLeave.size > 0) checkMayRemove(people.actor.role, request);
    const leaveId = await context.eventLog.drawChangeId(client);
    const left = await leaveStreams(client, { wanted: toLeave, people, changeId: leaveId });
    await checkListRoom(client, context.lists, people.actor, joined.growth);
    return {
      result: { ...joined.outcome, ...left.outcome },
      append: [...appendOf(joined, joinId), ...appendOf(left, leaveId)],
    };
  });
}
