import type { Endpoint } from '@parley/http';

import type { RunningPresenceContext } from '../context.ts';
import {
  getAvatarEndpoint,
  getAvatarFileEndpoint,
  getDefaultAvatarEndpoint,
  getMediumAvatarEndpoint,
  getMediumDefaultAvatarEndpoint,
  removeOwnAvatarEndpoint,
  uploadOwnAvatarEndpoint,
} from './avatars.ts';
import {
  deleteBotStorageEndpoint,
  readBotStorageEndpoint,
  writeBotStorageEndpoint,
} from './bot-storage.ts';
import {
  changeBotEndpoint,
  createBotEndpoint,
  deactivateBotEndpoint,
  listBotsEndpoint,
  regenerateBotKeyEndpoint,
} from './bots.ts';
import { changeOwnStatusEndpoint } from './change-own-status.ts';
import {
  createUserEndpoint,
  deactivateOwnUserEndpoint,
  deactivateUserEndpoint,
  reactivateUserEndpoint,
  updateUserEndpoint,
} from './change-users.ts';
import { devFetchApiKey } from './dev-fetch-api-key.ts';
import { devListUsers, devListUsersByPost } from './dev-list-users.ts';
import { fetchApiKey } from './fetch-api-key.ts';
import { getOwnProfile } from './get-own-profile.ts';
import { getServerSettings } from './get-server-settings.ts';
import { getUserEndpoint, listUsersEndpoint } from './list-users.ts';
import {
  addLinkifierEndpoint,
  listLinkifiersEndpoint,
  removeLinkifierEndpoint,
} from './linkifiers.ts';
import {
  changeDisplaySettingsEndpoint,
  changeNotificationSettingsEndpoint,
  changeOwnAccountEndpoint,
  setEnterSendsEndpoint,
} from './own-settings.ts';
import {
  getRealmPresenceEndpoint,
  getUserPresenceEndpoint,
  reportPresenceEndpoint,
} from './presence.ts';
import {
  addProfileFieldEndpoint,
  changeOwnProfileEndpoint,
  changeProfileFieldEndpoint,
  clearOwnProfileEndpoint,
  listProfileFieldsEndpoint,
  removeProfileFieldEndpoint,
  reorderProfileFieldsEndpoint,
} from './profile-fields.ts';
import {
  addRealmDomainEndpoint,
  changeRealmDomainEndpoint,
  listRealmDomainsEndpoint,
  removeRealmDomainEndpoint,
} from './realm-domains.ts';
import {
  addRealmEmojiEndpoint,
  getEmojiFileEndpoint,
  listRealmEmojiEndpoint,
  removeRealmEmojiEndpoint,
} from './realm-emoji.ts';
import {
  getDefaultLogoEndpoint,
  getDefaultNightLogoEndpoint,
  getRealmIconEndpoint,
  getRealmLogoEndpoint,
  getRealmPictureEndpoint,
  removeRealmIconEndpoint,
  removeRealmLogoEndpoint,
  uploadRealmIconEndpoint,
  uploadRealmLogoEndpoint,
} from './realm-pictures.ts';
import { changeRealmEndpoint, deactivateRealmEndpoint, generate204Endpoint } from './realm.ts';
import { regenerateOwnApiKey } from './regenerate-own-api-key.ts';
import {
  changeUserGroupEndpoint,
  changeUserGroupMembersEndpoint,
  createUserGroupEndpoint,
  listUserGroupsEndpoint,
  removeUserGroupEndpoint,
} from './user-groups.ts';

/** Every endpoint of this service. */
export const endpoints: readonly Endpoint<RunningPresenceContext>[] = [
  getServerSettings,
  fetchApiKey,
  devFetchApiKey,
  devListUsers,
  devListUsersByPost,
  getOwnProfile,
  regenerateOwnApiKey,
  deactivateOwnUserEndpoint,
  listUsersEndpoint,
  createUserEndpoint,
  getUserEndpoint,
  updateUserEndpoint,
  deactivateUserEndpoint,
  reactivateUserEndpoint,
  uploadOwnAvatarEndpoint,
  removeOwnAvatarEndpoint,
  getAvatarEndpoint,
  getMediumAvatarEndpoint,
  getAvatarFileEndpoint,
  getDefaultAvatarEndpoint,
  getMediumDefaultAvatarEndpoint,
  changeOwnStatusEndpoint,
  reportPresenceEndpoint,
  getUserPresenceEndpoint,
  getRealmPresenceEndpoint,
  changeOwnProfileEndpoint,
  clearOwnProfileEndpoint,
  setEnterSendsEndpoint,
  changeOwnAccountEndpoint,
  changeDisplaySettingsEndpoint,
  changeNotificationSettingsEndpoint,
  listBotsEndpoint,
  createBotEndpoint,
  changeBotEndpoint,
  deactivateBotEndpoint,
  regenerateBotKeyEndpoint,
  readBotStorageEndpoint,
  writeBotStorageEndpoint,
  deleteBotStorageEndpoint,
  listProfileFieldsEndpoint,
  addProfileFieldEndpoint,
  reorderProfileFieldsEndpoint,
  changeProfileFieldEndpoint,
  removeProfileFieldEndpoint,
  generate204Endpoint,
  changeRealmEndpoint,
  deactivateRealmEndpoint,
  listRealmDomainsEndpoint,
  addRealmDomainEndpoint,
  changeRealmDomainEndpoint,
  removeRealmDomainEndpoint,
  getRealmIconEndpoint,
  uploadRealmIconEndpoint,
  removeRealmIconEndpoint,
  getRealmLogoEndpoint,
  uploadRealmLogoEndpoint,
  removeRealmLogoEndpoint,
  getRealmPictureEndpoint,
  getDefaultLogoEndpoint,
  getDefaultNightLogoEndpoint,
  listRealmEmojiEndpoint,
  addRealmEmojiEndpoint,
  removeRealmEmojiEndpoint,
  getEmojiFileEndpoint,
  listLinkifiersEndpoint,
  addLinkifierEndpoint,
  removeLinkifierEndpoint,
  listUserGroupsEndpoint,
  createUserGroupEndpoint,
  changeUserGroupEndpoint,
  removeUserGroupEndpoint,
  changeUserGroupMembersEndpoint,
];
