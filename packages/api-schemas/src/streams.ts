import type { JsonSchema } from '@parley/http';

import {
  boolean,
  booleanOrNull,
  each,
  integer,
  integerOrNull,
  integers,
  listOf,
  objectOf,
  text,
  texts,
} from './building-blocks.ts';
import type { Members } from './building-blocks.ts';

/** Streams and subscriptions (contract, Stream and Subscription properties; reference facts, streams 3 and events 4.3). */

const streamMembers: Members = {
  name: text,
  stream_id: integer,
  description: text,
  rendered_description: { type: 'string', description: 'HTML of the description' },
  invite_only: {
    type: 'boolean',
    description: 'true means private: only invited people may access it',
  },
  is_web_public: boolean,
  is_announcement_only: { type: 'boolean', description: 'Only administrators may post' },
  history_public_to_subscribers: boolean,
  first_message_id: { ...integerOrNull, description: 'null until the first message' },
};

export const streamSchema: JsonSchema = objectOf(streamMembers, {}, { name: 'Stream' });

/** A stream of GET streams. */
export const listedStreamSchema: JsonSchema = objectOf(
  streamMembers,
  { is_default: { type: 'boolean', description: 'Present with `include_default`' } },
  { name: 'ListedStream' },
);

const ageMembers: Members = {
  is_old_stream: { type: 'boolean', description: 'Created at least 7 days ago' },
  stream_weekly_traffic: { ...integerOrNull, description: 'null in the first week' },
};

export const subscriptionSettings: Members = {
  color: { type: 'string', description: '`#` and hexadecimal digits' },
  is_muted: boolean,
  in_home_view: { type: 'boolean', description: 'The inverse of `is_muted`' },
  pin_to_top: boolean,
};

/** The notification settings of a stream that have a default of the person. */
export const inheritedSettings = [
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
] as const;

const subscriptionMembers: Members = {
  ...streamMembers,
  ...subscriptionSettings,
  ...each(inheritedSettings, boolean),
  wildcard_mentions_notify: booleanOrNull,
  email_address: { type: 'string', description: 'Empty: no mail comes in' },
  ...ageMembers,
};

const subscriberIds: JsonSchema = { ...integers, description: 'User ids, ascending' };

/** A subscription of GET users/me/subscriptions. */
export const listedSubscriptionSchema: JsonSchema = objectOf(
  subscriptionMembers,
  { subscribers: { ...texts, description: 'Email addresses' } },
  { name: 'ListedSubscription' },
);

/** A subscription of register. */
export const subscriptionSchema: JsonSchema = objectOf(
  {
    ...subscriptionMembers,
    // Null only for clients with the capability `notification_settings_null`.
    ...each(inheritedSettings, booleanOrNull),
  },
  { subscribers: subscriberIds },
  { name: 'Subscription' },
);

/** A subscription of `subscription`/`add`. */
export const addedSubscriptionSchema: JsonSchema = objectOf(
  { ...subscriptionMembers, subscribers: subscriberIds },
  {},
  { name: 'AddedSubscription' },
);

/** A stream of register's `never_subscribed`. */
export const unsubscribedStreamSchema: JsonSchema = objectOf(
  { ...streamMembers, ...ageMembers },
  { subscribers: subscriberIds },
  { name: 'NeverSubscribedStream' },
);

export const defaultStreamGroupSchema: JsonSchema = objectOf(
  { id: integer, name: text, description: text, streams: listOf(streamSchema) },
  {},
  { name: 'DefaultStreamGroup' },
);

export const topicSchema: JsonSchema = objectOf(
  {
    name: { type: 'string', description: 'As the newest message spells it' },
    max_id: { type: 'integer', description: 'The newest message' },
  },
  {},
  { name: 'Topic' },
);
