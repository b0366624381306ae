export {
  avatarUrl,
  crossRealmBotJson,
  gravatarUrl,
  memberJson,
  realmUserJson,
  userJsonOptions,
} from './accounts.ts';
export type { UserJsonOptions } from './accounts.ts';
export { botDefaultsJson, botServicesJson, realmBotJson, realmBotSecrets } from './bots.ts';
export { readDefaultStreamGroups, readDefaultStreams } from './default-streams.ts';
export type { ListForMembers } from './default-streams.ts';
export { draftJson } from './drafts.ts';
export { occupancyEvents } from './occupancy-events.ts';
export {
  authenticationMethods,
  defaultExternalAccounts,
  emojiUrl,
  linkifierJson,
  profileFieldJson,
  realmDomainJson,
  realmEmojiJson,
  realmIconUrl,
  realmLogoUrl,
  singleSignOnMethod,
  userGroupJson,
} from './organization.ts';
export type { SignInServer } from './organization.ts';
export { scheduledMessageJson } from './scheduled-messages.ts';
export {
  ageFields,
  personalFields,
  streamJson,
  subscriptionJson,
  withoutDescription,
} from './streams.ts';
