import {
  addPushSubscriptionEndpoint,
  listPushSubscriptionsEndpoint,
  removePushSubscriptionEndpoint,
} from '@parley/api/people';
import { addPushSubscription } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';
import {
  deletePushSubscription,
  findPublicPushKey,
  listPushSubscriptions,
} from '@parley/store/notifications';

/** POST push_subscriptions. */
export const addPushSubscriptionHandler = implement(
  addPushSubscriptionEndpoint,
  async (context: PeopleContext, { caller, parameters }) => ({
    subscription_id: await addPushSubscription(context, caller, parameters),
  }),
);

/** GET push_subscriptions. */
export const listPushSubscriptionsHandler = implement(
  listPushSubscriptionsEndpoint,
  async ({ pool }: PeopleContext, { caller }) => {
    const [publicKey, subscriptions] = await Promise.all([
      findPublicPushKey(pool),
      listPushSubscriptions(pool, caller.userId),
    ]);
    return {
      public_key: publicKey ?? '',
      subscriptions: subscriptions.map(({ id, origin, createdAtSecs, sessionId }) => ({
        subscription_id: id,
        service: origin,
        created_at: createdAtSecs,
        is_current: sessionId !== null && sessionId === caller.sessionId,
      })),
    };
  },
);

/** DELETE push_subscriptions. */
export const removePushSubscriptionHandler = implement(
  removePushSubscriptionEndpoint,
  async ({ pool }: PeopleContext, { caller, parameters }) => {
    await deletePushSubscription(pool, caller.userId, parameters.endpoint);
    return {};
  },
);
