import type { Endpoint } from '@parley/http';

import type { PresenceContext } from '../context.ts';
import { deactivateUser } from './deactivate-user.ts';
import { devFetchApiKey } from './dev-fetch-api-key.ts';
import { fetchApiKey } from './fetch-api-key.ts';
import { getOwnProfile } from './get-own-profile.ts';
import { getServerSettings } from './get-server-settings.ts';
import { listUsersEndpoint } from './list-users.ts';
import { regenerateOwnApiKey } from './regenerate-own-api-key.ts';

/** Every endpoint of this service. */
export const endpoints: readonly Endpoint<PresenceContext>[] = [
  getServerSettings,
  fetchApiKey,
  devFetchApiKey,
  getOwnProfile,
  regenerateOwnApiKey,
  listUsersEndpoint,
  deactivateUser,
];
