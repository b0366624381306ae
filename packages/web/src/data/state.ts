/**
 * What the client knows of its organization: signals that views read. It begins with the answer to `register`; after that only the reducers
 * of `reducers/` write to it, one for each type of event.
 */
import { batch, computed, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { AnswerOf } from '@parley/client';

import { partnersOf } from './narrow.ts';
import { createUnread } from './unread.ts';
import type { Unread, UnreadSnapshot } from './unread.ts';

export type Registered = Required<AnswerOf<'POST /register'>>;

export type Message = AnswerOf<'GET /messages'>['messages'][number];
export type StreamMessage = Extract<Message, { readonly type: 'stream' }>;
export type PrivateMessage = Extract<Message, { readonly type: 'private' }>;

export type Person = Registered['realm_users'][number] & { readonly isActive: boolean };
export type Stream = Registered['streams'][number];
export type Subscription = Omit<Registered['subscriptions'][number], 'subscribers'>;
export type UserGroup = Registered['realm_user_groups'][number];
export type RealmEmoji = Registered['realm_emoji'][string];

/** Parts of the answer to `register` that have signals of their own, under which their events change them. */
const ownSignals = [
  'realm_users',
  'realm_non_active_users',
  'cross_realm_bots',
  'realm_user_groups',
  'streams',
  'subscriptions',
  'unsubscribed',
  'never_subscribed',
  'muted_topics',
  'alert_words',
  'starred_messages',
  'presences',
  'user_status',
  'recent_private_conversations',
  'unread_msgs',
  'max_message_id',
] as const;

/** The other parts. */
export type Rest = Omit<Registered, (typeof ownSignals)[number]>;

type MembersNamed<Prefix extends string> = {
  readonly [Name in keyof Rest as Name extends `${Prefix}${string}` ? Name : never]: Rest[Name];
};

/** The organization's properties, under the names of `register`. */
export type Realm = MembersNamed<'realm_'>;

const ownNames = [
  'user_id',
  'email',
  'delivery_email',
  'full_name',
  'avatar_url',
  'avatar_source',
  'is_admin',
  'is_guest',
  'can_create_streams',
  'can_subscribe_other_users',
] as const;
export type Self = Pick<Registered, (typeof ownNames)[number]>;

const settingNames = [
  'enter_sends',
  'default_language',
  'demote_inactive_streams',
  'dense_mode',
  'emojiset',
  'fluid_layout_width',
  'high_contrast_mode',
  'left_side_userlist',
  'night_mode',
  'starred_message_counts',
  'translate_emoticons',
  'twenty_four_hour_time',
  'timezone',
  'enable_desktop_notifications',
  'enable_digest_emails',
  'enable_login_emails',
  'enable_offline_email_notifications',
  'enable_offline_push_notifications',
  'enable_online_push_notifications',
  'enable_sounds',
  'enable_stream_desktop_notifications',
  'enable_stream_email_notifications',
  'enable_stream_push_notifications',
  'enable_stream_audible_notifications',
  'wildcard_mentions_notify',
  'message_content_in_email_notifications',
  'notification_sound',
  'pm_content_in_desktop_notifications',
  'desktop_icon_count_display',
  'realm_name_in_notifications',
] as const;
/** The person's settings of display and notifications, under the names of `register`. */
export type Settings = Pick<Registered, (typeof settingNames)[number]>;

export type Presence = {
  readonly status: 'active' | 'idle' | 'offline';
  readonly timestamp: number;
};

export type State = {
  readonly self: ReadonlySignal<Self>;
  readonly settings: ReadonlySignal<Settings>;
  readonly realm: ReadonlySignal<Realm>;
  /** Everybody, deactivated people and bots too, by id. */
  readonly people: Signal<ReadonlyMap<number, Person>>;
  readonly groups: Signal<readonly UserGroup[]>;
  /** Streams that the person may see, by id. */
  readonly streams: Signal<ReadonlyMap<number, Stream>>;
  /** Those of them that the person subscribes to. */
  readonly subscriptions: Signal<ReadonlyMap<number, Subscription>>;
  /** Ids of subscribers by stream, of the streams whose subscribers the person may see. */
  readonly subscribers: Signal<ReadonlyMap<number, ReadonlySet<number>>>;
  /** Keys of muted topics, see `topicKey`. */
  readonly mutedTopics: Signal<ReadonlySet<string>>;
  readonly alertWords: Signal<readonly string[]>;
  readonly starred: Signal<ReadonlySet<number>>;
  /** The newest report of each person, by address, with its status at that time. */
  readonly reported: Signal<ReadonlyMap<string, Report>>;
  /** The time that presences are judged at, seconds since 1970; it advances now and then. */
  readonly nowSecs: Signal<number>;
  /** What the reports say now, by address. */
  readonly presences: ReadonlySignal<ReadonlyMap<string, Presence>>;
  readonly statuses: Signal<ReadonlyMap<number, Registered['user_status'][string]>>;
  /** Who is typing in which private conversation, by `conversationKey`; ends by itself. */
  readonly typing: Signal<ReadonlyMap<string, ReadonlySet<number>>>;
  readonly unread: Unread;
  /** The people of private conversations as `Conversation` names them, those with the newest messages first. */
  readonly recentPrivate: Signal<readonly (readonly number[])[]>;
  /** The greatest id of a message when the queue was registered. */
  readonly maxMessageId: Signal<number>;
  /** The parts of `register` without a signal of their own. */
  readonly rest: Signal<Rest>;
  readonly activePeople: ReadonlySignal<readonly Person[]>;
};

function pick<Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  names: readonly Name[],
): Pick<Whole, Name> {
  return Object.fromEntries(names.map((name) => [name, whole[name]])) as Pick<Whole, Name>;
}

