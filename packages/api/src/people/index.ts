export * from './invitations.ts';
export * from './account-links.ts';
export * from './avatars.ts';
export * from './bot-storage.ts';
export * from './bots.ts';
export * from './change-users.ts';
export * from './events.ts';
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
export * from './own-settings.ts';
export * from './read-users.ts';
export * from './settings.ts';
export * from './push-subscriptions.ts';
export * from './sessions.ts';
export * from './single-sign-on.ts';
export {
  devFetchApiKeyEndpoint,
  devListUsersByPostEndpoint,
  devListUsersEndpoint,
  fetchApiKeyEndpoint,
  regenerateOwnApiKeyEndpoint,
} from './sign-in.ts';
export * from './user-groups.ts';
export * from './scim-tokens.ts';
