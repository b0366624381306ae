import { memberSchema } from '@parley/api-schemas';
import { badRequest } from '@parley/contracts';
import type { Caller } from '@parley/contracts';
import { defineEndpoint, exampleVariables, jsonBoolean, pathInteger } from '@parley/http';
import {
  findUserById,
  getRealm,
  listProfiles,
  listUsers,
  memberJson,
  userJsonOptions,
} from '@parley/store';
import type { User, UserJsonOptions } from '@parley/store';

import type { PresenceContext } from '../context.ts';

const clientGravatar = jsonBoolean('client_gravatar', {
  default: false,
  description: 'avatar_url is null for accounts whose avatar is a Gravatar',
});
const includeCustomProfileFields = jsonBoolean('include_custom_profile_fields', {
  default: false,
  description: 'Add profile_data for humans',
});

type Wanted = {
  readonly client_gravatar: boolean;
  readonly include_custom_profile_fields: boolean;
};

async function readOptions(
  context: PresenceContext,
  caller: Caller,
  wanted: Wanted,
  userIds?: readonly number[],
): Promise<UserJsonOptions> {
  const { settings } = await getRealm(context.pool);
  return userJsonOptions(caller, settings, {
    clientGravatar: wanted.client_gravatar,
    ...(wanted.include_custom_profile_fields && {
      profiles: await listProfiles(context.pool, userIds),
    }),
  });
}

/** GET users (contract, User; reference facts, people 7.1). */
export const listUsersEndpoint = defineEndpoint({
  name: 'list-users',
  method: 'GET',
  path: '/users',
  summary: 'List all accounts, active and deactivated, by ascending id',
  access: { authentication: 'required' },
  parameters: [clientGravatar, includeCustomProfileFields],
  response: {
    type: 'object',
    properties: { members: { type: 'array', items: memberSchema } },
    required: ['members'],
  },
  handler: async (context: PresenceContext, { caller, parameters }) => {
    const options = await readOptions(context, caller, parameters);
    const users = await listUsers(context.pool);
    const emails = new Map(users.map((user) => [user.id, user.email]));
    return {
      members: users.map((user) => memberJson(user, emails.get(user.botOwnerId ?? 0), options)),
    };
  },
});

/** GET users/{user_id} (reference facts, people 1). */
export const getUserEndpoint = defineEndpoint({
  name: 'get-user',
  method: 'GET',
  path: '/users/:user_id',
  summary: 'Get one account, active or deactivated',
  example: { parameters: { user_id: exampleVariables.userId } },
  access: { authentication: 'required' },
  parameters: [
    pathInteger('user_id', { description: 'The id of the person or bot' }),
    clientGravatar,
    includeCustomProfileFields,
  ],
  response: { type: 'object', properties: { user: memberSchema }, required: ['user'] },
  errors: ['BAD_REQUEST'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    const user = await findUserById(context.pool, parameters.user_id);
    if (user === undefined || user.isSystem) throw badRequest('No such user');
    const options = await readOptions(context, caller, parameters, [user.id]);
    const owner: User | undefined =
      user.botOwnerId === null ? undefined : await findUserById(context.pool, user.botOwnerId);
    return { user: memberJson(user, owner?.email, options) };
  },
});