export function topicKey(streamId: number, topic: string): string {
  return `${streamId}/${topic.toLowerCase()}`;
}

/** A report older than this means offline: people report every minute. */
export const offlineAfterSecs = 140;

export type Report = { readonly status: 'active' | 'idle'; readonly timestamp: number };

export function presenceOf({ status, timestamp }: Report | Presence, nowSecs: number): Presence {
  return { status: nowSecs - timestamp < offlineAfterSecs ? status : 'offline', timestamp };
}

/** The reports of an answer with the presence of everybody. */
export function reportsOf(presences: Registered['presences']): ReadonlyMap<string, Report> {
  return new Map(Object.entries(presences).map(([email, { aggregated }]) => [email, aggregated]));
}

function byId<Item, Id>(items: readonly Item[], idOf: (item: Item) => Id): Map<Id, Item> {
  return new Map(items.map((item) => [idOf(item), item]));
}

function realmOf(rest: Rest): Realm {
  return Object.fromEntries(
    Object.entries(rest).filter(([name]) => name.startsWith('realm_')),
  ) as Realm;
}

export function restOf(registered: Registered): Rest {
  const own: ReadonlySet<string> = new Set(ownSignals);
  return Object.fromEntries(Object.entries(registered).filter(([name]) => !own.has(name))) as Rest;
}

function mutedTopicsOf(registered: Registered): ReadonlySet<string> {
  const ids = new Map(
    [...registered.subscriptions, ...registered.streams].map(({ name, stream_id }) => [
      name.toLowerCase(),
      stream_id,
    ]),
  );
  return mutedTopicKeys(registered.muted_topics, (name) => ids.get(name.toLowerCase()));
}

/** Muted topics come as lists of stream name, topic and time. */
export function mutedTopicKeys(
  listed: readonly (readonly unknown[])[],
  streamIdOf: (name: string) => number | undefined,
): ReadonlySet<string> {
  const keys = listed.flatMap(([name, topic]) => {
    const streamId = streamIdOf(String(name));
    return streamId === undefined ? [] : [topicKey(streamId, String(topic))];
  });
  return new Set(keys);
}

/** Replaces everything by the answer to a `register` with `registerParameters`. */
export function fillState(state: State, registered: Registered): void {
  batch(() => {
    state.rest.value = restOf(registered);
    fillPeople(state, registered);
    fillStreams(state, registered);
    state.alertWords.value = registered.alert_words;
    state.starred.value = new Set(registered.starred_messages);
    state.typing.value = new Map();
    state.recentPrivate.value = registered.recent_private_conversations
      .toSorted((one, other) => other.max_message_id - one.max_message_id)
      .map(({ user_ids }) => partnersOf([...user_ids, registered.user_id], registered.user_id));
    state.unread.fill(registered.unread_msgs, registered.user_id);
    state.maxMessageId.value = registered.max_message_id;
  });
}

