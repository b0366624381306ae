import { notAuthenticated } from '@parley/api';
import type { Role } from '@parley/api';
import type { Client } from '@parley/database';
import { lockUsersInUse } from '@parley/store';

/** An account that changes something, as it is until its transaction ends. */
export type Actor = { readonly userId: number; readonly role: Role; readonly email: string };

/**
 * Locks the account that makes a change, so that its role and activity are what they were judged by at the change's place in the log.
 *
 * @throws ApiError 401 when it was deactivated
 */
export async function lockActor(client: Client, userId: number): Promise<Actor> {
  const [user] = await lockUsersInUse(client, { userIds: [userId] });
  if (user?.isActive !== true) throw notAuthenticated('Account is deactivated');
  return { userId, role: user.role, email: user.email };
}
