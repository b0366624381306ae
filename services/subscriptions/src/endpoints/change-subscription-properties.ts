import { limits } from '@parley/contracts';
import { defineEndpoint, exampleVariables, json, pathInteger, text } from '@parley/http';

import type { SubscriptionsContext } from '../context.ts';
import { changeProperties } from '../subscribing/subscription-properties.ts';

const answered = {
  type: 'object',
  properties: {
    subscription_data: {
      type: 'array',
      description: 'what was set, as it was asked for',
      items: {
        type: 'object',
        properties: {
          stream_id: { type: 'integer' },
          property: { type: 'string' },
          value: { type: ['string', 'boolean'] },
        },
        required: ['stream_id', 'property', 'value'],
      },
    },
  },
  required: ['subscription_data'],
} as const;

const propertyDescription =
  '`color` (`#` and three or six hex digits), or one of the booleans `in_home_view`, `is_muted`, `pin_to_top`, `desktop_notifications`, `audible_notifications`, `push_notifications`, `email_notifications`, `wildcard_mentions_notify`';

/** POST users/me/subscriptions/properties (contract, Streams; reference facts, streams 6.4). */
export const changeSubscriptionPropertiesEndpoint = defineEndpoint({
  name: 'change-subscription-properties',
  method: 'POST',
  path: '/users/me/subscriptions/properties',
  summary: "Set properties of the caller's subscriptions",
  description: 'All or nothing: a refusal leaves every property as it was and sends no event.',
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
    json(
      'subscription_data',
      {
        type: 'array',
        maxItems: limits.subscriptionPropertiesMax,
        items: {
          type: 'object',
          properties: {
            stream_id: { type: 'integer' },
            property: { type: 'string', description: propertyDescription },
            value: {
              anyOf: [{ type: 'string' }, { type: 'boolean' }],
              refusal: 'is not an allowed_type',
            },
          },
          required: ['stream_id', 'property', 'value'],
        },
      },
      { required: true, description: 'Streams, properties and their values; set in order' },
    ),
  ],
  response: answered,
  handler: async (context: SubscriptionsContext, { caller, parameters }) => {
    await changeProperties(context, caller, parameters.subscription_data);
    return {
      subscription_data: parameters.subscription_data.map(({ stream_id, property, value }) => ({
        stream_id,
        property,
        value,
      })),
    };
  },
});

/** PATCH users/me/subscriptions/{stream_id} (reference facts, streams 6.4). */
export const changeSubscriptionPropertyEndpoint = defineEndpoint({
  name: 'change-subscription-property',
  method: 'PATCH',
  path: '/users/me/subscriptions/:stream_id',
  summary: 'Set one property of a subscription of the caller',
  example: {
    parameters: { stream_id: exampleVariables.streamId, property: 'is_muted', value: true },
  },
  access: { authentication: 'required' },
  parameters: [
    pathInteger('stream_id', { description: 'The stream' }),
    text('property', { required: true, description: propertyDescription }),
    text('value', { required: true, description: 'The colour, or `true` or `false`' }),
  ],
  response: answered,
  handler: async (context: SubscriptionsContext, { caller, parameters }) => {
    const { stream_id, property } = parameters;
    // Raw text: of a colour it is the value, of anything else it should be a boolean.
    const isBoolean = property !== 'color' && /^(?:true|false)$/.test(parameters.value);
    const value = isBoolean ? parameters.value === 'true' : parameters.value;
    const change = { stream_id, property, value };
    await changeProperties(context, caller, [change]);
    return { subscription_data: [change] };
  },
});
