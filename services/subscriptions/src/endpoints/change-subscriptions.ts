import { defineEndpoint, json, jsonStringList } from '@parley/http';

import type { SubscriptionsContext } from '../context.ts';
import { changeSubscriptions } from '../subscribing/change-subscriptions.ts';
import {
  checkStreamsToJoin,
  joinOptions,
  joinParameters,
  joinedProperties,
  leftProperties,
  streamsToJoin,
  streamsToJoinOptions,
} from './subscription-parameters.ts';

/** PATCH users/me/subscriptions (reference facts, streams 5.4). */
export const changeSubscriptionsEndpoint = defineEndpoint({
  name: 'change-subscriptions',
  method: 'PATCH',
  path: '/users/me/subscriptions',
  summary: 'Subscribe to some streams and unsubscribe from others',
  description:
    'Subscribes, then unsubscribes, in one transaction: a refusal of either leaves nothing behind and sends no event.',
  example: { parameters: { add: [{ name: 'rentals' }], delete: ['kitchen'] } },
  access: { authentication: 'required', guests: 'refused' },
  parameters: [
    jsonStringList('delete', {
      default: [],
      nul: 'handled',
      description: 'Names of the streams to leave',
    }),
    json('add', streamsToJoin, { ...streamsToJoinOptions, default: [] }),
    ...joinParameters,
  ],
  response: {
    type: 'object',
    properties: { ...joinedProperties, ...leftProperties },
    required: ['subscribed', 'already_subscribed', 'removed', 'not_subscribed', 'not_removed'],
  },
  errors: ['BAD_REQUEST', 'STREAM_DOES_NOT_EXIST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: SubscriptionsContext, { caller, parameters, rawText }) => {
    const { add: subscriptions, delete: streamNames, principals } = parameters;
    checkStreamsToJoin('add', rawText('add') ?? '', subscriptions);
    const options = joinOptions(parameters);
    return changeSubscriptions(context, {
      caller,
      subscriptions,
      streamNames,
      principals,
      options,
    });
  },
});
