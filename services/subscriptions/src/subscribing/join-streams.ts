import { checkMaySubscribeOthers, mayCreateStreams, maySubscribeTo } from '@parley/store/access';
import type { Growth } from '@parley/store/access';
import { badRequest, foldName, tooManyNewStreams, withoutCode } from '@parley/api';
import type { AnswerOf } from '@parley/api';
import type { addSubscriptionsEndpoint } from '@parley/api/streams';
import { composeFirstMessages, composeOpenings, firstMessagesMax } from '@parley/composing';
import type { LogEffect, SendItem } from '@parley/event-log';
import type { Client } from '@parley/database';
import {
  createStreams,
  findAbandonedStreams,
  findMemberships,
  findOccupiedStreams,
  findStreamById,
  getRealm,
  lockStreams,
  subscribeToStreams,
} from '@parley/store';
import type { Realm, Stream, User } from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';
import { textsOf } from '../streams/description.ts';
import { joinEvents } from './join-events.ts';
import { joinNotices } from './join-notices.ts';
import { createdIds } from './joining.ts';
import type { Joining, WantedStream } from './joining.ts';
import type { LockedPeople } from './principals.ts';
import { checkSize } from './step.ts';
import type { Step } from './step.ts';
import type { StreamToJoin } from './stream-names.ts';

/** The options of a join besides names and people (reference facts, streams 5.1). */
export type JoinOptions = {
  readonly inviteOnly: boolean;
  readonly isAnnouncementOnly: boolean;
  readonly historyPublicToSubscribers: boolean | null;
  readonly announce: boolean;
  readonly authorizationErrorsFatal: boolean;
};

export type JoinOutcome = AnswerOf<typeof addSubscriptionsEndpoint>;

export type JoinRequest = {
  /** By folded name, in the order of the request. */
  readonly wanted: ReadonlyMap<string, StreamToJoin>;
  readonly people: LockedPeople;
  /** Whether the request names people; then the caller needs permission to subscribe others. */
  readonly namesPeople: boolean;
  readonly options: JoinOptions;
  /** Messages of the last 28 days by stream. */
  readonly traffic: ReadonlyMap<number, number>;
  readonly changeId: number;
};

/**
 * Subscribes people to streams in a transaction of the caller, creating those that do not exist.
 *
 * @returns with what it adds to lists, for which the caller checks at the end that there is room
 * @throws ApiError with the first refusal of the reference facts, streams 5.1
 */
export async function joinStreams(
  context: SubscriptionsContext,
  client: Client,
  request: JoinRequest,
): Promise<Step<JoinOutcome> & { readonly growth: Growth }> {
  const { people, options, changeId } = request;
  const { actor } = people;
  const realm = await getRealm(client);
  const { authorized, unauthorized, openedIds } = await findOrCreateStreams(
    context,
    client,
    request,
    realm,
  );
  if (request.namesPeople) checkMaySubscribeOthers(actor, realm.settings, context.clock.nowMs());
  const targets = people.getTargets();
  checkSize(targets.length, request.wanted.size);
  // The last refusal: only a caller who could have created the stream learns that its name is taken.
  const [firstUnauthorized] = unauthorized;
  if (options.authorizationErrorsFatal && firstUnauthorized !== undefined) {
    throw withoutCode(`Unable to access stream (${firstUnauthorized}).`);
  }
  const streamIds = authorized.map(({ stream }) => stream.id);
  const occupiedBefore = await findOccupiedStreams(client, streamIds);
  const memberships = await subscribeToStreams(client, {
    userIds: targets.map((target) => target.id),
    streams: authorized.map(({ stream, wanted }) => ({
      streamId: stream.id,
      color: wanted.colors.get(stream.name),
    })),
    changeId,
  });
  const byStream = Map.groupBy(memberships, ({ streamId }) => streamId);
  const joinings = authorized.map((entry): Joining => ({
    ...entry,
    members: byStream.get(entry.stream.id) ?? [],
  }));
  const outcome: JoinOutcome = {
    ...subscriptionMaps(targets, joinings),
    ...(!options.authorizationErrorsFatal && { unauthorized }),
  };
  const joined = joinings.filter(({ members, isNew }) => isNew || members.length > 0);
  if (joined.length === 0) return { outcome, change: undefined, growth: {} };
  const { traffic } = request;
  return {
    outcome,
    growth: growthOf(joined),
    change: {
      effects: joined.map(({ stream, members }): LogEffect => ({
        effect: 'joined',
        streamId: stream.id,
        userIds: members.map((member) => member.userId),
      })),
      events: joinEvents({
        targets,
        joined,
        occupiedBefore,
        traffic,
        nowMs: context.clock.nowMs(),
      }),
      sideEffects: joinNotices({
        actor,
        targets,
        joined,
        notifiesPeople: request.namesPeople,
        announcementStreamId: options.announce
          ? await findNotificationsStreamId(client, realm)
          : undefined,
      }),
    },
    messages: await joinMessages(context, client, { actor, joined, openedIds, changeId }),
  };
}

function growthOf(joined: readonly Joining[]): Growth {
  const created = joined.filter(({ isNew }) => isNew);
  const subscriptions = joined.reduce((sum, { members }) => sum + members.length, 0);
  return {
    lists: [
      ...(created.length > 0 ? (['streams'] as const) : []),
      ...(subscriptions > 0 ? (['subscriptions'] as const) : []),
    ],
    texts: { streams: { before: [], after: created.flatMap(({ stream }) => textsOf(stream)) } },
    made: { streams: created.length, subscriptions },
  };
}

