import {
  boolean,
  booleanOrNull,
  described,
  each,
  integer,
  integerOrNull,
  integers,
  listOf,
  object,
  optional,
  text,
  texts,
} from '../declare/schema.ts';
import type { Value } from '../declare/schema.ts';

/** Streams and subscriptions (contract, Stream and Subscription properties; reference facts, streams 3 and events 4.3). */

const streamMembers = {
  name: text,
  stream_id: integer,
  description: text,
  rendered_description: described(text, 'HTML of the description'),
  invite_only: described(boolean, 'true means private: only invited people may access it'),
  is_web_public: boolean,
  is_announcement_only: described(boolean, 'Only administrators may post'),
  history_public_to_subscribers: boolean,
  first_message_id: described(integerOrNull, 'null until the first message'),
};

export const streamSchema = object(streamMembers, { name: 'Stream' });

export type StreamObject = Value<typeof streamSchema>;

/** A stream in the answer of GET streams. */
export const listedStreamSchema = object(
  {
    ...streamMembers,
    ...optional({ is_default: described(boolean, 'Present with `include_default`') }),
  },
  { name: 'ListedStream' },
);

const ageMembers = {
  is_old_stream: described(boolean, 'Created at least 7 days ago'),
  stream_weekly_traffic: described(integerOrNull, 'null in the first week'),
};

export const subscriptionSettings = {
  color: described(text, '`#` and hexadecimal digits'),
  is_muted: boolean,
  in_home_view: described(boolean, 'The inverse of `is_muted`'),
  pin_to_top: boolean,
};

/** The notification settings of a stream for which the person has defaults. */
export const inheritedSettings = [
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
] as const;

export type InheritedSetting = (typeof inheritedSettings)[number];

const subscriptionMembers = {
  ...streamMembers,
  ...subscriptionSettings,
  ...each(inheritedSettings, boolean),
  wildcard_mentions_notify: booleanOrNull,
  email_address: described(text, 'Empty: no mail comes in'),
  ...ageMembers,
};

const subscriberIds = described(integers, 'User ids, ascending');

/** A subscription in the answer of GET users/me/subscriptions. */
export const listedSubscriptionSchema = object(
  {
    ...subscriptionMembers,
    ...optional({ subscribers: described(texts, 'Email addresses') }),
  },
  { name: 'ListedSubscription' },
);

export type ListedSubscription = Value<typeof listedSubscriptionSchema>;

/** A subscription in register's answer. */
export const subscriptionSchema = object(
  {
    ...subscriptionMembers,
    // Null only for clients with the capability `notification_settings_null`.
    ...each(inheritedSettings, booleanOrNull),
    ...optional({ subscribers: subscriberIds }),
  },
  { name: 'Subscription' },
);

export type SubscriptionObject = Value<typeof subscriptionSchema>;

/** A subscription in `subscription`/`add`. */
export const addedSubscriptionSchema = object(
  { ...subscriptionMembers, subscribers: subscriberIds },
  { name: 'AddedSubscription' },
);

export type AddedSubscription = Value<typeof addedSubscriptionSchema>;

/** A stream in register's `never_subscribed`. */
export const unsubscribedStreamSchema = object(
  { ...streamMembers, ...ageMembers, ...optional({ subscribers: subscriberIds }) },
  { name: 'NeverSubscribedStream' },
);

export const defaultStreamGroupSchema = object(
  { id: integer, name: text, description: text, streams: listOf(streamSchema) },
  { name: 'DefaultStreamGroup' },
);

export const topicSchema = object(
  {
    name: described(text, 'As the newest message spells it'),
    max_id: described(integer, 'The newest message'),
  },
  { name: 'Topic' },
);
