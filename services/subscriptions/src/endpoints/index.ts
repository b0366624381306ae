import { everyHandlerOf } from '@parley/server';
import type { Implementation } from '@parley/server';

import type { SubscriptionsContext } from '../context.ts';
import { changeMutedTopicsHandler } from './change-muted-topics.ts';
import { changeStreamHandler, deleteStreamHandler } from './change-stream.ts';
import {
  changeSubscriptionPropertiesHandler,
  changeSubscriptionPropertyHandler,
} from './change-subscription-properties.ts';
import {
  addSubscriptionsHandler,
  changeSubscriptionsHandler,
  removeSubscriptionsHandler,
} from './change-subscriptions.ts';
import {
  addDefaultStreamHandler,
  changeDefaultStreamGroupHandler,
  changeDefaultStreamGroupStreamsHandler,
  createDefaultStreamGroupHandler,
  deleteDefaultStreamGroupHandler,
  removeDefaultStreamHandler,
} from './default-streams.ts';
import { listStreamsHandler, listSubscriptionsHandler } from './list-streams.ts';
import {
  getStreamEmailHandler,
  getStreamIdHandler,
  getSubscriptionStatusHandler,
  listMembersHandler,
  listTopicsHandler,
} from './read-stream.ts';

/** Every endpoint of this service. */
export const endpoints: readonly Implementation<SubscriptionsContext>[] = everyHandlerOf(
  'subscriptions',
  [
    listStreamsHandler,
    getStreamIdHandler,
    changeStreamHandler,
    deleteStreamHandler,
    listMembersHandler,
    getStreamEmailHandler,
    listTopicsHandler,
    listSubscriptionsHandler,
    addSubscriptionsHandler,
    changeSubscriptionsHandler,
    removeSubscriptionsHandler,
    changeSubscriptionPropertiesHandler,
    changeMutedTopicsHandler,
    changeSubscriptionPropertyHandler,
    getSubscriptionStatusHandler,
    addDefaultStreamHandler,
    removeDefaultStreamHandler,
    createDefaultStreamGroupHandler,
    changeDefaultStreamGroupHandler,
    changeDefaultStreamGroupStreamsHandler,
    deleteDefaultStreamGroupHandler,
  ],
);
