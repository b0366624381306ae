import { declareEndpoint } from '../declare/endpoint.ts';
import { textParameter } from '../declare/parameters.ts';
import { boolean, described, integer, listOf, object, text, timestamp } from '../declare/schema.ts';
import { limits } from '../limits.ts';

/** Where people are notified by Web Push while no page is open (decision 0053). */

const access = { authentication: 'required', bots: 'refused' } as const;

const exampleEndpoint = 'https://push.example/send/dGlkZQ';

/** POST push_subscriptions. */
export const addPushSubscriptionEndpoint = declareEndpoint({
  name: 'add-push-subscription',
  method: 'POST',
  path: '/push_subscriptions',
  service: 'people',
  tag: 'Own account',
  summary: 'Subscribe to notifications by Web Push',
  description: [
    "The parameters are those of a browser's `PushSubscription`, made with `public_key` of `GET push_subscriptions`. Addresses of UnifiedPush are such addresses too.",
    `A subscription replaces that of the same browser session and that of the same endpoint. It ends with the session, or, if it was made with a key, with that key; and when its push service says that it is gone. A person has at most ${limits.pushSubscriptionsMax}; the oldest ends for another one.`,
  ].join('\n\n'),
  example: {
    parameters: {
      endpoint: exampleEndpoint,
      p256dh:
        'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    },
  },
  access,
  parameters: [
    textParameter('endpoint', {
      required: true,
      description: `The https address to which pushes go, of at most ${limits.pushEndpointMaxLength} characters`,
    }),
    textParameter('p256dh', {
      required: true,
      description: "The subscriber's public key, in base64url",
    }),
    textParameter('auth', {
      required: true,
      description: "The subscriber's secret, in base64url",
    }),
  ],
  success: object({ subscription_id: described(integer, 'The new subscription') }),
  errors: ['BAD_REQUEST'],
  afterLoss: 'repeat',
});

/** GET push_subscriptions. */
export const listPushSubscriptionsEndpoint = declareEndpoint({
  name: 'list-push-subscriptions',
  method: 'GET',
  path: '/push_subscriptions',
  service: 'people',
  tag: 'Own account',
  summary: 'List the subscriptions of the caller to Web Push',
  access,
  parameters: [],
  success: object({
    public_key: described(
      text,
      "The server's key, which a browser needs to subscribe, in base64url; empty until the server has one",
    ),
    subscriptions: described(
      listOf(
        object(
          {
            subscription_id: integer,
            service: described(text, 'The origin of the push service'),
            created_at: described(timestamp, 'Seconds since 1970'),
            is_current: described(boolean, 'Whether it belongs to the session of the request'),
          },
          { name: 'PushSubscription' },
        ),
      ),
      'The newest first',
    ),
  }),
});

/** DELETE push_subscriptions. */
export const removePushSubscriptionEndpoint = declareEndpoint({
  name: 'remove-push-subscription',
  method: 'DELETE',
  path: '/push_subscriptions',
  service: 'people',
  tag: 'Own account',
  summary: 'Remove a subscription to Web Push',
  description: 'An endpoint without a subscription of the caller changes nothing.',
  example: { parameters: { endpoint: exampleEndpoint } },
  access,
  parameters: [
    textParameter('endpoint', { required: true, description: 'The address that was subscribed' }),
  ],
  success: object({}),
  afterLoss: 'repeat',
});
