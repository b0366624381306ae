import { lockRealmForChange, updateRealm } from '@parley/store';

import type { PeopleContext } from '../people-context.ts';

/**
 * Gives the organization another short name. No event tells of it: clients know it from register and from messages
 * (`sender_realm_str`) alone.
 */
export async function setStringId(
  { eventLog }: Pick<PeopleContext, 'eventLog'>,
  stringId: string,
): Promise<void> {
  await eventLog.transaction(async (client) => {
    await lockRealmForChange(client);
    await updateRealm(client, { stringId });
    return { result: undefined };
  });
}
