export {
  invitePeopleEndpoint,
  joinEndpoint,
  listInvitationsEndpoint,
  lookAtJoinLinkEndpoint,
  makeInvitationLinkEndpoint,
  requestToJoinEndpoint,
  resendInvitationEndpoint,
  revokeInvitationEndpoint,
  revokeInvitationLinkEndpoint,
} from './invitations.ts';
export {
  confirmEmailEndpoint,
  requestPasswordResetEndpoint,
  resetPasswordEndpoint,
} from './account-links.ts';
export {
  getAvatarEndpoint,
  getAvatarFileEndpoint,
  getDefaultAvatarEndpoint,
  getMediumAvatarEndpoint,
  getMediumDefaultAvatarEndpoint,
  removeOwnAvatarEndpoint,
  uploadOwnAvatarEndpoint,
} from './avatars.ts';
export {
  deleteBotStorageEndpoint,
  readBotStorageEndpoint,
  writeBotStorageEndpoint,
} from './bot-storage.ts';
export {
  changeBotEndpoint,
  createBotEndpoint,
  deactivateBotEndpoint,
  listBotsEndpoint,
  regenerateBotKeyEndpoint,
} from './bots.ts';
export {
  createUserEndpoint,
  deactivateOwnUserEndpoint,
  deactivateUserEndpoint,
  reactivateUserEndpoint,
  updateUserEndpoint,
} from './change-users.ts';
export { peopleEvents } from './events.ts';
export type { BotChange, PersonChange } from './events.ts';
export {
  botDefaults,
  botServicesSchema,
  managedBotMembers,
  managedBotSchema,
  memberSchema,
  profileDataSchema,
  profileFieldSchema,
  systemBotSchema,
  userGroupSchema,
  userSchema,
} from './objects.ts';
export type {
  ManagedBot,
  Member,
  ProfileData,
  ProfileFieldObject,
  SystemBot,
  UserGroupObject,
  UserObject,
} from './objects.ts';
export {
  changeDisplaySettingsEndpoint,
  changeNotificationSettingsEndpoint,
  changeOwnAccountEndpoint,
  markHotspotSeenEndpoint,
  setEnterSendsEndpoint,
} from './own-settings.ts';
export type { SettingChanges } from './own-settings.ts';
export { getOwnProfileEndpoint, getUserEndpoint, listUsersEndpoint } from './read-users.ts';
export {
  displaySettingDefaults,
  displaySettings,
  emojisets,
  notificationSettingDefaults,
  notificationSettings,
  notificationSounds,
  userSettingDefaults,
} from './settings.ts';
export type { UserSettings } from './settings.ts';
export {
  addPushSubscriptionEndpoint,
  listPushSubscriptionsEndpoint,
  removePushSubscriptionEndpoint,
} from './push-subscriptions.ts';
export {
  endOtherSessionsEndpoint,
  endSessionEndpoint,
  listSessionsEndpoint,
  openSessionEndpoint,
} from './sessions.ts';
export {
  beginLinkingEndpoint,
  beginSingleSignOnEndpoint,
  finishSingleSignOnEndpoint,
  listIdentitiesEndpoint,
  unlinkIdentityEndpoint,
} from './single-sign-on.ts';
export {
  devFetchApiKeyEndpoint,
  devListUsersByPostEndpoint,
  devListUsersEndpoint,
  fetchApiKeyEndpoint,
  regenerateOwnApiKeyEndpoint,
} from './sign-in.ts';
export {
  changeUserGroupEndpoint,
  changeUserGroupMembersEndpoint,
  createUserGroupEndpoint,
  listUserGroupsEndpoint,
  removeUserGroupEndpoint,
} from './user-groups.ts';
export {
  createScimTokenEndpoint,
  listScimTokensEndpoint,
  revokeScimTokenEndpoint,
} from './scim-tokens.ts';
