import { defineEndpoint, jsonStringList } from '@parley/http';

import type { SubscriptionsContext } from '../context.ts';
import { unsubscribePeople } from '../subscribing/unsubscribe-people.ts';
import { principalsParameter } from './principals-parameter.ts';

const names = {
  type: 'array',
  items: { type: 'string' },
  description: 'one stream name for each person and stream',
} as const;

/** DELETE users/me/subscriptions (contract, Streams; reference facts, streams 1 and 5.3). */
export const removeSubscriptionsEndpoint = defineEndpoint({
  name: 'remove-subscriptions',
  method: 'DELETE',
  path: '/users/me/subscriptions',
  summary: 'Unsubscribe from streams',
  description:
    'All or nothing. Unsubscribing others needs administrator privileges. What was unread in a stream left behind becomes read.',
  access: { authentication: 'required' },
  parameters: [
    jsonStringList('subscriptions', {
      required: true,
      description: 'Names of the streams to leave',
    }),
    principalsParameter,
  ],
  response: {
    type: 'object',
    properties: { removed: names, not_subscribed: names, not_removed: names },
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
