export { changeStreamEndpoint, deleteStreamEndpoint } from './change-stream.ts';
export {
  addSubscriptionsEndpoint,
  changeSubscriptionsEndpoint,
  removeSubscriptionsEndpoint,
} from './change-subscriptions.ts';
export type { StreamEntry } from './change-subscriptions.ts';
export {
  addDefaultStreamEndpoint,
  changeDefaultStreamGroupEndpoint,
  changeDefaultStreamGroupStreamsEndpoint,
  createDefaultStreamGroupEndpoint,
  deleteDefaultStreamGroupEndpoint,
  removeDefaultStreamEndpoint,
} from './default-streams.ts';
export { streamEvents } from './events.ts';
export { listStreamsEndpoint, listSubscriptionsEndpoint } from './list-streams.ts';
export { changeMutedTopicsEndpoint } from './muted-topics.ts';
export {
  addedSubscriptionSchema,
  defaultStreamGroupSchema,
  inheritedSettings,
  listedStreamSchema,
  listedSubscriptionSchema,
  streamSchema,
  subscriptionSchema,
  topicSchema,
  unsubscribedStreamSchema,
} from './objects.ts';
export type {
  AddedSubscription,
  InheritedSetting,
  ListedSubscription,
  StreamObject,
  SubscriptionObject,
} from './objects.ts';
export {
  getStreamEmailEndpoint,
  getStreamIdEndpoint,
  getSubscriptionStatusEndpoint,
  listMembersEndpoint,
  listTopicsEndpoint,
} from './read-stream.ts';
export {
  changeSubscriptionPropertiesEndpoint,
  changeSubscriptionPropertyEndpoint,
} from './subscription-properties.ts';
export type { SubscriptionPropertyChange } from './subscription-properties.ts';
