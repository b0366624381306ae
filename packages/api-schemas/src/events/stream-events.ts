import type { JsonSchema } from '@parley/http';

import {
  boolean,
  integer,
  integers,
  listOf,
  objectOf,
  text,
  texts,
  tuple,
} from '../building-blocks.ts';
import type { Members } from '../building-blocks.ts';
import {
  addedSubscriptionSchema,
  defaultStreamGroupSchema,
  inheritedSettings,
  streamSchema,
} from '../streams.ts';
import { eventSchema, eventSchemaByOp, sameForOps } from './event-schema.ts';

/** Events about streams and subscriptions (reference facts, events 12). */

const streamChange: Members = { stream_id: integer, name: text };

/** An object with a changed property and its value. */
function change(
  type: string,
  names: readonly string[],
  value: JsonSchema,
  more: Members,
  optional: Members = {},
): JsonSchema {
  return objectOf(
    {
      id: integer,
      type: { const: type },
      op: { const: 'update' },
      ...more,
      property: { type: 'string', enum: names },
      value,
    },
    optional,
  );
}

/** A union by `op` in which `update` is a union by `property`. */
function withUpdates(
  schema: JsonSchema,
  type: string,
  name: string,
  changes: readonly JsonSchema[],
): JsonSchema {
  const update: JsonSchema = {
    name,
    type: 'object',
    properties: { type: { const: type }, op: { const: 'update' } },
    required: ['type', 'op', 'property'],
    discriminator: { propertyName: 'property' },
    oneOf: changes,
  };
  return { ...schema, oneOf: [...(schema.oneOf ?? []), update] };
}

const own: Members = { email: text, stream_id: integer, name: text };

const subscriptionEvent = withUpdates(
  eventSchemaByOp('SubscriptionEvent', 'subscription', {
    add: { required: { subscriptions: listOf(addedSubscriptionSchema) } },
    remove: { required: { subscriptions: listOf(objectOf({ name: text, stream_id: integer })) } },
    ...sameForOps(['peer_add', 'peer_remove'], {
      required: {
        subscriptions: { ...texts, description: 'The name of the stream' },
        stream_id: integer,
        user_id: integer,
        stream_ids: integers,
        user_ids: integers,
      },
    }),
  }),
  'subscription',
  'SubscriptionUpdateEvent',
  [
    change('subscription', ['color'], text, own),
    change(
      'subscription',
      ['in_home_view', 'pin_to_top', ...inheritedSettings, 'wildcard_mentions_notify'],
      boolean,
      own,
    ),
  ],
);

const streamEvent = withUpdates(
  eventSchemaByOp(
    'StreamEvent',
    'stream',
    sameForOps(['create', 'occupy', 'vacate', 'delete'], {
      required: { streams: listOf(streamSchema) },
    }),
  ),
  'stream',
  'StreamUpdateEvent',
  [
    change('stream', ['name', 'email_address'], text, streamChange),
    change('stream', ['description'], text, { ...streamChange, rendered_description: text }),
    change('stream', ['invite_only'], boolean, {
      ...streamChange,
      history_public_to_subscribers: boolean,
    }),
    change('stream', ['is_announcement_only'], boolean, streamChange),
  ],
);

export const streamEvents: readonly JsonSchema[] = [
  subscriptionEvent,
  streamEvent,
  eventSchema('DefaultStreamsEvent', 'default_streams', {
    required: { default_streams: listOf(streamSchema) },
  }),
  eventSchema('DefaultStreamGroupsEvent', 'default_stream_groups', {
    required: { default_stream_groups: listOf(defaultStreamGroupSchema) },
  }),
  eventSchema('MutedTopicsEvent', 'muted_topics', {
    required: {
      muted_topics: { ...listOf(tuple(text, text)), description: 'Name of a stream, and topic' },
    },
  }),
];
