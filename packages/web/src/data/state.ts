/**
 * What the client knows of its organization: signals that views read. It begins with the answer to `register`; after that only the reducers
 * of `reducers/` write to it, one for each type of event.
 */
import { foldName } from '@parley/api/fold';
import { batch, computed, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { AnswerOf, ParametersOf } from '@parley/client';

import { partnersOf, topicKey } from './narrow.ts';
import { groupUnread, readUnread } from './unread.ts';
import type { Unread, UnreadConversation } from './unread.ts';

export type Registered = Required<AnswerOf<'POST /register'>>;

export type Message = AnswerOf<'GET /messages'>['messages'][number];

export type Person = Registered['realm_users'][number] & { readonly isActive: boolean };
export type Stream = Registered['streams'][number];
export type Subscription = Omit<Registered['subscriptions'][number], 'subscribers'>;
export type UserGroup = Registered['realm_user_groups'][number];

/** Parts of the answer to `register` that are known in another form, in which their events change them. */
export const convertedNames = [
  'realm_users',
  'realm_non_active_users',
  'cross_realm_bots',
  'streams',
  'subscriptions',
  'unsubscribed',
  'never_subscribed',
  'muted_topics',
  'starred_messages',
  'presences',
  'user_status',
  'recent_private_conversations',
  'unread_msgs',
  'max_message_id',
] as const;

/** The other parts, as `register` answers them. */
export type Rest = Omit<Registered, (typeof convertedNames)[number]>;

/** The organization's properties, under the names of `register`. */
export type Realm = {
  readonly [Name in keyof Rest as Name extends `realm_${string}` ? Name : never]: Rest[Name];
};

/** The person's settings of display and notifications, under the names of `register`. */
export type Settings = Pick<
  Rest,
  keyof Rest &
    (
      | 'enter_sends'
      | keyof ParametersOf<'PATCH /settings/display'>
      | keyof ParametersOf<'PATCH /settings/notifications'>
    )
>;

/** What `register` says of the person besides. */
export type Self = Omit<Rest, keyof Realm | keyof Settings>;

export type Report = { readonly status: 'active' | 'idle'; readonly timestamp: number };
/** Values that change by events. Another tab can take them as they are. */
export type Known = {
  readonly rest: Rest;
  /** Everybody, deactivated people and bots too, by id. */
  readonly people: ReadonlyMap<number, Person>;
  /** Streams that the person may see, by id. */
  readonly streams: ReadonlyMap<number, Stream>;
  /** Those of them that the person subscribes to. */
  readonly subscriptions: ReadonlyMap<number, Subscription>;
  /** Names of other streams that messages are from: archived ones, and those that the person may no longer see. */
  readonly formerStreams: ReadonlyMap<number, string>;
  /** Ids of subscribers by stream, of the streams whose subscribers the person may see. */
  readonly subscribers: ReadonlyMap<number, ReadonlySet<number>>;
  /** Keys of muted topics, see `topicKey`. */
  readonly mutedTopics: ReadonlySet<string>;
  /** The newest report of each person, by address, with its status at that time. */
  readonly reported: ReadonlyMap<string, Report>;
  /** The time that presences are judged at, seconds since 1970; it advances now and then. */
  readonly nowSecs: number;
  readonly statuses: ReadonlyMap<number, Registered['user_status'][string]>;
  /** Who is typing in which private conversation, by `conversationKey`; ends by itself. */
  readonly typing: ReadonlyMap<string, ReadonlySet<number>>;
  readonly unread: Unread;
  /** The people of private conversations as `Conversation` names them, those with the newest messages first. */
  readonly recentPrivate: readonly (readonly number[])[];
  readonly maxMessageId: number;
  /** Grows whenever a list may have changed that the settings read by themselves: invitations, exports. */
  readonly listsVersion: number;
};

type Signals = { readonly [Name in keyof Known]: Signal<Known[Name]> };

export type State = Signals & {
  readonly known: ReadonlySignal<Known>;
  readonly self: ReadonlySignal<Self>;
  readonly settings: ReadonlySignal<Settings>;
  readonly realm: ReadonlySignal<Realm>;
  readonly activePeople: ReadonlySignal<readonly Person[]>;
  /** See `groupUnread`. */
  readonly unreadConversations: ReadonlySignal<ReadonlyMap<string, UnreadConversation>>;
};

/** The reports of an answer with the presence of everybody. */
export function reportsOf(presences: Registered['presences']): Known['reported'] {
  return new Map(Object.entries(presences).map(([email, { aggregated }]) => [email, aggregated]));
}

/** @param muted lists of stream name, topic and time */
export function mutedTopicKeys(
  muted: Registered['muted_topics'],
  streams: Known['streams'],
): Known['mutedTopics'] {
  const ids = new Map([...streams].map(([id, { name }]) => [foldName(name), id]));
  const keys = muted.flatMap(([name, topic]) => {
    const streamId = ids.get(foldName(name));
    return streamId === undefined ? [] : [topicKey(streamId, topic)];
  });
  return new Set(keys);
}

/** Who subscribes changes by itself. */
export function withoutSubscribers<Whole extends { readonly subscribers?: unknown }>(
  whole: Whole,
): Omit<Whole, 'subscribers'> {
  const { subscribers: _, ...others } = whole;
  return others;
}

export function byId<Item extends { readonly stream_id: number }>(
  streams: readonly Item[],
): ReadonlyMap<number, Item> {
  return new Map(streams.map((stream) => [stream.stream_id, stream]));
}

function readPeople(registered: Registered): Known['people'] {
  const everybody: readonly Person[] = [
    ...registered.realm_users.map((user) => ({ ...user, isActive: true })),
    ...registered.realm_non_active_users.map((user) => ({ ...user, isActive: false })),
    ...registered.cross_realm_bots.map((bot) => ({
      ...bot,
      is_guest: false,
      bot_owner_id: null,
      isActive: true,
    })),
  ];
  return new Map(everybody.map((person) => [person.user_id, person]));
}

function readStreams(
  registered: Registered,
): Pick<Known, 'streams' | 'subscriptions' | 'subscribers' | 'mutedTopics'> {
  const listed = [
    ...registered.never_subscribed,
    ...registered.unsubscribed,
    ...registered.subscriptions,
  ];
  const streams = byId([...registered.streams, ...listed.map(withoutSubscribers)]);
  return {
    streams,
    subscriptions: byId(registered.subscriptions.map(withoutSubscribers)),
    subscribers: new Map(
      listed.flatMap(({ stream_id, subscribers }) =>
        subscribers === undefined ? [] : [[stream_id, new Set(subscribers)] as const],
      ),
    ),
    mutedTopics: mutedTopicKeys(registered.muted_topics, streams),
  };
}

/** What is known after a `register` for everything. */
export function readRegistered(registered: Registered): Known {
  const converted: ReadonlySet<string> = new Set(convertedNames);
  const { user_id } = registered;
  return {
    ...readStreams(registered),
    rest: Object.fromEntries(
      Object.entries(registered).filter(([name]) => !converted.has(name)),
    ) as Rest,
    formerStreams: new Map(),
    people: readPeople(registered),
    reported: reportsOf(registered.presences),
    nowSecs: Date.now() / 1000,
    statuses: new Map(
      Object.entries(registered.user_status).map(([id, status]) => [Number(id), status]),
    ),
    typing: new Map(),
    unread: readUnread(registered.unread_msgs, user_id),
    recentPrivate: registered.recent_private_conversations
      .toSorted((one, other) => other.max_message_id - one.max_message_id)
      .map(({ user_ids }) => partnersOf([...user_ids, user_id], user_id)),
    maxMessageId: registered.max_message_id,
    listsVersion: Date.now(),
  };
}

export function createState(known: Known): State {
  const signals = Object.fromEntries(
    Object.entries(known).map(([name, value]) => [name, signal<unknown>(value)]),
  ) as Signals;
  const { rest, people, unread, subscriptions, mutedTopics } = signals;
  return {
    ...signals,
    known: computed(
      () =>
        Object.fromEntries(
          Object.entries(signals).map(([name, part]) => [name, part.value]),
        ) as Known,
    ),
    self: rest,
    settings: rest,
    realm: rest,
    activePeople: computed(() =>
      [...people.value.values()]
        .filter(({ isActive, is_bot }) => isActive && !is_bot)
        .toSorted((one, other) => one.full_name.localeCompare(other.full_name)),
    ),
    unreadConversations: computed(() => groupUnread(unread.value, { subscriptions, mutedTopics })),
  };
}

/** Replaces what is known by what the server answered, or another tab knows. */
export function replaceKnown(state: State, known: Partial<Known>): void {
  batch(() => {
    for (const [name, value] of Object.entries(known)) {
      const part: Signal<unknown> = state[name as keyof Known];
      part.value = value;
    }
  });
}
