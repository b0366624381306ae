export * from './change-stream.ts';
export * from './change-subscriptions.ts';
export * from './default-streams.ts';
export * from './events.ts';
export * from './list-streams.ts';
export * from './muted-topics.ts';
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
export * from './read-stream.ts';
export * from './subscription-properties.ts';
