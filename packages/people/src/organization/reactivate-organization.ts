import { listActiveUserIds, lockRealmForChange, reactivateRealm } from '@parley/store';

import { entryForEveryone } from '../accounts/account-events.ts';
import type { PeopleContext } from '../people-context.ts';

/**
 * Reactivates the organization. There are no queues to receive events; the change names every account, so that all gateways read them
 * again.
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
