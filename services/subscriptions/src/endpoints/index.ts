import type { Endpoint } from '@parley/http';

import type { SubscriptionsContext } from '../context.ts';
import { addSubscriptionsEndpoint } from './add-subscriptions.ts';
import { changeMutedTopicsEndpoint } from './change-muted-topics.ts';
import { changeStreamEndpoint, deleteStreamEndpoint } from './change-stream.ts';
import {
  changeSubscriptionPropertiesEndpoint,
  changeSubscriptionPropertyEndpoint,
} from './change-subscription-properties.ts';
import { changeSubscriptionsEndpoint } from './change-subscriptions.ts';
import {
  addDefaultStreamEndpoint,
  changeDefaultStreamGroupEndpoint,
  changeDefaultStreamGroupStreamsEndpoint,
  createDefaultStreamGroupEndpoint,
  deleteDefaultStreamGroupEndpoint,
  removeDefaultStreamEndpoint,
} from './default-streams.ts';
import { listStreamsEndpoint } from './list-streams.ts';
import { listSubscriptionsEndpoint } from './list-subscriptions.ts';
import {
  getStreamEmailEndpoint,
  getStreamIdEndpoint,
  getSubscriptionStatusEndpoint,
  listMembersEndpoint,
  listTopicsEndpoint,
} from './read-stream.ts';
import { removeSubscriptionsEndpoint } from './remove-subscriptions.ts';

/** Every endpoint of this service. */
export const endpoints: readonly Endpoint<SubscriptionsContext>[] = [
  listStreamsEndpoint,
  getStreamIdEndpoint,
  changeStreamEndpoint,
  deleteStreamEndpoint,
  listMembersEndpoint,
  getStreamEmailEndpoint,
  listTopicsEndpoint,
  listSubscriptionsEndpoint,
  addSubscriptionsEndpoint,
  changeSubscriptionsEndpoint,
  removeSubscriptionsEndpoint,
  changeSubscriptionPropertiesEndpoint,
  changeMutedTopicsEndpoint,
  changeSubscriptionPropertyEndpoint,
  getSubscriptionStatusEndpoint,
  addDefaultStreamEndpoint,
  removeDefaultStreamEndpoint,
  createDefaultStreamGroupEndpoint,
  changeDefaultStreamGroupEndpoint,
  changeDefaultStreamGroupStreamsEndpoint,
  deleteDefaultStreamGroupEndpoint,
];
