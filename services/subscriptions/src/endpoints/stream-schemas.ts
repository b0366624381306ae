import type { JsonSchema } from '@parley/http';

/** Schemas of streams and subscriptions in answers (contract, Stream and Subscription properties; reference facts, streams 3). */

const streamProperties = {
  name: { type: 'string' },
  stream_id: { type: 'integer' },
  description: { type: 'string' },
  rendered_description: { type: 'string', description: 'HTML of the description' },
  invite_only: {
    type: 'boolean',
    description: 'true means private: only invited people may access it',
  },
  is_web_public: { type: 'boolean' },
  is_announcement_only: { type: 'boolean', description: 'only administrators may post' },
  history_public_to_subscribers: { type: 'boolean' },
  first_message_id: { type: ['integer', 'null'], description: 'null until the first message' },
} as const satisfies Record<string, JsonSchema>;

/** A stream of GET streams. */
export const streamSchema: JsonSchema = {
  type: 'object',
  properties: {
    ...streamProperties,
    is_default: { type: 'boolean', description: 'present with include_default' },
  },
  required: Object.keys(streamProperties),
};

const subscriptionProperties = {
  ...streamProperties,
  color: { type: 'string' },
  is_muted: { type: 'boolean' },
  in_home_view: { type: 'boolean', description: 'the inverse of is_muted' },
  pin_to_top: { type: 'boolean' },
  desktop_notifications: { type: 'boolean' },
  audible_notifications: { type: 'boolean' },
  push_notifications: { type: 'boolean' },
  email_notifications: { type: 'boolean' },
  wildcard_mentions_notify: { type: ['boolean', 'null'] },
  email_address: { type: 'string' },
  is_old_stream: { type: 'boolean', description: 'created at least 7 days ago' },
  stream_weekly_traffic: { type: ['integer', 'null'], description: 'null in the first week' },
} as const satisfies Record<string, JsonSchema>;

/** A subscription of GET users/me/subscriptions. */
export const subscriptionSchema: JsonSchema = {
  type: 'object',
  properties: {
    ...subscriptionProperties,
    subscribers: { type: 'array', items: { type: 'string' }, description: 'email addresses' },
  },
  required: Object.keys(subscriptionProperties),
};
