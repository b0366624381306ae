import type { BotType } from '@parley/api';
import { botTypes } from '@parley/api';
import type { Queryable } from '@parley/database';
import { findSignInAccount, findUserByEmail } from '@parley/store';
import type { User } from '@parley/store';

import { CommandFault } from './faults.ts';

/**
 * Finds an account by its real address, or by the shown one.
 *
 * @throws CommandFault if no account has it
 */
export async function getAccount(db: Queryable, email: string): Promise<User> {
  const found = (await findSignInAccount(db, email)) ?? (await findUserByEmail(db, email));
  if (found === undefined || found.isSystem)
    throw new CommandFault(
      `Nobody has the address ${email}; parley user list tells the addresses of all accounts`,
    );
  return found;
}

const kinds: Readonly<Record<BotType, string>> = {
  [botTypes.generic]: 'generic bot',
  [botTypes.incomingWebhook]: 'incoming webhook',
  [botTypes.outgoingWebhook]: 'outgoing webhook',
  [botTypes.embedded]: 'embedded bot',
};

/** A description of an account for people. */
export function describeRole({ botType, role }: Pick<User, 'botType' | 'role'>): string {
  return botType === null ? role : `${role} (${kinds[botType]})`;
}

/** An account in the form of `--json`. */
export function accountJson(user: User): Readonly<Record<string, unknown>> {
  return {
    user_id: user.id,
    email: user.deliveryEmail,
    full_name: user.fullName,
    role: user.role,
    is_active: user.isActive,
    bot_type: user.botType,
    bot_owner_id: user.botOwnerId,
    date_joined: user.dateJoined,
  };
}
