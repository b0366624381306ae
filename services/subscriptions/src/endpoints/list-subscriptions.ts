import { listedSubscriptionSchema } from '@parley/api-schemas';
import { notAuthenticated } from '@parley/contracts';
import { transaction } from '@parley/database';
import { defineEndpoint, jsonBoolean } from '@parley/http';
import { findUserById, listSubscriptions } from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';

/** GET users/me/subscriptions (reference facts, streams 6.1). */
export const listSubscriptionsEndpoint = defineEndpoint({
  name: 'list-subscriptions',
  method: 'GET',
  path: '/users/me/subscriptions',
  summary: "List the caller's subscriptions",
  access: { authentication: 'required' },
  parameters: [
    jsonBoolean('include_subscribers', {
      default: false,
      description: 'Add the sorted email addresses of the subscribers of each stream',
    }),
  ],
  response: {
    type: 'object',
    properties: { subscriptions: { type: 'array', items: listedSubscriptionSchema } },
    required: ['subscriptions'],
  },
  handler: async (context: SubscriptionsContext, { caller, parameters }) => {
    const traffic = await context.traffic.counts(context.pool);
    return transaction(
      context.pool,
      async (client) => {
        const user = await findUserById(client, caller.userId);
        if (user === undefined) throw notAuthenticated('Invalid API key');
        return {
          subscriptions: await listSubscriptions(client, user, {
            traffic,
            nowSecs: context.nowMs() / 1000,
            withSubscriberEmails: parameters.include_subscribers,
          }),
        };
      },
      // One snapshot: of a stream that he leaves meanwhile he gets no subscribers who come after him.
      'REPEATABLE READ, READ ONLY',
    );
  },
});
