import { lockRealmForChange, updateRealm } from '@parley/store';

import type { PeopleContext } from '../people-context.ts';

/**
 * Changes the organization's short name. There is no event for it: clients know it only from register and from messages
 * (`sender_realm_str`).
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
