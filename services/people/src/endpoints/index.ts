import type { PeopleContext } from '@parley/people';
import { everyHandlerOf } from '@parley/server';
import type { Implementation } from '@parley/server';

import * as accountLinks from './account-links.ts';
import * as avatars from './avatars.ts';
import * as botStorage from './bot-storage.ts';
import * as bots from './bots.ts';
import * as changeUsers from './change-users.ts';
import * as devFetchApiKey from './dev-fetch-api-key.ts';
import * as devListUsers from './dev-list-users.ts';
import * as fetchApiKey from './fetch-api-key.ts';
import * as generate204 from './generate-204.ts';
import * as getOwnProfile from './get-own-profile.ts';
import * as getServerSettings from './get-server-settings.ts';
import * as invitations from './invitations.ts';
import * as linkifiers from './linkifiers.ts';
import * as listUsers from './list-users.ts';
import * as ownSettings from './own-settings.ts';
import * as profileFields from './profile-fields.ts';
import * as pushSubscriptions from './push-subscriptions.ts';
import * as realmDomains from './realm-domains.ts';
import * as realmEmoji from './realm-emoji.ts';
import * as realmExports from './realm-exports.ts';
import * as realmPictures from './realm-pictures.ts';
import * as realm from './realm.ts';
import * as regenerateOwnApiKey from './regenerate-own-api-key.ts';
import * as scimDiscovery from './scim-discovery.ts';
import * as scimGroups from './scim-groups.ts';
import * as scimTokens from './scim-tokens.ts';
import * as scimUsers from './scim-users.ts';
import * as sessions from './sessions.ts';
import * as singleSignOn from './single-sign-on.ts';
import * as userGroups from './user-groups.ts';

/** Every endpoint of this service. */
export const endpoints: readonly Implementation<PeopleContext>[] = everyHandlerOf('people', [
  accountLinks,
  avatars,
  botStorage,
  bots,
  changeUsers,
  devFetchApiKey,
  devListUsers,
  fetchApiKey,
  generate204,
  getOwnProfile,
  getServerSettings,
  invitations,
  linkifiers,
  listUsers,
  ownSettings,
  profileFields,
  pushSubscriptions,
  realmDomains,
  realmEmoji,
  realmExports,
  realmPictures,
  realm,
  regenerateOwnApiKey,
  scimDiscovery,
  scimGroups,
  scimTokens,
  scimUsers,
  sessions,
  singleSignOn,
  userGroups,
]);
