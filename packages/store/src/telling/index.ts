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
  toldMaxSecs,
} from './messages-to-mail.ts';
export type { Candidate, ToldBy } from './messages-to-mail.ts';
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
export { activeForSecs, listToldFacts } from './told-facts.ts';
export type { ToldFacts, ToldPlace } from './told-facts.ts';
