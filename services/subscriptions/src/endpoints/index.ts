import { everyHandlerOf } from '@parley/server';
import type { Implementation } from '@parley/server';

import type { SubscriptionsContext } from '../context.ts';
import * as changeMutedTopics from './change-muted-topics.ts';
import * as changeStream from './change-stream.ts';
import * as changeSubscriptionProperties from './change-subscription-properties.ts';
import * as changeSubscriptions from './change-subscriptions.ts';
import * as defaultStreams from './default-streams.ts';
import * as listStreams from './list-streams.ts';
import * as readStream from './read-stream.ts';

/** Every endpoint of this service. */
export const endpoints: readonly Implementation<SubscriptionsContext>[] = everyHandlerOf(
  'subscriptions',
  [
    changeMutedTopics,
    changeStream,
    changeSubscriptionProperties,
    changeSubscriptions,
    defaultStreams,
    listStreams,
    readStream,
  ],
);
