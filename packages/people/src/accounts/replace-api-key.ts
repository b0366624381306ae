import { getActor } from '@parley/store/access';
import type { Caller } from '@parley/api';
import { lockAdministratorsInUse, lockUsersForOwnChange } from '@parley/store';

import { checkBot } from '../bots/bot-rules.ts';
import type { PeopleContext } from '../people-context.ts';
import { entryForEveryone } from './account-events.ts';
import type { CallerProof } from './prove-caller.ts';
import { replaceKeys } from './replace-keys.ts';

/**
 * Replaces the key of the caller, or of a bot that the caller manages.
 *
 * @returns the new key
 * @throws ApiError `No such bot`, `Insufficient permission`, or that of the proof
 */
export async function replaceApiKey(
  context: PeopleContext,
  caller: Caller,
  prove: CallerProof,
  botId?: number,
): Promise<string> {
  return context.eventLog.transaction(async (client) => {
    await lockAdministratorsInUse(client);
    const people = await lockUsersForOwnChange(client, [caller.userId, botId ?? caller.userId]);
    const actor = getActor(people, caller);
    const user = botId === undefined ? actor : checkBot(people, actor, botId);
    await prove(client);
    const { keys, events, effects, userIds } = await replaceKeys(context, client, [user]);
    const apiKey = keys.get(user.id);
    if (apiKey === undefined) throw new Error('a key was not replaced');
    return {
      result: apiKey,
      append: { entries: [entryForEveryone(events, effects)], accountUserIds: userIds },
    };
  });
}
