import { listActiveUserIds, lockRealmForChange, reactivateRealm } from '@parley/store';

import { entryForEveryone } from '../accounts/account-events.ts';
import type { PeopleContext } from '../people-context.ts';

/**
 * Opens an organization again that was deactivated. Nobody has a queue to be told by; the change names every account, so that all
 * gateways look at them anew.
 */
export async function reactivateOrganization({
  eventLog,
}: Pick<PeopleContext, 'eventLog'>): Promise<void> {
  await eventLog.transaction(async (client) => {
    const realm = await lockRealmForChange(client);
    if (!realm.isDeactivated) return { result: undefined };
    await reactivateRealm(client);
    return {
      result: undefined,
      append: {
        entries: [entryForEveryone([])],
        accountUserIds: await listActiveUserIds(client, Number.MAX_SAFE_INTEGER),
      },
    };
  });
}
