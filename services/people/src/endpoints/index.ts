import type { PeopleContext } from '@parley/people';
import { everyHandlerOf } from '@parley/server';
import type { Implementation } from '@parley/server';

import {
  confirmEmailHandler,
  requestPasswordResetHandler,
  resetPasswordHandler,
} from './account-links.ts';
import {
  getAvatarHandler,
  getAvatarFileHandler,
  getDefaultAvatarHandler,
  getMediumAvatarHandler,
  getMediumDefaultAvatarHandler,
  removeOwnAvatarHandler,
  uploadOwnAvatarHandler,
} from './avatars.ts';
import {
  deleteBotStorageHandler,
  readBotStorageHandler,
  writeBotStorageHandler,
} from './bot-storage.ts';
import {
  changeBotHandler,
  createBotHandler,
  deactivateBotHandler,
  listBotsHandler,
  regenerateBotKeyHandler,
} from './bots.ts';
import {
  createUserHandler,
  deactivateOwnUserHandler,
  deactivateUserHandler,
  reactivateUserHandler,
  updateUserHandler,
} from './change-users.ts';
import { devFetchApiKeyHandler } from './dev-fetch-api-key.ts';
import { devListUsersHandler, devListUsersByPostHandler } from './dev-list-users.ts';
import { fetchApiKeyHandler } from './fetch-api-key.ts';
import { generate204Handler } from './generate-204.ts';
import { getOwnProfileHandler } from './get-own-profile.ts';
import { getServerSettingsHandler } from './get-server-settings.ts';
import { getUserHandler, listUsersHandler } from './list-users.ts';
import {
  invitePeopleHandler,
  joinHandler,
  listInvitationsHandler,
  lookAtJoinLinkHandler,
  makeInvitationLinkHandler,
  requestToJoinHandler,
  resendInvitationHandler,
  revokeInvitationHandler,
  revokeInvitationLinkHandler,
} from './invitations.ts';
import {
  addLinkifierHandler,
  listLinkifiersHandler,
  removeLinkifierHandler,
} from './linkifiers.ts';
import {
  changeDisplaySettingsHandler,
  changeNotificationSettingsHandler,
  changeOwnAccountHandler,
  markHotspotSeenHandler,
  setEnterSendsHandler,
} from './own-settings.ts';
import {
  addProfileFieldHandler,
  changeOwnProfileHandler,
  changeProfileFieldHandler,
  clearOwnProfileHandler,
  listProfileFieldsHandler,
  removeProfileFieldHandler,
  reorderProfileFieldsHandler,
} from './profile-fields.ts';
import {
  addRealmDomainHandler,
  changeRealmDomainHandler,
  listRealmDomainsHandler,
  removeRealmDomainHandler,
} from './realm-domains.ts';
import {
  addRealmEmojiHandler,
  getEmojiFileHandler,
  getExtraEmojiHandler,
  listRealmEmojiHandler,
  removeRealmEmojiHandler,
} from './realm-emoji.ts';
import {
  getDefaultLogoHandler,
  getDefaultNightLogoHandler,
  getRealmIconHandler,
  getRealmLogoHandler,
  getRealmPictureHandler,
  removeRealmIconHandler,
  removeRealmLogoHandler,
  uploadRealmIconHandler,
  uploadRealmLogoHandler,
} from './realm-pictures.ts';
import {
  deleteExportHandler,
  getExportFileHandler,
  listExportsHandler,
  requestExportHandler,
} from './realm-exports.ts';
import { changeRealmHandler, deactivateRealmHandler } from './realm.ts';
import { regenerateOwnApiKeyHandler } from './regenerate-own-api-key.ts';
import {
  scimBulkHandler,
  scimGetConfigurationHandler,
  scimGetResourceTypeHandler,
  scimGetSchemaHandler,
  scimListResourceTypesHandler,
  scimListSchemasHandler,
  scimMeHandler,
  scimSearchAllHandler,
} from './scim-discovery.ts';
import {
  scimChangeGroupHandler,
  scimCreateGroupHandler,
  scimDeleteGroupHandler,
  scimGetGroupHandler,
  scimListGroupsHandler,
  scimReplaceGroupHandler,
  scimSearchGroupsHandler,
} from './scim-groups.ts';
import {
  createScimTokenHandler,
  listScimTokensHandler,
  revokeScimTokenHandler,
} from './scim-tokens.ts';
import {
  scimChangeUserHandler,
  scimCreateUserHandler,
  scimDeleteUserHandler,
  scimGetUserHandler,
  scimListUsersHandler,
  scimReplaceUserHandler,
  scimSearchUsersHandler,
} from './scim-users.ts';
import {
  beginLinkingHandler,
  beginSingleSignOnHandler,
  finishSingleSignOnHandler,
  listIdentitiesHandler,
  unlinkIdentityHandler,
} from './single-sign-on.ts';
import {
  addPushSubscriptionHandler,
  listPushSubscriptionsHandler,
  removePushSubscriptionHandler,
} from './push-subscriptions.ts';
import {
  endOtherSessionsHandler,
  endSessionHandler,
  listSessionsHandler,
  openSessionHandler,
} from './sessions.ts';
import {
  changeUserGroupHandler,
  changeUserGroupMembersHandler,
  createUserGroupHandler,
  listUserGroupsHandler,
  removeUserGroupHandler,
} from './user-groups.ts';

