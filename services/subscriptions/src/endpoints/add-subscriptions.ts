import { defineEndpoint, json } from '@parley/http';

import type { SubscriptionsContext } from '../context.ts';
import { subscribePeople } from '../subscribing/change-subscriptions.ts';
import {
  checkStreamsToJoin,
  joinOptions,
  joinParameters,
  joinedProperties,
  streamsToJoin,
  streamsToJoinOptions,
} from './subscription-parameters.ts';

/** POST users/me/subscriptions (contract, Streams; reference facts, streams 5.1). */
export const addSubscriptionsEndpoint = defineEndpoint({
  name: 'add-subscriptions',
  method: 'POST',
  path: '/users/me/subscriptions',
  summary: 'Subscribe to streams, creating those that do not exist',
  description:
    'One transaction: a refusal leaves nothing behind and sends no event. The notification bot writes to new streams, to those whom somebody else subscribed and, with announce, to the notifications stream.',
  example: {
    parameters: {
      subscriptions: [{ name: 'rowing', description: 'For those who row' }],
      principals: ['rahul@harbour.example', 'tobias@harbour.example'],
    },
  },
  access: { authentication: 'required', guests: 'refused' },
  parameters: [
    json('subscriptions', streamsToJoin, { ...streamsToJoinOptions, required: true }),
    ...joinParameters,
  ],
  response: {
    type: 'object',
    properties: joinedProperties,
    required: ['subscribed', 'already_subscribed'],
  },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: SubscriptionsContext, { caller, parameters, rawText }) => {
    const { subscriptions, principals } = parameters;
    checkStreamsToJoin('subscriptions', rawText('subscriptions') ?? '', subscriptions);
    const options = joinOptions(parameters);
    return subscribePeople(context, { caller, subscriptions, principals, options });
  },
});
