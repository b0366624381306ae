import { notAuthenticated } from '@parley/api';
import type { Role } from '@parley/api';
import type { Client } from '@parley/database';
import { lockUsersInUse } from '@parley/store';

/** An account that makes a change, in its state until the transaction ends. */
export type Actor = { readonly userId: number; readonly role: Role; readonly email: string };

/**
 * Locks the account that makes a change, so that its role and activity still hold at the change's position in the log.
 *
 * @throws ApiError 401 when it was deactivated
 */
export async function lockActor(client: Client, userId: number): Promise<Actor> {
  const [user] = await lockUsersInUse(client, { userIds: [userId] });
  if (user?.isActive !== true) throw notAuthenticated('Account is deactivated');
  return { userId, role: user.role, email: user.email };
}
