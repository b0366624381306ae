/**
 * What register returns for each fetch type (reference facts, events 4). All of it is read in one REPEATABLE READ transaction with
 * the head of the log, so state and later events together are complete. Concurrent registers share that transaction. Data that does not
 * depend on the person is read once, and its JSON is made once for all who see the same. JSON that rarely changes is kept for later
 * registers (`KeptState`).
 */
import { mayCreateStreams, maySubscribeOthers } from '@parley/store/access';
import { limits } from '@parley/api';
import type { FetchType, FetchedState, RegisterState } from '@parley/api/events';
import type { UserObject } from '@parley/api/people';
import { webhookIntegrations } from '@parley/api/webhooks';
import type { Queryable, SnapshotReads } from '@parley/database';
import type { KeySecrets } from '@parley/auth/secrets';
import type { ListForMembers, UserJsonOptions } from '@parley/store/objects';
import type { StreamTraffic, User, VersionedTable } from '@parley/store';
import {
  avatarUrl,
  crossRealmBotJson,
  draftJson,
  linkifierJson,
  profileFieldJson,
  readDefaultStreamGroups,
  readDefaultStreams,
  realmBotJson,
  realmBotSecrets,
  realmEmojiJson,
  realmUserJson,
  scheduledMessageJson,
  userGroupJson,
  userJsonOptions,
} from '@parley/store/objects';
import {
  displaySettings,
  getRealm,
  listAlertWords,
  listBots,
  listDeferredMessages,
  listDrafts,
  listLinkifiers,
  listMutedTopics,
  listProfileFields,
  listProfiles,
  listRealmEmoji,
  listRecentConversations,
  listStarred,
  listUserGroups,
  listUserStatuses,
  listUsers,
  newestReceivedMessageId,
  nextHotspots,
  notificationSettings,
  profileFieldTypes,
  readBotDetails,
  searchStopWords,
  unreadState,
  userSettings,
} from '@parley/store';

import { JsonText, KeptText, SecretText } from './json-text.ts';
import type { PartlyText } from './json-text.ts';
import type { KeptReads } from './kept-state.ts';
import type { ReadMembers } from './member-lists.ts';
import { presenceState } from './presence-state.ts';
import type { NewestPresence } from './presence-state.ts';
import { readDomainState, readRealmState } from './realm-state.ts';
import type { ServerFacts } from './realm-state.ts';
import { describeStreams, readSubscriptionState, streamListText } from './stream-state.ts';
import type { DescribedStream } from './stream-state.ts';

export type StateRequest = {
  readonly user: User;
  readonly clientGravatar: boolean;
  readonly includeSubscribers: boolean;
  /** The client knows null notification settings (reference facts, events 3.1). */
  readonly nullSettings: boolean;
  readonly traffic: StreamTraffic;
  readonly nowMs: number;
  readonly kept: KeptReads;
  readonly openMembers: () => Promise<ReadMembers>;
  /** For the keys of bots, which owners and administrators see. */
  readonly keySecrets: KeySecrets;
  readonly server: ServerFacts;
  readonly newestPresence: NewestPresence;
};

type Fetched<Type extends FetchType> = PartlyText<FetchedState<Type>>;

type StateReader<Type extends FetchType> = (
  database: SnapshotReads,
  request: StateRequest,
) => Promise<Fetched<Type>>;

/** The state of several fetch types. */
export type InitialState = PartlyText<RegisterState>;

/** The part that is the same for all readers with the same options. */
async function peopleState(
  database: Queryable,
  options: UserJsonOptions,
): Promise<
  Pick<Fetched<'realm_user'>, 'realm_users' | 'realm_non_active_users' | 'cross_realm_bots'>
> {
  const users = await listUsers(database);
  const systemBots = await listUsers(database, { system: 'only' });
  const seen = { ...options, profiles: await listProfiles(database) };
  const listed = (isActive: boolean): JsonText<UserObject[]> =>
    KeptText.of(
      users
        .filter((other) => other.isActive === isActive)
        .map((other) => realmUserJson(other, seen)),
    );
  return {
    realm_users: listed(true),
    realm_non_active_users: listed(false),
    cross_realm_bots: KeptText.of(systemBots.map(crossRealmBotJson)),
  };
}

/**
 * @param name of a part that is the same for everybody
 * @param tables all that is read
 */
function sameForAll<Value>(
  { kept }: StateRequest,
  name: string,
  tables: readonly VersionedTable[],
  read: () => Promise<Value>,
): Promise<JsonText<Value>> {
  return kept.read(name, tables, async () => KeptText.of(await read()));
}

