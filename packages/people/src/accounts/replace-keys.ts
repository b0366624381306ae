import type { Client } from '@parley/database';
import { listHumanAdministratorIds, readBotDetails, setApiKeys } from '@parley/store';
import type { User } from '@parley/store';

import { botSecretUpdated, botViewers } from '../bots/bot-events.ts';
import type { PeopleContext } from '../people-context.ts';
import type { AccountsChange } from './account-events.ts';

/**
 * Replaces the key of each account. The old ones stop working at once (reference facts, people 4), and those who manage a bot get its
 * new one.
 *
 * @param accounts locked by the caller
 */
export async function replaceKeys(
  context: PeopleContext,
  client: Client,
  accounts: readonly User[],
): Promise<AccountsChange & { readonly keys: ReadonlyMap<number, string> }> {
  const userIds = accounts.map(({ id }) => id);
  const keys = await setApiKeys(
    client,
    context.keySecrets,
    userIds.map((userId) => ({ userId })),
  );
  const bots = accounts.filter(({ botType }) => botType !== null);
  const details = await readBotDetails(client, context.keySecrets, bots);
  const administratorIds = await listHumanAdministratorIds(client);
  return {
    keys,
    // The key itself is only in the encrypted part: the log holds no secret in plain text.
    events: details.map((bot) =>
      botSecretUpdated(context.keySecrets, bot, botViewers(bot, administratorIds), {
        api_key: bot.apiKey,
      }),
    ),
    effects: userIds.map((userId) => ({ effect: 'key-changed', userId })),
    userIds,
  };
}
