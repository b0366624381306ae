import { Type } from 'typebox';

import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { jsonParameter, pathInteger, textParameter } from '../declare/parameters.ts';
import { anyOf, boolean, described, integer, listOf, object, text } from '../declare/schema.ts';
import type { Value } from '../declare/schema.ts';
import { limits } from '../limits.ts';

const propertyChangeSchema = object({
  stream_id: integer,
  property: text,
  value: anyOf([text, boolean]),
});

/** One property to set, which decides the permitted values. */
export type SubscriptionPropertyChange = Value<typeof propertyChangeSchema>;

const success = object({
  subscription_data: described(listOf(propertyChangeSchema), 'what was set, as it was asked for'),
});

const propertyDescription =
  '`color` (`#` and three or six hex digits), or one of the booleans `in_home_view`, `is_muted`, `pin_to_top`, `desktop_notifications`, `audible_notifications`, `push_notifications`, `email_notifications`, `wildcard_mentions_notify`';

/** POST users/me/subscriptions/properties (contract, Streams; reference facts, streams 6.4). */
export const changeSubscriptionPropertiesEndpoint = declareEndpoint({
  name: 'change-subscription-properties',
  method: 'POST',
  path: '/users/me/subscriptions/properties',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: "Set properties of the caller's subscriptions",
  description:
    'All changes are made, or none: after a refusal every property is unchanged, and there is no event.',
  example: {
    parameters: {
      subscription_data: [
        { stream_id: exampleVariables.streamId, property: 'pin_to_top', value: true },
        { stream_id: exampleVariables.streamId, property: 'color', value: '#c2726a' },
      ],
    },
  },
  access: { authentication: 'required' },
  parameters: [
    jsonParameter(
      'subscription_data',
      Type.Array(
        Type.Object({
          stream_id: integer,
          property: described(text, propertyDescription),
          value: anyOf([text, boolean], { refusal: 'is not an allowed_type' }),
        }),
        { maxItems: limits.subscriptionPropertiesMax },
      ),
      { required: true, description: 'Streams, properties and their values; set in order' },
    ),
  ],
  success,
  afterLoss: 'repeat',
});

/** PATCH users/me/subscriptions/{stream_id} (reference facts, streams 6.4). */
export const changeSubscriptionPropertyEndpoint = declareEndpoint({
  name: 'change-subscription-property',
  method: 'PATCH',
  path: '/users/me/subscriptions/{stream_id}',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'Set one property of a subscription of the caller',
  example: {
    parameters: { stream_id: exampleVariables.streamId, property: 'is_muted', value: true },
  },
  access: { authentication: 'required' },
  parameters: [
    pathInteger('stream_id', { description: 'The stream' }),
    textParameter('property', { required: true, description: propertyDescription }),
    textParameter('value', { required: true, description: 'The colour, or `true` or `false`' }),
  ],
  success,
  afterLoss: 'repeat',
});
