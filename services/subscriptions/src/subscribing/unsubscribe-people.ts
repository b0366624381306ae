import { mayListMembers } from '@parley/access';
import { foldName, streamsDoNotExist, withoutCode } from '@parley/contracts';
import type { Caller, EventPart, LogEffect } from '@parley/contracts';
import type { Client } from '@parley/database';
import {
  closeStreamMemberships,
  deactivateStream,
  findMemberships,
  findOccupiedStreams,
  listDefaultStreams,
  lockReadState,
  lockStreams,
  setStreamFloorsAtChange,
  streamJson,
  unsubscribe,
} from '@parley/store';
import type { Membership, Stream, User } from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';
import { layOutEntries } from './lay-out-entries.ts';
import { lockPeople, namesOnlyCaller } from './principals.ts';
import type { Principal } from './principals.ts';
import { checkStreamNames } from './stream-names.ts';
import type { NamedStream } from './stream-names.ts';

/** DELETE users/me/subscriptions (contract, Streams; reference facts, streams 5.3): one transaction, all or nothing. */

export type UnsubscribeOutcome = {
  readonly removed: string[];
  readonly not_subscribed: string[];
  readonly not_removed: string[];
};

/**
 * Unsubscribes people from streams. A private stream that loses its last member is deactivated (reference facts, streams 10.3).
 *
 * @throws ApiError with the first refusal of the reference facts, streams 5.3; then nothing has changed
 */
export async function unsubscribePeople(
  context: SubscriptionsContext,
  request: {
    readonly caller: Caller;
    readonly streamNames: readonly string[];
    readonly principals: readonly Principal[];
  },
): Promise<UnsubscribeOutcome> {
  const { caller, principals } = request;
  const concernsOthers = principals.length > 0 && !namesOnlyCaller(principals, caller);
  return context.eventLog.transaction(async (client) => {
    const people = await lockPeople(client, caller, principals);
    if (concernsOthers && people.actor.role !== 'administrator') {
      throw withoutCode('This action requires administrative rights');
    }
    const wanted = checkStreamNames(request.streamNames.map((name) => ({ name })));
    const streams = await lockWantedStreams(client, wanted);
    const targets = people.getTargets();
    const streamIds = streams.map((stream) => stream.id);
    const shownNames = await namesShownTo(client, people.actor, streams, wanted);
    const changeId = await context.eventLog.drawChangeId(client);
    const left = await unsubscribe(client, {
      userIds: targets.map((target) => target.id),
      streamIds,
      changeId,
    });
    const result = outcomeOf(targets, streams, left, shownNames);
    if (left.length === 0) return { result };
    const losses = streams
      .map((stream) => ({
        stream,
        userIds: left.filter(({ streamId }) => streamId === stream.id).map(({ userId }) => userId),
      }))
      .filter(({ userIds }) => userIds.length > 0);
    const emptied = await emptyStreams(client, losses, changeId);
    const unread = await markLeftStreamsRead(client, losses, changeId);
    const effects = losses.map(({ stream, userIds }): LogEffect => ({
      effect: 'left',
      streamId: stream.id,
      userIds,
    }));
    const parts = [...removeEvents(losses), ...peerEvents(losses), ...emptied, ...unread];
    return { result, append: { entries: layOutEntries(effects, parts), changeId } };
  });
}

type Loss = { readonly stream: Stream; readonly userIds: readonly number[] };

/** @returns the live streams in the order of the request */
async function lockWantedStreams(
  client: Client,
  wanted: ReadonlyMap<string, NamedStream>,
): Promise<Stream[]> {
  const found = await lockStreams(client, { names: [...wanted.keys()] });
  const live = new Map(
    found
      .filter((stream) => !stream.isDeactivated)
      .map((stream) => [foldName(stream.name), stream]),
  );
  const [firstMissing, ...otherMissing] = [...wanted]
    .filter(([folded]) => !live.has(folded))
    .map(([, { name }]) => name);
  if (firstMissing !== undefined) throw streamsDoNotExist([firstMissing, ...otherMissing]);
  return [...wanted.keys()].flatMap((folded) => live.get(folded) ?? []);
}

/** Whoever a stream is hidden from learns that its name is taken, but not how it is spelled. */
async function namesShownTo(
  client: Client,
  actor: User,
  streams: readonly Stream[],
  wanted: ReadonlyMap<string, NamedStream>,
): Promise<Map<number, string>> {
  const memberships = await findMemberships(
    client,
    actor.id,
    streams.map((stream) => stream.id),
  );
  return new Map(
    streams.map((stream) => {
      const isHidden = !mayListMembers(actor, stream, memberships.has(stream.id));
      const asked = wanted.get(foldName(stream.name))?.name;
      return [stream.id, isHidden && asked !== undefined ? asked : stream.name];
    }),
  );
}