/** The first messages of new streams, and the notices in private ones that an administrator opened. */
async function joinMessages(
  context: SubscriptionsContext,
  client: Client,
  join: {
    readonly actor: User;
    readonly joined: readonly Joining[];
    readonly openedIds: ReadonlySet<number>;
    readonly changeId: number;
  },
): Promise<SendItem[]> {
  const { actor, joined, openedIds, changeId } = join;
  const notices = {
    clock: context.clock,
    actor,
    realmFacts: context.realmFacts,
    realmUri: context.publicUrl,
  };
  const created = createdIds(joined).slice(0, firstMessagesMax);
  const opened = joined.map(({ stream }) => stream.id).filter((id) => openedIds.has(id));
  return [
    ...(await composeFirstMessages(client, { ...notices, streamIds: created })),
    ...(await composeOpenings(client, { ...notices, streamIds: opened, changeId })),
  ];
}

async function findNotificationsStreamId(
  client: Client,
  realm: Realm,
): Promise<number | undefined> {
  if (realm.notificationsStreamId === null) return undefined;
  const stream = await findStreamById(client, realm.notificationsStreamId);
  return stream === undefined || stream.isDeactivated ? undefined : stream.id;
}

type FoundStreams = {
  readonly authorized: readonly WantedStream[];
  /** Streams that the caller may not join, as spelled in the request. */
  readonly unauthorized: string[];
  /** Private streams that the caller enters from outside. */
  readonly openedIds: ReadonlySet<number>;
};

type Joinable = { readonly open: Map<string, Stream>; readonly openedIds: Set<number> };

/** The streams that the caller may join, by folded name, and those of them that are private and that the caller is outside of. */
async function joinable(
  client: Client,
  actor: User,
  streams: readonly Stream[],
): Promise<Joinable> {
  const ids = streams.map(({ id }) => id);
  const memberships = await findMemberships(client, actor.id, ids);
  const closed = streams.filter(({ id, inviteOnly }) => inviteOnly && !memberships.has(id));
  const abandoned = await findAbandonedStreams(
    client,
    closed.map(({ id }) => id),
  );
  const allowed = streams.filter((stream) =>
    maySubscribeTo(actor, stream, memberships.has(stream.id), abandoned.has(stream.id)),
  );
  return {
    open: new Map(allowed.map((stream) => [foldName(stream.name), stream])),
    openedIds: new Set(allowed.map(({ id }) => id).filter((id) => abandoned.has(id))),
  };
}

async function findOrCreateStreams(
  context: SubscriptionsContext,
  client: Client,
  { wanted, people: { actor }, options }: JoinRequest,
  realm: Realm,
): Promise<FoundStreams> {
  const found = await lockStreams(client, { names: [...wanted.keys()] });
  const { open, openedIds } = await joinable(client, actor, found);
  // A stream that is closed to the caller counts as one to create.
  const absent = wanted.size - open.size;
  if (absent > 0) {
    if (!mayCreateStreams(actor, realm.settings, context.clock.nowMs())) {
      throw badRequest('User cannot create streams.');
    }
    if (options.isAnnouncementOnly && actor.role !== 'administrator') {
      throw badRequest('User cannot create a stream with these settings.');
    }
    const max = context.newStreamsPerRequestMax;
    if (absent > max && actor.role !== 'administrator') throw tooManyNewStreams(max);
  }
  const taken = new Set(found.map(({ name }) => foldName(name)));
  // All requests insert names in one order, so that two requests for the same new streams cannot deadlock.
  const missing = [...wanted]
    .filter(([folded]) => !taken.has(folded))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const created = await createStreams(
    client,
    missing.map(([, { name, description, renderedDescription }]) => ({
      name,
      description,
      renderedDescription: renderedDescription ?? context.renderDescription(description),
      inviteOnly: options.inviteOnly,
      isAnnouncementOnly: options.isAnnouncementOnly,
      historyPublicToSubscribers: options.historyPublicToSubscribers,
      creatorId: actor.id,
    })),
  );
  const own = new Map(created.map((stream) => [foldName(stream.name), stream]));
  // Streams that another request created since the look-up are existing streams.
  const others = missing.map(([folded]) => folded).filter((folded) => !own.has(folded));
  if (others.length > 0) {
    const theirs = await lockStreams(client, { names: others });
    const late = await joinable(client, actor, theirs);
    for (const [folded, stream] of late.open) open.set(folded, stream);
    for (const id of late.openedIds) openedIds.add(id);
  }
  const authorized: WantedStream[] = [];
  const unauthorized: string[] = [];
  for (const [folded, entry] of wanted) {
    const stream = own.get(folded) ?? open.get(folded);
    if (stream === undefined) unauthorized.push(entry.name);
    else authorized.push({ stream, wanted: entry, isNew: own.has(folded) });
  }
  return { authorized, unauthorized, openedIds };
}

function subscriptionMaps(
  targets: readonly User[],
  joinings: readonly Joining[],
): Pick<JoinOutcome, 'subscribed' | 'already_subscribed'> {
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