async function realmUserState(
  database: SnapshotReads,
  request: StateRequest,
): Promise<Fetched<'realm_user'>> {
  const { user, clientGravatar, nowMs, kept } = request;
  const realm = await getRealm(database);
  const options = userJsonOptions(user, realm.settings, { clientGravatar });
  const people = await kept.read(
    `people ${JSON.stringify(options)}`,
    ['users', 'custom_profile_values'],
    () => peopleState(database, options),
  );
  return {
    ...people,
    avatar_source: user.avatarSource,
    avatar_url: avatarUrl(user),
    avatar_url_medium: avatarUrl(user, 'medium'),
    user_id: user.id,
    email: user.email,
    delivery_email: user.deliveryEmail,
    full_name: user.fullName,
    is_admin: user.role === 'administrator',
    is_guest: user.role === 'guest',
    enter_sends: userSettings(user).enter_sends,
    can_create_streams: mayCreateStreams(user, realm.settings, nowMs),
    can_subscribe_other_users: maySubscribeOthers(user, realm.settings, nowMs),
  };
}

/** Human administrators see every bot, others only their own (reference facts, events 4). */
async function botState(
  database: Queryable,
  { user, keySecrets }: StateRequest,
): Promise<Fetched<'realm_bot'>> {
  const seesAll = user.role === 'administrator' && user.botType === null;
  const bots = await listBots(database, seesAll ? undefined : user.id);
  const details = await readBotDetails(database, keySecrets, bots);
  return {
    realm_bots: SecretText.of(
      details.map((bot) => ({
        ...realmBotJson(bot),
        ...realmBotSecrets(bot),
        owner: bot.owner?.email ?? null,
      })),
    ),
  };
}

function describedStreams(
  database: Queryable,
  { kept }: StateRequest,
): Promise<readonly DescribedStream[]> {
  return kept.read('described streams', ['streams', 'stream_first_messages'], () =>
    describeStreams(database),
  );
}

async function streamState(database: Queryable, request: StateRequest): Promise<Fetched<'stream'>> {
  const streams = describedStreams(database, request);
  return {
    streams: new JsonText(await streamListText(database, request.user, streams)),
    stream_name_max_length: limits.streamNameMaxCodePoints,
    stream_description_max_length: limits.streamDescriptionMaxCodePoints,
  };
}

async function subscriptionState(
  database: Queryable,
  request: StateRequest,
): Promise<Fetched<'subscription'>> {
  const lists = await readSubscriptionState(
    database,
    request.user,
    describedStreams(database, request),
    {
      traffic: request.traffic,
      openMembers: request.openMembers,
      nowSecs: request.nowMs / 1_000,
      includeSubscribers: request.includeSubscribers,
      nullSettings: request.nullSettings,
    },
  );
  return {
    subscriptions: new JsonText(lists.subscriptions),
    unsubscribed: new JsonText(lists.unsubscribed),
    never_subscribed: new JsonText(lists.never_subscribed),
  };
}

/** @returns the part of a list that an account sees: nothing for guests, and private streams only for administrators */
function shownTo<Item>(user: User, list: ListForMembers<Item>): readonly Item[] {
  if (user.role === 'guest') return [];
  return user.role === 'administrator' ? list.forAdministrators : list.forPlainMembers;
}

/** The level of the interface that clients find here. */
const interfaceVersion = '2.1.4';