function outcomeOf(
  targets: readonly User[],
  streams: readonly Stream[],
  left: readonly Membership[],
  names: ReadonlyMap<number, string>,
): UnsubscribeOutcome {
  const pairs = new Set(left.map(({ userId, streamId }) => `${userId} ${streamId}`));
  const removed: string[] = [];
  const kept: string[] = [];
  for (const target of targets) {
    for (const stream of streams) {
      const name = names.get(stream.id) ?? stream.name;
      (pairs.has(`${target.id} ${stream.id}`) ? removed : kept).push(name);
    }
  }
  return { removed, not_subscribed: kept, not_removed: kept };
}

/** One event for each leaver with all that this person left; who left the same shares one. */
function removeEvents(losses: readonly Loss[]): EventPart[] {
  const streamsByUser = new Map<number, Stream[]>();
  for (const { stream, userIds } of losses) {
    for (const userId of userIds) {
      const known = streamsByUser.get(userId);
      if (known === undefined) streamsByUser.set(userId, [stream]);
      else known.push(stream);
    }
  }
  const groups = new Map<string, { streams: Stream[]; userIds: number[] }>();
  for (const [userId, streams] of streamsByUser) {
    const key = streams.map((stream) => stream.id).join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { streams, userIds: [userId] });
    else group.userIds.push(userId);
  }
  return [...groups.values()].map(({ streams, userIds }) => ({
    form: 'same',
    audience: { to: 'users', userIds },
    event: {
      type: 'subscription',
      op: 'remove',
      subscriptions: streams.map((stream) => ({ name: stream.name, stream_id: stream.id })),
    },
  }));
}

function peerEvents(losses: readonly Loss[]): EventPart[] {
  return losses.map(({ stream, userIds }) => ({
    form: 'peers',
    op: 'peer_remove',
    streamId: stream.id,
    streamName: stream.name,
    inviteOnly: stream.inviteOnly,
    userIds,
  }));
}

/** Tells of public streams without members, and deactivates private ones (reference facts, streams 8.2 and 10.3). */
async function emptyStreams(
  client: Client,
  losses: readonly Loss[],
  changeId: number,
): Promise<EventPart[]> {
  const occupied = await findOccupiedStreams(
    client,
    losses.map(({ stream }) => stream.id),
  );
  const empty = losses.map(({ stream }) => stream).filter((stream) => !occupied.has(stream.id));
  const parts: EventPart[] = [];
  const vacated = empty.filter((stream) => !stream.inviteOnly);
  if (vacated.length > 0) {
    parts.push({
      form: 'same',
      audience: { to: 'everyone' },
      event: { type: 'stream', op: 'vacate', streams: vacated.map(streamJson) },
    });
  }
  const ended = empty.filter((stream) => stream.inviteOnly);
  for (const stream of ended) {
    await closeStreamMemberships(client, stream.id, changeId);
    await deactivateStream(client, stream);
  }
  if (ended.some((stream) => stream.isDefault)) {
    const defaults = await listDefaultStreams(client);
    parts.push({
      form: 'same',
      audience: { to: 'members' },
      event: { type: 'default_streams', default_streams: defaults.map(streamJson) },
    });
  }
  for (const stream of ended) {
    parts.push({
      form: 'same',
      // Nobody else is left who could see it.
      audience: { to: 'administrators' },
      event: { type: 'stream', op: 'delete', streams: [streamJson(stream)] },
    });
  }
  return parts;
}

/** Everything in a stream is read for whoever leaves it (reference facts, streams 5.3; events 11.4). */
async function markLeftStreamsRead(
  client: Client,
  losses: readonly Loss[],
  changeId: number,
): Promise<EventPart[]> {
  await lockReadState(
    client,
    losses.flatMap(({ userIds }) => userIds),
  );
  const parts: EventPart[] = [];
  for (const { stream, userIds } of losses) {
    const unread = await setStreamFloorsAtChange(client, userIds, stream.id, changeId);
    const withoutUnread = userIds.filter((userId) => (unread.get(userId) ?? []).length === 0);
    if (withoutUnread.length > 0) parts.push(readEvent(withoutUnread, []));
    for (const [userId, messageIds] of unread) {
      if (messageIds.length > 0) parts.push(readEvent([userId], messageIds));
    }
  }
  return parts;
}

function readEvent(userIds: readonly number[], messageIds: readonly number[]): EventPart {
  return {
    form: 'same',
    audience: { to: 'users', userIds },
    event: {
      type: 'update_message_flags',
      operation: 'add',
      op: 'add',
      flag: 'read',
      messages: messageIds,
      all: false,
    },
  };
}
