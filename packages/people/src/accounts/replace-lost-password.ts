import type { Client } from '@parley/database';
import { deleteIdentities, updateUser } from '@parley/store';
import type { User } from '@parley/store';

import type { PeopleContext } from '../people-context.ts';
import type { AccountsChange } from './account-events.ts';
import { replaceKeys } from './replace-keys.ts';

/**
 * Gives an account another password, and ends all else by which somebody may have it (decision 0071): its key and its identities at providers here,
 * its sessions, links in mails and push subscriptions by triggers. Its bots stay as they are.
 *
 * @param user locked by the caller
 */
export async function replaceLostPassword(
  context: PeopleContext,
  client: Client,
  user: User,
  passwordHash: string,
): Promise<AccountsChange> {
  await updateUser(client, user.id, { passwordHash });
  await deleteIdentities(client, user.id);
  return replaceKeys(context, client, [user]);
}
