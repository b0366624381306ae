import { defineEndpoint, jsonStringList } from '@parley/http';

import type { SubscriptionsContext } from '../context.ts';
import { unsubscribePeople } from '../subscribing/change-subscriptions.ts';
import { joinParameters, leftProperties } from './subscription-parameters.ts';

const principalsParameter = joinParameters[4];

/** DELETE users/me/subscriptions (contract, Streams; reference facts, streams 1 and 5.3). */
export const removeSubscriptionsEndpoint = defineEndpoint({
  name: 'remove-subscriptions',
  method: 'DELETE',
  path: '/users/me/subscriptions',
  summary: 'Unsubscribe from streams',
  description:
    'All or nothing. Unsubscribing others needs administrator privileges. What was unread in a stream left behind becomes read.',
  example: { parameters: { subscriptions: ['rowing'] } },
  access: { authentication: 'required' },
  parameters: [
    jsonStringList('subscriptions', {
      required: true,
      nul: 'handled',
      description: 'Names of the streams to leave',
    }),
    principalsParameter,
  ],
  response: {
    type: 'object',
    properties: leftProperties,
    required: ['removed', 'not_subscribed', 'not_removed'],
  },
  errors: ['BAD_REQUEST', 'STREAM_DOES_NOT_EXIST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: SubscriptionsContext, { caller, parameters }) =>
    unsubscribePeople(context, {
      caller,
      streamNames: parameters.subscriptions,
      principals: parameters.principals,
    }),
});
