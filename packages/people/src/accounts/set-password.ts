import { getActor } from '@parley/store/access';
import { badRequest, withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import { hashPassword } from '@parley/auth/secrets';
import { findUserById, lockUsersForOwnChange } from '@parley/store';

import type { PeopleContext } from '../people-context.ts';
import { entryForEveryone } from './account-events.ts';
import { isPasswordStrong } from './password-strength.ts';
import { replaceLostPassword } from './replace-lost-password.ts';

/**
 * Replaces a lost password, and ends all else by which somebody may have the account.
 *
 * @throws ApiError `No such user`, or that the password is too weak (reference facts, people 7.3); then nothing has changed
 */
export async function setPassword(
  context: PeopleContext,
  caller: Caller,
  userId: number,
  password: string,
): Promise<void> {
  const found = await findUserById(context.pool, userId);
  if (found === undefined || found.botType !== null) throw badRequest('No such user');
  if (!(await isPasswordStrong(password, [found.fullName, found.deliveryEmail])))
    throw withoutCode('The password is too weak.');
  const passwordHash = await hashPassword(password);
  await context.eventLog.transaction(async (client) => {
    const people = await lockUsersForOwnChange(client, [userId, caller.userId]);
    getActor(people, caller);
    const user = people.find(({ id }) => id === userId);
    if (user === undefined) throw badRequest('No such user');
    const { events, effects, userIds } = await replaceLostPassword(
      context,
      client,
      user,
      passwordHash,
    );
    return {
      result: undefined,
      append: { entries: [entryForEveryone(events, effects)], accountUserIds: userIds },
    };
  });
}
