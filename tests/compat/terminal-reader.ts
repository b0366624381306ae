/** Indexes answers and events like the terminal client, and fails where it would fail (reference facts, clients 5.4 to 5.7). */
import type { JsonObject } from '@parley/test-kit';

import {
  KeyError,
  at,
  booleanAt,
  integerAt,
  integerOrNullAt,
  integersAt,
  listAt,
  objectAt,
  stringAt,
} from './python-wire.ts';

export const eventTypes = [
  'message',
  'update_message',
  'reaction',
  'submessage',
  'subscription',
  'typing',
  'update_message_flags',
  'user_settings',
  'realm_emoji',
  'realm_user',
] as const;

export const fetchEventTypes = [
  'realm',
  'presence',
  'subscription',
  'message',
  'starred_messages',
  'update_message_flags',
  'muted_topics',
  'realm_user',
  'realm_user_groups',
  'user_settings',
  'realm_emoji',
  'custom_profile_fields',
  'zulip_version',
] as const;

/** The fetch types of version 0.7.0. */
export const fetchEventTypesOfRelease = [
  ...fetchEventTypes.filter((type) => type !== 'custom_profile_fields'),
  'update_global_notifications',
  'update_display_settings',
] as const;

function readPeople(answer: JsonObject): void {
  const ownId = integerAt(answer, 'user_id');
  const people = listAt(answer, 'realm_users');
  for (const person of people) {
    booleanAt(person, 'is_bot');
    readPerson(person);
  }
  for (const bot of listAt(answer, 'cross_realm_bots')) readPerson(bot);
  // It searches for its own entry, and indexes the result even if there is none.
  if (!people.some((person) => at(person, 'user_id') === ownId)) throw new KeyError(String(ownId));
  for (const clients of Object.values(objectAt(answer, 'presences')))
    for (const client of Object.values(clients as JsonObject)) {
      stringAt(client, 'status');
      integerAt(client, 'timestamp');
    }
}

function readPerson(person: unknown): void {
  integerAt(person, 'user_id');
  stringAt(person, 'email');
  stringAt(person, 'full_name');
}

function readSubscription(subscription: unknown): void {
  integerAt(subscription, 'stream_id');
  for (const key of ['name', 'description']) stringAt(subscription, key);
  for (const key of ['invite_only', 'is_muted', 'pin_to_top', 'desktop_notifications'])
    booleanAt(subscription, key);
  const color = stringAt(subscription, 'color');
  if (!/^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(color)) throw new TypeError(`color ${color}`);
}

function readUnread(unread: unknown): void {
  for (const pair of listAt(unread, 'pms')) {
    integerAt(pair, 'sender_id');
    integersAt(pair, 'unread_message_ids');
  }
  for (const topic of listAt(unread, 'streams')) {
    integerAt(topic, 'stream_id');
    stringAt(topic, 'topic');
    integersAt(topic, 'unread_message_ids');
  }
  for (const group of listAt(unread, 'huddles')) {
    const ids = stringAt(group, 'user_ids_string').split(',').map(Number);
    if (!ids.every(Number.isInteger)) throw new TypeError('user_ids_string');
    integersAt(group, 'unread_message_ids');
  }
  integersAt(unread, 'mentions');
}

function readMutedTopics(answer: JsonObject): void {
  const lengths = listAt(answer, 'muted_topics').map((pair) => {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string' || typeof pair[1] !== 'string')
      throw new TypeError(`muted topic ${JSON.stringify(pair)}`);
    return pair.length;
  });
  if (new Set(lengths).size > 1) throw new TypeError('muted topics of several lengths');
}

function readRealmEmoji(holder: JsonObject): void {
  for (const emoji of Object.values(objectAt(holder, 'realm_emoji'))) {
    stringAt(emoji, 'name');
    booleanAt(emoji, 'deactivated');
  }
}

/**
 * Reads the keys without which the program ends at its start.
 *
 * @throws KeyError if a key is missing
 * @throws TypeError if a value is of another type
 */
export function readAtStart(answer: JsonObject): void {
  for (const key of ['queue_id', 'zulip_version', 'email', 'full_name', 'realm_name'])
    stringAt(answer, key);
  for (const key of ['last_event_id', 'max_message_id']) integerAt(answer, key);
  integerOrNullAt(answer, 'realm_message_retention_days');
  readPeople(answer);
  for (const subscription of listAt(answer, 'subscriptions')) readSubscription(subscription);
  readUnread(objectAt(answer, 'unread_msgs'));
  integersAt(answer, 'starred_messages');
  readMutedTopics(answer);
  for (const group of listAt(answer, 'realm_user_groups')) {
    integerAt(group, 'id');
    stringAt(group, 'name');
  }
  readRealmEmoji(answer);
  const settings = Object.hasOwn(answer, 'user_settings')
    ? objectAt(answer, 'user_settings')
    : answer;
  if (settings !== answer) booleanAt(settings, 'send_private_typing_notifications');
  booleanAt(settings, 'twenty_four_hour_time');
  booleanAt(settings, 'pm_content_in_desktop_notifications');
}

/**
 * Reads keys that are needed to open something: stream and user information, an edited message, the editor.
 *
 * @throws KeyError if a key is missing
 * @throws TypeError if a value is of another type
 */