const readers: { readonly [Type in FetchType]: StateReader<Type> } = {
  alert_words: async (database, { user }) => ({
    alert_words: await listAlertWords(database, user.id),
  }),
  custom_profile_fields: async (database, request) => ({
    custom_profile_fields: await sameForAll(
      request,
      'custom_profile_fields',
      ['custom_profile_fields'],
      async () => (await listProfileFields(database)).map(profileFieldJson),
    ),
    custom_profile_field_types: profileFieldTypes,
  }),
  default_streams: async (database, { user, kept }) => ({
    realm_default_streams: shownTo(
      user,
      await kept.read('default streams', ['streams', 'stream_first_messages'], () =>
        readDefaultStreams(database),
      ),
    ),
  }),
  default_stream_groups: async (database, { user, kept }) => ({
    realm_default_stream_groups: shownTo(
      user,
      await kept.read(
        'default stream groups',
        ['default_stream_groups', 'streams', 'stream_first_messages'],
        () => readDefaultStreamGroups(database),
      ),
    ),
  }),
  message: async (database, { user }) => ({
    max_message_id: (await newestReceivedMessageId(database, user.id)) ?? -1,
  }),
  muted_topics: async (database, { user }) => ({
    muted_topics: await listMutedTopics(database, user.id),
  }),
  pointer: async (_database, { user }) => ({ pointer: user.pointer }),
  realm: (database, { server, kept }) =>
    kept.read('realm', ['realm', 'streams'], () => readRealmState(database, server)),
  presence: (database, { newestPresence: newest, kept, nowMs }) =>
    database.once('presence', () => presenceState(database, { newest, kept, nowMs })),
  realm_bot: botState,
  // This server runs no embedded bots.
  realm_embedded_bots: async () => ({ realm_embedded_bots: [] }),
  realm_incoming_webhook_bots: async () => ({
    realm_incoming_webhook_bots: webhookIntegrations.map((name) => ({ name, config: {} })),
  }),
  realm_domains: (database, { kept }) =>
    kept.read('realm_domains', ['realm_domains'], () => readDomainState(database)),
  hotspots: async (_database, { user }) => ({ hotspots: nextHotspots(user) }),
  realm_emoji: async (database, request) => ({
    realm_emoji: await sameForAll(request, 'realm_emoji', ['realm_emoji', 'users'], async () =>
      realmEmojiJson(await listRealmEmoji(database)),
    ),
  }),
  realm_filters: async (database, request) => ({
    realm_filters: await sameForAll(request, 'realm_filters', ['linkifiers'], async () =>
      (await listLinkifiers(database)).map(linkifierJson),
    ),
  }),
  realm_user: realmUserState,
  realm_user_groups: async (database, request) => ({
    realm_user_groups: await sameForAll(
      request,
      'realm_user_groups',
      ['user_groups', 'user_group_members'],
      async () => (await listUserGroups(database)).map(userGroupJson),
    ),
  }),
  recent_private_conversations: async (database, { user }) => ({
    recent_private_conversations: await listRecentConversations(database, user.id),
  }),
  drafts: async (database, { user }) => ({
    drafts: userSettings(user).enable_drafts_synchronization
      ? (await listDrafts(database, user.id)).map(draftJson)
      : [],
  }),
  scheduled_messages: async (database, { user }) => ({
    scheduled_messages: (await listDeferredMessages(database, user.id)).map(scheduledMessageJson),
  }),
  starred_messages: async (database, { user }) => ({
    starred_messages: await listStarred(database, user.id),
  }),
  stop_words: async () => ({ stop_words: searchStopWords }),
  stream: streamState,
  subscription: subscriptionState,
  update_display_settings: async (_database, { user }) => displaySettings(user),
  update_global_notifications: async (_database, { user }) => notificationSettings(user),
  user_status: async (database, request) => ({
    user_status: await sameForAll(request, 'user_status', ['user_status', 'users'], () =>
      listUserStatuses(database),
    ),
  }),
  zulip_version: async () => ({ zulip_version: interfaceVersion }),
};

/** Names under which later clients request several types, and read them at the top level (reference facts, events 4). */
const aliases: ReadonlyMap<string, readonly string[]> = new Map([
  ['user_settings', ['update_display_settings', 'update_global_notifications']],
]);

/** @returns the fetch types of a request; unknown ones are accepted and add nothing */
function wantedTypes(fetchEventTypes: readonly string[] | null): Set<string> {
  if (fetchEventTypes === null) return new Set([...Object.keys(readers), 'update_message_flags']);
  return new Set(fetchEventTypes.flatMap((type) => [type, ...(aliases.get(type) ?? [])]));
}

/**
 * Reads the state of the wanted types.
 *
 * @param database of a REPEATABLE READ transaction
 * @param fetchEventTypes null for all
 */
export async function readInitialState(
  database: SnapshotReads,
  fetchEventTypes: readonly string[] | null,
  request: StateRequest,
): Promise<InitialState> {
  const wanted = wantedTypes(fetchEventTypes);
  // All at once, so that their statements are sent together.
  const parts = Object.entries(readers)
    .filter(([type]) => wanted.has(type))
    .map(([, read]): Promise<InitialState> => read(database, request));
  if (wanted.has('message') && wanted.has('update_message_flags'))
    parts.push(unreadState(database, request.user.id).then((unread) => ({ unread_msgs: unread })));
  const state: InitialState = {};
  for (const part of await Promise.all(parts)) Object.assign(state, part);
  return state;
}
