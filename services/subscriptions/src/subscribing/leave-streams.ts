import { maySeeStream } from '@parley/store/access';
import { foldName, streamsDoNotExist } from '@parley/api';
import type { AnswerOf } from '@parley/api';
import type { removeSubscriptionsEndpoint } from '@parley/api/streams';
import type { EventPart, LogEffect } from '@parley/event-log';
import type { Client } from '@parley/database';
import { occupancyEvents } from '@parley/store/objects';
import {
  findMemberships,
  findOccupiedStreams,
  lockReadState,
  lockStreams,
  unsubscribe,
} from '@parley/store';
import type { Membership, Stream, User } from '@parley/store';

import { endStreams } from '../streams/end-streams.ts';
import type { Leaving } from './joining.ts';
import type { LockedPeople } from './principals.ts';
import { markStreamsRead } from './read-on-leaving.ts';
import { checkSize } from './step.ts';
import type { Step } from './step.ts';
import type { NamedStream } from './stream-names.ts';

export type LeaveOutcome = AnswerOf<typeof removeSubscriptionsEndpoint>;

/**
 * Unsubscribes people from streams in a transaction of the caller. A private stream that loses its last member is deactivated
 * (reference facts, streams 10.3), and unread messages become read.
 *
 * @throws ApiError `STREAM_DOES_NOT_EXIST` naming the missing streams, and for a principal without an active account
 */
export async function leaveStreams(
  client: Client,
  request: {
    /** By folded name, in the order of the request. */
    readonly wanted: ReadonlyMap<string, NamedStream>;
    readonly people: LockedPeople;
    readonly changeId: number;
  },
): Promise<Step<LeaveOutcome>> {
  const { wanted, people, changeId } = request;
  const streams = await lockWantedStreams(client, wanted);
  const targets = people.getTargets();
  checkSize(targets.length, streams.length);
  const shownNames = await findVisibleNames(client, people.actor, streams, wanted);
  const left = await unsubscribe(client, {
    userIds: targets.map((target) => target.id),
    streamIds: streams.map((stream) => stream.id),
    changeId,
  });
  const outcome = outcomeOf(targets, streams, left, shownNames);
  if (left.length === 0) return { outcome, change: undefined };
  const byStream = Map.groupBy(left, ({ streamId }) => streamId);
  const losses = streams.flatMap((stream): Leaving[] => {
    const userIds = byStream.get(stream.id)?.map(({ userId }) => userId);
    return userIds === undefined ? [] : [{ stream, userIds }];
  });
  const emptied = await emptyStreams(client, losses, changeId);
  const leaverIds = [...new Set(left.map(({ userId }) => userId))];
  await lockReadState(client, leaverIds);
  return {
    outcome,
    change: {
      effects: losses.map(({ stream, userIds }): LogEffect => ({
        effect: 'left',
        streamId: stream.id,
        userIds,
      })),
      events: [
        ...removeEvents(losses),
        ...peerEvents(losses),
        ...emptied,
        ...(await markStreamsRead(client, streams, leaverIds, changeId)),
      ],
    },
  };
}

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

/** A caller from whom a stream is hidden learns that its name is taken, but not its spelling. */
async function findVisibleNames(
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
      const isHidden = !maySeeStream(actor, stream, memberships.has(stream.id));
      const requestedName = wanted.get(foldName(stream.name))?.name;
      return [stream.id, isHidden && requestedName !== undefined ? requestedName : stream.name];
    }),
  );
}

function outcomeOf(
  targets: readonly User[],
  streams: readonly Stream[],
  left: readonly Membership[],
  names: ReadonlyMap<number, string>,
): LeaveOutcome {
  const leftStreamIdsByUser = new Map<number, Set<number>>();
  for (const { userId, streamId } of left) {
    const known = leftStreamIdsByUser.get(userId);
    if (known === undefined) leftStreamIdsByUser.set(userId, new Set([streamId]));
    else known.add(streamId);
  }
  const removed: string[] = [];
  const kept: string[] = [];
  for (const target of targets) {
    for (const stream of streams) {
      const name = names.get(stream.id) ?? stream.name;
      (leftStreamIdsByUser.get(target.id)?.has(stream.id) === true ? removed : kept).push(name);
    }
  }
  return { removed, not_subscribed: kept, not_removed: kept };
}

/** One event per leaver with all streams left; people who left the same streams share one. */
function removeEvents(losses: readonly Leaving[]): EventPart[] {
  const streamsByUser = new Map<number, Stream[]>();
  for (const { stream, userIds } of losses) {
    for (const userId of userIds) {
      const known = streamsByUser.get(userId);
      if (known === undefined) streamsByUser.set(userId, [stream]);
      else known.push(stream);
    }
  }
  const alike = Map.groupBy(streamsByUser, ([, streams]) =>
    streams.map((stream) => stream.id).join(),
  );
  return [...alike.values()].map((people) => ({
    form: 'same',
    audience: { to: 'users', userIds: people.map(([userId]) => userId) },
    event: {
      type: 'subscription',
      op: 'remove',
      subscriptions: (people[0]?.[1] ?? []).map((stream) => ({
        name: stream.name,
        stream_id: stream.id,
      })),
    },
  }));
}

function peerEvents(losses: readonly Leaving[]): EventPart[] {
  return losses.map(({ stream, userIds }) => ({
    form: 'peers',
    op: 'peer_remove',
    streamId: stream.id,
    streamName: stream.name,
    inviteOnly: stream.inviteOnly,
    userIds,
    to: 'list-holders',
  }));
}

/**
 * Makes the events of public streams without members, and deactivates private streams without members (reference facts, streams 8.2 and
 * 10.3).
 */
async function emptyStreams(
  client: Client,
  losses: readonly Leaving[],
  changeId: number,
): Promise<EventPart[]> {
  const occupied = await findOccupiedStreams(
    client,
    losses.map(({ stream }) => stream.id),
  );
  const empty = losses.map(({ stream }) => stream).filter((stream) => !occupied.has(stream.id));
  const ended = empty.filter((stream) => stream.inviteOnly);
  // Nobody else can see them now, and the people who left know that they existed.
  const ending = await endStreams(client, ended, changeId, {
    audienceOf: () => ({ to: 'administrators' }),
    asBefore: false,
  });
  return [...occupancyEvents('vacate', empty), ...ending];
}