/** Every endpoint of this service. */
export const endpoints: readonly Implementation<PeopleContext>[] = everyHandlerOf('people', [
  getServerSettingsHandler,
  fetchApiKeyHandler,
  devFetchApiKeyHandler,
  devListUsersHandler,
  devListUsersByPostHandler,
  requestPasswordResetHandler,
  resetPasswordHandler,
  requestToJoinHandler,
  lookAtJoinLinkHandler,
  joinHandler,
  openSessionHandler,
  beginSingleSignOnHandler,
  finishSingleSignOnHandler,
  listSessionsHandler,
  endSessionHandler,
  endOtherSessionsHandler,
  beginLinkingHandler,
  listIdentitiesHandler,
  unlinkIdentityHandler,
  addPushSubscriptionHandler,
  listPushSubscriptionsHandler,
  removePushSubscriptionHandler,
  getOwnProfileHandler,
  regenerateOwnApiKeyHandler,
  deactivateOwnUserHandler,
  listUsersHandler,
  createUserHandler,
  getUserHandler,
  updateUserHandler,
  deactivateUserHandler,
  reactivateUserHandler,
  uploadOwnAvatarHandler,
  removeOwnAvatarHandler,
  getAvatarHandler,
  getMediumAvatarHandler,
  getAvatarFileHandler,
  getDefaultAvatarHandler,
  getMediumDefaultAvatarHandler,
  changeOwnProfileHandler,
  clearOwnProfileHandler,
  setEnterSendsHandler,
  markHotspotSeenHandler,
  changeOwnAccountHandler,
  confirmEmailHandler,
  changeDisplaySettingsHandler,
  changeNotificationSettingsHandler,
  listBotsHandler,
  createBotHandler,
  changeBotHandler,
  deactivateBotHandler,
  regenerateBotKeyHandler,
  readBotStorageHandler,
  writeBotStorageHandler,
  deleteBotStorageHandler,
  listProfileFieldsHandler,
  addProfileFieldHandler,
  reorderProfileFieldsHandler,
  changeProfileFieldHandler,
  removeProfileFieldHandler,
  generate204Handler,
  invitePeopleHandler,
  listInvitationsHandler,
  makeInvitationLinkHandler,
  revokeInvitationLinkHandler,
  resendInvitationHandler,
  revokeInvitationHandler,
  changeRealmHandler,
  deactivateRealmHandler,
  listRealmDomainsHandler,
  addRealmDomainHandler,
  changeRealmDomainHandler,
  removeRealmDomainHandler,
  getRealmIconHandler,
  uploadRealmIconHandler,
  removeRealmIconHandler,
  getRealmLogoHandler,
  uploadRealmLogoHandler,
  removeRealmLogoHandler,
  getRealmPictureHandler,
  getDefaultLogoHandler,
  getDefaultNightLogoHandler,
  listRealmEmojiHandler,
  addRealmEmojiHandler,
  removeRealmEmojiHandler,
  getEmojiFileHandler,
  getExtraEmojiHandler,
  listLinkifiersHandler,
  addLinkifierHandler,
  removeLinkifierHandler,
  requestExportHandler,
  listExportsHandler,
  getExportFileHandler,
  deleteExportHandler,
  listUserGroupsHandler,
  createUserGroupHandler,
  changeUserGroupHandler,
  removeUserGroupHandler,
  changeUserGroupMembersHandler,
  scimBulkHandler,
  scimGetConfigurationHandler,
  scimGetResourceTypeHandler,
  scimGetSchemaHandler,
  scimListResourceTypesHandler,
  scimListSchemasHandler,
  scimMeHandler,
  scimSearchAllHandler,
  scimChangeGroupHandler,
  scimCreateGroupHandler,
  scimDeleteGroupHandler,
  scimGetGroupHandler,
  scimListGroupsHandler,
  scimReplaceGroupHandler,
  scimSearchGroupsHandler,
  createScimTokenHandler,
  listScimTokensHandler,
  revokeScimTokenHandler,
  scimChangeUserHandler,
  scimCreateUserHandler,
  scimDeleteUserHandler,
  scimGetUserHandler,
  scimListUsersHandler,
  scimReplaceUserHandler,
  scimSearchUsersHandler,
]);
