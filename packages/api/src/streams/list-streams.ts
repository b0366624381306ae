import { declareEndpoint } from '../declare/endpoint.ts';
import { booleanParameter } from '../declare/parameters.ts';
import { listOf, object } from '../declare/schema.ts';
import { listedStreamSchema, listedSubscriptionSchema } from './objects.ts';

/** GET streams (contract, Streams; reference facts, streams 1 and 4.1). */
export const listStreamsEndpoint = declareEndpoint({
  name: 'list-streams',
  method: 'GET',
  path: '/streams',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'List streams',
  description: 'The union of the chosen sources, by name in code-point order.',
  access: { authentication: 'required' },
  parameters: [
    booleanParameter('include_public', { default: true, description: 'All public streams' }),
    booleanParameter('include_subscribed', {
      default: true,
      description: 'Streams to which the caller is subscribed',
    }),
    booleanParameter('include_all_active', {
      default: false,
      description: 'All streams; for administrators',
    }),
    booleanParameter('include_default', {
      default: false,
      description: 'Default streams that the caller may access; adds is_default to every stream',
    }),
    booleanParameter('include_owner_subscribed', {
      default: false,
      description: 'For a bot: streams to which its owner is subscribed',
    }),
  ],
  success: object({ streams: listOf(listedStreamSchema) }),
});

/** GET users/me/subscriptions (reference facts, streams 6.1). */
export const listSubscriptionsEndpoint = declareEndpoint({
  name: 'list-subscriptions',
  method: 'GET',
  path: '/users/me/subscriptions',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: "List the caller's subscriptions",
  access: { authentication: 'required' },
  parameters: [
    booleanParameter('include_subscribers', {
      default: false,
      description: 'Add the sorted email addresses of the subscribers of each stream',
    }),
  ],
  success: object({ subscriptions: listOf(listedSubscriptionSchema) }),
});
