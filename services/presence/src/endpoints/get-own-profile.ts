import { randomBytes } from 'node:crypto';

import { profileDataSchema } from '@parley/api-schemas';
import { notAuthenticated } from '@parley/contracts';
import { defineEndpoint } from '@parley/http';
import { avatarUrl, findNewestSentMessageId, findUserById, listProfiles } from '@parley/store';

import type { PresenceContext } from '../context.ts';

/** GET users/me (contract, Profile; reference facts, people 7.2). */
export const getOwnProfile = defineEndpoint({
  name: 'get-own-profile',
  method: 'GET',
  path: '/users/me',
  summary: "Get the caller's profile",
  access: { authentication: 'required' },
  parameters: [],
  response: {
    type: 'object',
    properties: {
      user_id: { type: 'integer' },
      email: { type: 'string' },
      full_name: { type: 'string' },
      short_name: { type: 'string' },
      avatar_url: { type: 'string' },
      is_admin: { type: 'boolean' },
      is_bot: { type: 'boolean' },
      pointer: { type: 'integer', description: '-1 for a new account' },
      client_id: { type: 'string', description: 'another one on every call' },
      max_message_id: {
        type: 'integer',
        description: 'the newest message that the account itself sent, -1 if there is none',
      },
      profile_data: profileDataSchema,
    },
    required: [
      'user_id',
      'email',
      'full_name',
      'short_name',
      'avatar_url',
      'is_admin',
      'is_bot',
      'pointer',
      'client_id',
      'max_message_id',
    ],
  },
  handler: async (context: PresenceContext, { caller }) => {
    const user = await findUserById(context.pool, caller.userId);
    if (user === undefined) throw notAuthenticated('Invalid API key');
    const newest = await findNewestSentMessageId(context.pool, user.id);
    return {
      user_id: user.id,
      email: user.email,
      full_name: user.fullName,
      short_name: user.shortName,
      avatar_url: avatarUrl(user),
      is_admin: user.role === 'administrator',
      is_bot: user.botType !== null,
      pointer: user.pointer,
      client_id: randomBytes(16).toString('hex'),
      max_message_id: newest ?? -1,
      ...(user.botType === null && {
        profile_data: (await listProfiles(context.pool, [user.id])).get(user.id) ?? {},
      }),
    };
  },
});
