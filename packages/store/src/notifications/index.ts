export * from './answers.ts';
export {
  claimAddedMentions,
  concernedCountMax,
  countMessagesToLookAt,
  findNewMessages,
  forgetAddedMentions,
  lookAtMessages,
  moveToldUpto,
  noteAddedMentions,
  notifiedMaxAgeSecs,
  writeCandidates,
} from './candidates.ts';
export type { ConcerningMessage, EnabledChannels, NewMessages } from './candidates.ts';
export * from './messages-to-mail.ts';
export { findPublicPushKey, getPushKeys } from './push-keys.ts';
export type { PushKeys } from './push-keys.ts';
export {
  claimPushes,
  countPushSubscriptions,
  deletePushSubscription,
  insertPushSubscription,
  listPushSubscriptions,
  releasePush,
  removePushSubscription,
} from './push-subscriptions.ts';
export type {
  ClaimedPush,
  ListedPushSubscription,
  PushPlaces,
  PushTarget,
} from './push-subscriptions.ts';
export { listNotificationFacts } from './notification-facts.ts';
export type { NotificationFacts, StoredPlace } from './notification-facts.ts';