export function readLater(answer: JsonObject): void {
  for (const subscription of listAt(answer, 'subscriptions')) {
    integersAt(subscription, 'subscribers');
    stringAt(subscription, 'rendered_description');
    booleanAt(subscription, 'history_public_to_subscribers');
    integerOrNullAt(subscription, 'stream_weekly_traffic');
  }
  for (const clients of Object.values(objectAt(answer, 'presences'))) {
    const aggregated = at(clients, 'aggregated');
    stringAt(aggregated, 'status');
    integerAt(aggregated, 'timestamp');
  }
  for (const list of ['realm_users', 'cross_realm_bots'])
    for (const person of listAt(answer, list))
      if (at(person, 'is_bot') === true) integerAt(person, 'bot_type');
  for (const field of listAt(answer, 'custom_profile_fields')) {
    for (const key of ['id', 'type', 'order']) integerAt(field, key);
    for (const key of ['name', 'field_data']) stringAt(field, key);
  }
  booleanAt(answer, 'realm_allow_edit_history');
  booleanAt(answer, 'realm_allow_message_editing');
  integerOrNullAt(answer, 'realm_message_content_edit_limit_seconds');
}

/** Reads a message in the way in which fetched ones and those of events are indexed (reference facts, clients 5.5). */
export function readMessage(message: unknown, isFetched: boolean): void {
  for (const key of ['id', 'timestamp', 'sender_id']) integerAt(message, key);
  for (const key of ['content', 'subject', 'sender_full_name']) stringAt(message, key);
  booleanAt(message, 'is_me_message');
  for (const reaction of listAt(message, 'reactions')) {
    stringAt(reaction, 'emoji_name');
    stringAt(reaction, 'emoji_code');
    readReactingUser(reaction);
  }
  if (isFetched) listAt(message, 'flags');
  if (stringAt(message, 'type') === 'stream') {
    stringAt(message, 'display_recipient');
    integerAt(message, 'stream_id');
    return;
  }
  stringAt(message, 'sender_email');
  for (const person of listAt(message, 'display_recipient')) {
    integerAt(person, 'id');
    stringAt(person, 'email');
    stringAt(person, 'full_name');
  }
}

function readReactingUser(reaction: unknown): void {
  const user = (reaction as JsonObject)['user'];
  const id =
    (user as JsonObject | undefined)?.['id'] ??
    (user as JsonObject | undefined)?.['user_id'] ??
    (reaction as JsonObject)['user_id'];
  if (!Number.isInteger(id)) throw new KeyError('user_id');
}

function readMessageUpdate(event: JsonObject): void {
  integerAt(event, 'message_id');
  if ('rendered_content' in event) booleanAt(event, 'is_me_message');
  if (!('subject' in event)) return;
  stringAt(event, 'orig_subject');
  integerAt(event, 'stream_id');
  integersAt(event, 'message_ids');
}

function readReaction(event: JsonObject): void {
  integerAt(event, 'message_id');
  stringAt(event, 'emoji_code');
  if (stringAt(event, 'op') === 'add') {
    stringAt(event, 'emoji_name');
    stringAt(event, 'reaction_type');
    readReactingUser({ user: at(event, 'user') });
    return;
  }
  const user = event['user'] as JsonObject | undefined;
  if (!Number.isInteger(user?.['user_id'] ?? event['user_id'])) throw new KeyError('user_id');
}

function readSubscriptionEvent(event: JsonObject): void {
  const op = stringAt(event, 'op');
  if (op === 'update') {
    integerAt(event, 'stream_id');
    stringAt(event, 'property');
    at(event, 'value');
  } else if (op.startsWith('peer_')) {
    if ('stream_ids' in event) {
      integersAt(event, 'stream_ids');
      integersAt(event, 'user_ids');
    } else {
      integerAt(event, 'stream_id');
      integerAt(event, 'user_id');
    }
  }
}

const readers: Readonly<Record<string, (event: JsonObject) => void>> = {
  message: (event) => readMessage(at(event, 'message'), false),
  update_message: readMessageUpdate,
  reaction: readReaction,
  submessage: (event) => {
    for (const key of ['message_id', 'submessage_id', 'sender_id']) integerAt(event, key);
    for (const key of ['msg_type', 'content']) stringAt(event, key);
  },
  subscription: readSubscriptionEvent,
  typing: (event) => {
    stringAt(event, 'op');
    integerAt(at(event, 'sender'), 'user_id');
    stringAt(at(event, 'sender'), 'email');
  },
  update_message_flags: (event) => {
    for (const key of ['operation', 'flag']) stringAt(event, key);
    booleanAt(event, 'all');
    integersAt(event, 'messages');
  },
  realm_emoji: readRealmEmoji,
  realm_user: (event) => {
    if (stringAt(event, 'op') === 'update') integerAt(at(event, 'person'), 'user_id');
  },
};

/**
 * Reads an event (reference facts, clients 5.7).
 *
 * @throws KeyError if a key is missing
 * @throws TypeError if a value is of another type
 */
export function readEvent(event: JsonObject): void {
  integerAt(event, 'id');
  readers[stringAt(event, 'type')]?.(event);
}
