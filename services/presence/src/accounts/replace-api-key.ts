import { getActor } from '@parley/access';
import type { Caller, EventPart } from '@parley/contracts';
import {
  lockAdministratorsInUse,
  lockUsersForOwnChange,
  readBotDetails,
  setApiKey,
} from '@parley/store';

import { botSecretUpdated, botViewers } from '../bots/bot-events.ts';
import { checkBot } from '../bots/change-bot.ts';
import type { PresenceContext } from '../context.ts';
import { changeEntry } from './account-events.ts';

/**
 * Replaces the key of the caller, or of a bot that the caller manages. The old one stops working at once (reference facts, people 4),
 * and those who manage a bot get the new one.
 *
 * @returns the new key
 * @throws ApiError `No such bot` or `Insufficient permission`
 */
export async function replaceApiKey(
  context: PresenceContext,
  caller: Caller,
  botId?: number,
): Promise<string> {
  return context.eventLog.transaction(async (client) => {
    const administratorIds = await lockAdministratorsInUse(client);
    const people = await lockUsersForOwnChange(client, [caller.userId, botId ?? caller.userId]);
    const actor = getActor(people, caller);
    const user = botId === undefined ? actor : checkBot(people, actor, botId);
    const apiKey = await setApiKey(client, context.keySecrets, user.id);
    const events: EventPart[] = [];
    if (user.botType !== null) {
      const [details] = await readBotDetails(client, context.keySecrets, [user]);
      if (details === undefined) throw new Error('a bot has no details');
      const viewers = botViewers(details, administratorIds);
      const told = { api_key: apiKey };
      // The key itself is only in the sealed part: the log holds no secret in the clear.
      events.push(botSecretUpdated(context.keySecrets, details, viewers, told));
    }
    return {
      result: apiKey,
      append: {
        entries: [changeEntry(events, [{ effect: 'key-changed', userId: user.id }])],
        accountUserIds: [user.id],
      },
    };
  });
}
