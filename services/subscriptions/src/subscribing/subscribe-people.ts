import { checkMaySubscribeOthers, mayCreateStreams, maySubscribeTo } from '@parley/access';
import { badRequest, foldName, notAllowedForGuests, withoutCode } from '@parley/contracts';
import type { Caller, EventPart, LogEffect } from '@parley/contracts';
import type { Client } from '@parley/database';
import {
  createStream,
  findMemberships,
  findOccupiedStreams,
  getRealm,
  lockStreams,
  streamJson,
  subscribe,
  subscriptionJson,
} from '@parley/store';
import type { NewMember, Realm, Stream, SubscriptionJson, User } from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';
import { layOutEntries } from './lay-out-entries.ts';
import { lockPeople } from './principals.ts';
import type { Principal } from './principals.ts';
import { checkStreamNames } from './stream-names.ts';
import type { NamedStream } from './stream-names.ts';

/** POST users/me/subscriptions (contract, Streams; reference facts, streams 5.1): one transaction, all or nothing. */

export type SubscribeRequest = {
  readonly caller: Caller;
  readonly subscriptions: readonly NamedStream[];
  readonly principals: readonly Principal[];
  readonly inviteOnly: boolean;
  readonly isAnnouncementOnly: boolean;
  readonly historyPublicToSubscribers: boolean | null;
  readonly authorizationErrorsFatal: boolean;
};

export type SubscribeOutcome = {
  readonly subscribed: Record<string, string[]>;
  readonly already_subscribed: Record<string, string[]>;
  readonly unauthorized?: string[];
};

/** A stream of the request that exists by now. */
type WantedStream = {
  readonly stream: Stream;
  readonly wanted: NamedStream;
  readonly isNew: boolean;
};

type Joining = WantedStream & { readonly members: readonly NewMember[] };

/**
 * Subscribes people to streams, creating those that do not exist.
 *
 * @throws ApiError with the first refusal of the reference facts, streams 5.1; then nothing has changed
 */
export async function subscribePeople(
  context: SubscriptionsContext,
  request: SubscribeRequest,
): Promise<SubscribeOutcome> {
  const wanted = checkStreamNames(request.subscriptions);
  const traffic = await context.traffic.counts(context.pool);
  return context.eventLog.transaction(async (client) => {
    const people = await lockPeople(client, request.caller, request.principals);
    const { actor } = people;
    if (actor.role === 'guest') throw notAllowedForGuests();
    const realm = await getRealm(client);
    const streams = await findOrCreateStreams(context, client, request, { actor, realm, wanted });
    const { authorized, unauthorized } = await authorize(client, actor, streams);
    const [firstUnauthorized] = unauthorized;
    if (request.authorizationErrorsFatal && firstUnauthorized !== undefined) {
      throw withoutCode(`Unable to access stream (${firstUnauthorized}).`);
    }
    if (request.principals.length > 0) {
      checkMaySubscribeOthers(actor, realm.settings, context.nowMs());
    }
    const targets = people.getTargets();
    const occupiedBefore = await findOccupiedStreams(
      client,
      authorized.map(({ stream }) => stream.id),
    );
    const changeId = await context.eventLog.drawChangeId(client);
    const joinings: Joining[] = [];
    for (const entry of authorized) {
      const members = await subscribe(client, {
        userIds: targets.map((target) => target.id),
        streamId: entry.stream.id,
        color: entry.wanted.name === entry.stream.name ? entry.wanted.color : undefined,
        changeId,
      });
      joinings.push({ ...entry, members });
    }
    const result: SubscribeOutcome = {
      ...subscriptionMaps(targets, joinings),
      ...(!request.authorizationErrorsFatal && { unauthorized }),
    };
    const joined = joinings.filter(({ members, isNew }) => isNew || members.length > 0);
    if (joined.length === 0) return { result };
    const parts = joinEvents({ targets, joined, occupiedBefore, traffic, nowMs: context.nowMs() });
    const effects = joined.map(({ stream, members }): LogEffect => ({
      effect: 'joined',
      streamId: stream.id,
      userIds: members.map((member) => member.userId),
    }));
    return { result, append: { entries: layOutEntries(effects, parts), changeId } };
  });
}

async function findOrCreateStreams(
  context: SubscriptionsContext,
  client: Client,
  request: SubscribeRequest,
  given: {
    readonly actor: User;
    readonly realm: Realm;
    readonly wanted: ReadonlyMap<string, NamedStream>;
  },
): Promise<WantedStream[]> {
  const { actor, realm, wanted } = given;
  const found = await lockStreams(client, { names: [...wanted.keys()] });
  const streams = new Map(found.map((stream) => [foldName(stream.name), { stream, isNew: false }]));
  // Everybody inserts names in one order, so that two requests for the same new streams wait for one another only one way.
  const missing = [...wanted.keys()].filter((folded) => !streams.has(folded)).toSorted();
  if (missing.length > 0) {
    if (!mayCreateStreams(actor, realm.settings, context.nowMs())) {
      throw badRequest('User cannot create streams.');
    }
    if (request.isAnnouncementOnly && actor.role !== 'administrator') {
      throw badRequest('User cannot create a stream with these settings.');
    }
  }
  for (const folded of missing) {
    const entry = wanted.get(folded);
    if (entry === undefined) continue;
    const description = (entry.description ?? '').replaceAll(/\r\n|\r|\n/g, ' ');
    const created = await createStream(client, {
      name: entry.name,
      description,
      renderedDescription: context.renderDescription(description),
      inviteOnly: request.inviteOnly,
      isAnnouncementOnly: request.isAnnouncementOnly,
      historyPublicToSubscribers: request.historyPublicToSubscribers,
      creatorId: actor.id,
    });
    // Another request created the stream since it was looked for: then it is an existing one.
    const stream = created ?? (await lockStreams(client, { names: [entry.name] }))[0];
    if (stream === undefined) throw new Error('a stream name is taken by no stream');
    streams.set(folded, { stream, isNew: created !== undefined });
  }
  return [...wanted].flatMap(([folded, entry]) => {
    const stream = streams.get(folded);
    return stream === undefined ? [] : [{ ...stream, wanted: entry }];
  });
}

