export { findAnsweredMessage, findAnswerer } from './answers.ts';
export type { AnsweredMessage, Answerer } from './answers.ts';
export {
  countMailCandidates,
  countMessagesToLookAt,
  hasMessagesToLookAt,
  lockDueMailCandidates,
  postponeMailCandidates,
  removeMailCandidates,
  restoreMailCandidates,
  takeCandidates,
  notifiedMaxAgeSecs,
} from './messages-to-mail.ts';
export type { Candidate, EnabledChannels } from './messages-to-mail.ts';
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