function fillPeople(state: State, registered: Registered): void {
  state.people.value = byId(
    [
      ...registered.realm_users.map((user) => ({ ...user, isActive: true })),
      ...registered.realm_non_active_users.map((user) => ({ ...user, isActive: false })),
      ...registered.cross_realm_bots.map((bot) => ({
        ...bot,
        is_guest: false,
        bot_owner_id: null,
        isActive: true,
      })),
    ],
    ({ user_id }) => user_id,
  );
  state.groups.value = registered.realm_user_groups;
  state.reported.value = reportsOf(registered.presences);
  state.nowSecs.value = Date.now() / 1000;
  state.statuses.value = new Map(
    Object.entries(registered.user_status).map(([id, status]) => [Number(id), status]),
  );
}

const streamNames = [
  'stream_id',
  'name',
  'description',
  'rendered_description',
  'invite_only',
  'is_web_public',
  'is_announcement_only',
  'history_public_to_subscribers',
  'first_message_id',
] as const;

/** What a subscription or another listing says of its stream. */
export function toStream(listed: Stream): Stream {
  return pick(listed, streamNames);
}

/** Who subscribes changes by itself, under `State.subscribers`. */
export function withoutSubscribers<Whole extends { readonly subscribers?: unknown }>(
  whole: Whole,
): Omit<Whole, 'subscribers'> {
  const { subscribers: _, ...others } = whole;
  return others;
}

function fillStreams(state: State, registered: Registered): void {
  const subscriptions = registered.subscriptions.map(withoutSubscribers);
  const known = [
    ...registered.streams,
    ...registered.never_subscribed,
    ...registered.unsubscribed,
    ...subscriptions,
  ];
  state.streams.value = byId(known.map(toStream), ({ stream_id }) => stream_id);
  state.subscriptions.value = byId(subscriptions, ({ stream_id }) => stream_id);
  state.subscribers.value = new Map(
    [
      ...registered.never_subscribed,
      ...registered.unsubscribed,
      ...registered.subscriptions,
    ].flatMap(({ stream_id, subscribers }) =>
      subscribers === undefined ? [] : [[stream_id, new Set(subscribers)] as const],
    ),
  );
  state.mutedTopics.value = mutedTopicsOf(registered);
}

const snapshotNames = [
  'rest',
  'people',
  'groups',
  'streams',
  'subscriptions',
  'subscribers',
  'mutedTopics',
  'alertWords',
  'starred',
  'reported',
  'nowSecs',
  'statuses',
  'typing',
  'recentPrivate',
  'maxMessageId',
] as const;

/** The whole state as values, which another tab of the browser can take. */
export type Snapshot = {
  readonly [Name in (typeof snapshotNames)[number]]: State[Name]['value'];
} & { readonly unread: UnreadSnapshot };

export function snapshotOf(state: State): Snapshot {
  const values = snapshotNames.map((name) => [name, state[name].peek()]);
  return {
    ...(Object.fromEntries(values) as Omit<Snapshot, 'unread'>),
    unread: state.unread.snapshot(),
  };
}

/** Replaces everything by what another tab has. */
export function restoreState(state: State, snapshot: Snapshot): void {
  batch(() => {
    for (const name of snapshotNames) {
      const part: Signal<unknown> = state[name];
      part.value = snapshot[name];
    }
    state.unread.restore(snapshot.unread);
  });
}

/** A state with these parts and nothing else: see `fillState` and `restoreState`. */
export function createState(initial: Rest): State {
  const rest: State['rest'] = signal(initial);
  const people: State['people'] = signal(new Map());
  const reported: State['reported'] = signal(new Map());
  const nowSecs = signal(0);
  return {
    rest,
    self: computed(() => pick(rest.value, ownNames)),
    settings: computed(() => pick(rest.value, settingNames)),
    realm: computed(() => realmOf(rest.value)),
    people,
    groups: signal([]),
    streams: signal(new Map()),
    subscriptions: signal(new Map()),
    subscribers: signal(new Map()),
    mutedTopics: signal(new Set()),
    alertWords: signal([]),
    starred: signal(new Set()),
    reported,
    nowSecs,
    presences: computed(
      () =>
        new Map(
          [...reported.value].map(([email, report]) => [email, presenceOf(report, nowSecs.value)]),
        ),
    ),
    statuses: signal(new Map()),
    typing: signal(new Map()),
    unread: createUnread(),
    recentPrivate: signal([]),
    maxMessageId: signal(-1),
    activePeople: computed(() =>
      [...people.value.values()]
        .filter(({ isActive, is_bot }) => isActive && !is_bot)
        .toSorted((one, other) => one.full_name.localeCompare(other.full_name)),
    ),
  };
}
