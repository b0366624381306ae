import { getActor } from '@parley/access';
import { badRequest, withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import { hashPassword } from '@parley/secrets';
import { findUserById, lockUsersForOwnChange, updateUser } from '@parley/store';

import type { PeopleContext } from '../people-context.ts';
import { entryForEveryone } from './account-events.ts';
import { isPasswordStrong } from './password-strength.ts';

/**
 * Replaces a lost password. The API key stays the same; sessions of browsers end.
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
    getActor(await lockUsersForOwnChange(client, [userId, caller.userId]), caller);
    await updateUser(client, userId, { passwordHash });
    return {
      result: undefined,
      append: { entries: [entryForEveryone([])], accountUserIds: [userId] },
    };
  });
}
