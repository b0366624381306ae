import { defineEndpoint, jsonBoolean } from '@parley/http';
import { listUsers, memberJson } from '@parley/store';

import type { PresenceContext } from '../context.ts';

/** GET users (contract, User; reference facts, people 7.1). */
export const listUsersEndpoint = defineEndpoint({
  name: 'list-users',
  method: 'GET',
  path: '/users',
  summary: 'List all accounts, active and deactivated, by ascending id',
  access: { authentication: 'required' },
  parameters: [
    jsonBoolean('client_gravatar', {
      default: false,
      description: 'avatar_url is null for accounts whose avatar is a Gravatar',
    }),
    jsonBoolean('include_custom_profile_fields', {
      default: false,
      description: 'Add profile_data for humans',
    }),
  ],
  response: {
    type: 'object',
    properties: {
      members: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            user_id: { type: 'integer' },
            email: { type: 'string' },
            full_name: { type: 'string' },
            is_bot: { type: 'boolean' },
            is_admin: { type: 'boolean' },
            is_guest: { type: 'boolean' },
            is_active: { type: 'boolean' },
            avatar_url: { type: ['string', 'null'] },
            timezone: { type: 'string' },
            date_joined: { type: 'string' },
            bot_type: {
              type: ['integer', 'null'],
              description:
                '1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded; null for humans',
            },
            bot_owner_id: { type: ['integer', 'null'], description: 'bots only' },
            bot_owner: { type: 'string', description: 'email address; bots with an owner only' },
            profile_data: { type: 'object' },
          },
          required: [
            'user_id',
            'email',
            'full_name',
            'is_bot',
            'is_admin',
            'is_guest',
            'is_active',
            'avatar_url',
            'timezone',
            'date_joined',
            'bot_type',
          ],
        },
      },
    },
    required: ['members'],
  },
  handler: async (context: PresenceContext, { parameters }) => {
    const users = await listUsers(context.pool);
    const emails = new Map(users.map((user) => [user.id, user.email]));
    return {
      members: users.map((user) =>
        memberJson(user, user.botOwnerId === null ? undefined : emails.get(user.botOwnerId), {
          clientGravatar: parameters.client_gravatar,
          profileData: parameters.include_custom_profile_fields,
        }),
      ),
    };
  },
});
