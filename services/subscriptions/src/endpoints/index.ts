import type { Endpoint } from '@parley/http';

import type { SubscriptionsContext } from '../context.ts';
import { addSubscriptionsEndpoint } from './add-subscriptions.ts';
import { changeMutedTopicsEndpoint } from './change-muted-topics.ts';
import {
  changeSubscriptionPropertiesEndpoint,
  changeSubscriptionPropertyEndpoint,
} from './change-subscription-properties.ts';
import { listStreamsEndpoint } from './list-streams.ts';
import { listSubscriptionsEndpoint } from './list-subscriptions.ts';
import { removeSubscriptionsEndpoint } from './remove-subscriptions.ts';

/** Every endpoint of this service. */
export const endpoints: readonly Endpoint<SubscriptionsContext>[] = [
  listStreamsEndpoint,
  listSubscriptionsEndpoint,
  addSubscriptionsEndpoint,
  removeSubscriptionsEndpoint,
  changeSubscriptionPropertiesEndpoint,
  changeSubscriptionPropertyEndpoint,
  changeMutedTopicsEndpoint,
];