/** Splits off the streams that the caller may not join; these are named as the caller spelled them. */
async function authorize(
  client: Client,
  actor: User,
  streams: readonly WantedStream[],
): Promise<{ authorized: WantedStream[]; unauthorized: string[] }> {
  const memberships = await findMemberships(
    client,
    actor.id,
    streams.map(({ stream }) => stream.id),
  );
  const authorized: WantedStream[] = [];
  const unauthorized: string[] = [];
  for (const entry of streams) {
    if (entry.isNew || maySubscribeTo(actor, entry.stream, memberships.has(entry.stream.id))) {
      authorized.push(entry);
    } else unauthorized.push(entry.wanted.name);
  }
  return { authorized, unauthorized };
}

function subscriptionMaps(
  targets: readonly User[],
  joinings: readonly Joining[],
): { subscribed: Record<string, string[]>; already_subscribed: Record<string, string[]> } {
  const newMembers = joinings.map(({ members }) => new Set(members.map((member) => member.userId)));
  const subscribed: [string, string[]][] = [];
  const already: [string, string[]][] = [];
  for (const target of targets) {
    const joinedNames: string[] = [];
    const heldNames: string[] = [];
    for (const [n, { stream }] of joinings.entries()) {
      (newMembers[n]?.has(target.id) === true ? joinedNames : heldNames).push(stream.name);
    }
    if (joinedNames.length > 0) subscribed.push([target.email, joinedNames]);
    if (heldNames.length > 0) already.push([target.email, heldNames]);
  }
  return {
    subscribed: Object.fromEntries(subscribed),
    already_subscribed: Object.fromEntries(already),
  };
}

/** The events of the change, in the order of the reference facts, streams 11.3. */
function joinEvents(change: {
  readonly targets: readonly User[];
  readonly joined: readonly Joining[];
  readonly occupiedBefore: ReadonlySet<number>;
  readonly traffic: ReadonlyMap<number, number>;
  readonly nowMs: number;
}): EventPart[] {
  const { joined } = change;
  const created = joined
    .filter(({ isNew }) => isNew)
    .map(({ stream }): EventPart => ({
      form: 'same',
      audience: { to: stream.inviteOnly ? 'administrators' : 'members' },
      event: { type: 'stream', op: 'create', streams: [streamJson(stream)] },
    }));
  const occupied = joined
    .filter(
      ({ stream, members }) =>
        !stream.inviteOnly && members.length > 0 && !change.occupiedBefore.has(stream.id),
    )
    .map(({ stream }) => streamJson(stream));
  const occupy: EventPart[] =
    occupied.length === 0
      ? []
      : [
          {
            form: 'same',
            audience: { to: 'everyone' },
            event: { type: 'stream', op: 'occupy', streams: occupied },
          },
        ];
  return [
    ...created,
    ...occupy,
    ...revealEvents(change),
    ...addEvents(change),
    ...peerEvents(joined),
  ];
}

/** A private stream is made known to each new member who did not already know of it as an administrator. */
function revealEvents(change: {
  readonly targets: readonly User[];
  readonly joined: readonly Joining[];
}): EventPart[] {
  const administrators = new Set(
    change.targets.filter((target) => target.role === 'administrator').map((target) => target.id),
  );
  return change.joined.flatMap(({ stream, members }): EventPart[] => {
    const userIds = members
      .map((member) => member.userId)
      .filter((userId) => !administrators.has(userId));
    if (!stream.inviteOnly || userIds.length === 0) return [];
    return [
      {
        form: 'same',
        audience: { to: 'users', userIds },
        event: { type: 'stream', op: 'create', streams: [streamJson(stream)] },
      },
    ];
  });
}

function addEvents(change: {
  readonly joined: readonly Joining[];
  readonly traffic: ReadonlyMap<number, number>;
  readonly nowMs: number;
}): EventPart[] {
  const byUser = new Map<number, SubscriptionJson[]>();
  for (const { stream, members } of change.joined) {
    const recentMessages = change.traffic.get(stream.id) ?? 0;
    for (const member of members) {
      const subscription = subscriptionJson(stream, member, recentMessages, change.nowMs / 1000);
      const known = byUser.get(member.userId);
      if (known === undefined) byUser.set(member.userId, [subscription]);
      else known.push(subscription);
    }
  }
  return [...byUser].map(([userId, subscriptions]) => ({
    form: 'subscription-add',
    userId,
    subscriptions,
  }));
}

function peerEvents(joined: readonly Joining[]): EventPart[] {
  return joined
    .filter(({ members }) => members.length > 0)
    .map(({ stream, members }) => ({
      form: 'peers',
      op: 'peer_add',
      streamId: stream.id,
      streamName: stream.name,
      inviteOnly: stream.inviteOnly,
      userIds: members.map((member) => member.userId),
    }));
}
