import { randomBytes } from 'node:crypto';

import { notAuthenticated } from '@parley/api';
import { getOwnProfileEndpoint } from '@parley/api/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';
import { avatarUrl } from '@parley/store/objects';
import { findNewestSentMessageId, findUserById, listProfiles } from '@parley/store';

/** GET users/me (contract, Profile; reference facts, people 7.2). */
export const getOwnProfileHandler = implement(
  getOwnProfileEndpoint,
  async (context: PeopleContext, { caller }) => {
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
);
