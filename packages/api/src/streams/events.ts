import type { TProperties, TSchema } from 'typebox';

import {
  boolean,
  constant,
  described,
  integer,
  integers,
  listOf,
  object,
  oneOfTexts,
  text,
  texts,
  tuple,
} from '../declare/schema.ts';
import { event, eventByOp, sameForOps, updatesByProperty } from '../events/event-schema.ts';
import {
  addedSubscriptionSchema,
  defaultStreamGroupSchema,
  inheritedSettings,
  streamSchema,
} from './objects.ts';

/** Events about streams and subscriptions (reference facts, events 12). */

/** An update of one of several properties with similar values. */
function change<
  const Kind extends string,
  const Names extends readonly string[],
  Given extends TSchema,
  More extends TProperties,
>(type: Kind, names: Names, value: Given, more: More) {
  return object({
    id: integer,
    type: constant(type),
    op: constant('update'),
    ...more,
    property: oneOfTexts(names),
    value,
  });
}

const own = { email: text, stream_id: integer, name: text };

const subscriptionEvent = eventByOp(
  'SubscriptionEvent',
  'subscription',
  {
    add: { subscriptions: listOf(addedSubscriptionSchema) },
    remove: { subscriptions: listOf(object({ name: text, stream_id: integer })) },
    ...sameForOps(['peer_add', 'peer_remove'], {
      subscriptions: described(texts, 'The name of the stream'),
      stream_id: integer,
      user_id: integer,
      stream_ids: integers,
      user_ids: integers,
    }),
  },
  updatesByProperty('SubscriptionUpdateEvent', 'subscription', 'update', [
    change('subscription', ['color'], text, own),
    change(
      'subscription',
      ['in_home_view', 'pin_to_top', ...inheritedSettings, 'wildcard_mentions_notify'],
      boolean,
      own,
    ),
  ]),
);

const streamChange = { stream_id: integer, name: text };

const streamEvent = eventByOp(
  'StreamEvent',
  'stream',
  sameForOps(['create', 'occupy', 'vacate', 'delete'], { streams: listOf(streamSchema) }),
  updatesByProperty('StreamUpdateEvent', 'stream', 'update', [
    change('stream', ['name', 'email_address'], text, streamChange),
    change('stream', ['description'], text, { ...streamChange, rendered_description: text }),
    change('stream', ['invite_only'], boolean, {
      ...streamChange,
      history_public_to_subscribers: boolean,
    }),
    change('stream', ['is_announcement_only'], boolean, streamChange),
  ]),
);

export const streamEvents = [
  subscriptionEvent,
  streamEvent,
  event('DefaultStreamsEvent', 'default_streams', { default_streams: listOf(streamSchema) }),
  event('DefaultStreamGroupsEvent', 'default_stream_groups', {
    default_stream_groups: listOf(defaultStreamGroupSchema),
  }),
  event('MutedTopicsEvent', 'muted_topics', {
    muted_topics: described(listOf(tuple(text, text)), 'Name of a stream, and topic'),
  }),
] as const;
