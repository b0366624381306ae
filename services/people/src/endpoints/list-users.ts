import { badRequest } from '@parley/api';
import type { Caller } from '@parley/api';
import { getUserEndpoint, listUsersEndpoint } from '@parley/api/people';
import { CallerReads } from '@parley/database';
import type { Queryable } from '@parley/database';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';
import { memberJson, userJsonOptions } from '@parley/store/objects';
import { findUserById, getRealm, listProfiles, listUsers } from '@parley/store';
import type { UserJsonOptions } from '@parley/store/objects';
import type { User } from '@parley/store';

type Wanted = {
  readonly client_gravatar: boolean;
  readonly include_custom_profile_fields: boolean;
};

async function readOptions(
  database: Queryable,
  caller: Caller,
  wanted: Wanted,
  userIds?: readonly number[],
): Promise<UserJsonOptions> {
  const { settings } = await getRealm(database);
  return userJsonOptions(caller, settings, {
    clientGravatar: wanted.client_gravatar,
    ...(wanted.include_custom_profile_fields && {
      profiles: await listProfiles(database, userIds),
    }),
  });
}

/** GET users (contract, User; reference facts, people 7.1). */
export const listUsersHandler = implement(
  listUsersEndpoint,
  async (context: PeopleContext, { caller, parameters, signal }) => {
    const database = new CallerReads(context.pool, signal);
    const options = await readOptions(database, caller, parameters);
    const users = await listUsers(database);
    const emails = new Map(users.map((user) => [user.id, user.email]));
    return {
      members: users.map((user) => memberJson(user, emails.get(user.botOwnerId ?? 0), options)),
    };
  },
);

/** GET users/{user_id} (reference facts, people 1). */
export const getUserHandler = implement(
  getUserEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    const user = await findUserById(context.pool, parameters.user_id);
    if (user === undefined || user.isSystem) throw badRequest('No such user');
    const options = await readOptions(context.pool, caller, parameters, [user.id]);
    const owner: User | undefined =
      user.botOwnerId === null ? undefined : await findUserById(context.pool, user.botOwnerId);
    return { user: memberJson(user, owner?.email, options) };
  },
);
