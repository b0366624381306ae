import { capRole } from '@parley/store/access';
import type { Role } from '@parley/api';
import type { Client } from '@parley/database';
import { setAccountStates } from '@parley/store';
import type { User } from '@parley/store';

import { accountEffect, roleEvents } from '../accounts/account-events.ts';
import type { AccountsChange } from '../accounts/account-events.ts';
import { endAccounts } from '../accounts/end-accounts.ts';
import { replaceKeys } from '../accounts/replace-keys.ts';
import type { PeopleContext } from '../people-context.ts';

/**
 * Limits bots to the role of their owner (decision 0034): a bot above it gets the owner's role and a new key, and a guest's bots are
 * deactivated.
 *
 * @param bots of one owner, active or not, locked FOR UPDATE
 */
export async function limitBotRoles(
  context: PeopleContext,
  client: Client,
  bots: readonly User[],
  ownerRole: Role,
  changeId: number,
): Promise<AccountsChange> {
  const capped = (bot: User): User => ({ ...bot, role: capRole(bot.role, ownerRole) });
  const fallen = bots.filter((bot) => capped(bot).role !== bot.role);
  const ending = bots.filter(({ isActive }) => isActive && ownerRole === 'guest');
  const lowered = fallen.filter((bot) => !ending.includes(bot)).map(capped);
  await setAccountStates(client, lowered, changeId);
  const keys = await replaceKeys(context, client, fallen);
  const ended = await endAccounts(context, client, ending.map(capped), changeId);
  return {
    events: [
      ...fallen.flatMap((bot) => roleEvents(bot, capped(bot).role)),
      ...keys.events,
      ...ended.events,
    ],
    effects: [...lowered.map(accountEffect), ...keys.effects, ...ended.effects],
    userIds: [...new Set([...keys.userIds, ...ended.userIds])],
  };
}
