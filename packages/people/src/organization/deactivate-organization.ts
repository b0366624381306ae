import { lockAdministrator } from '@parley/store/access';
import type { Caller } from '@parley/api';
import { deactivateRealm, listActiveUserIds, lockRealmForChange } from '@parley/store';

import { entryForEveryone, toEveryone } from '../accounts/account-events.ts';
import type { PeopleContext } from '../people-context.ts';

/**
 * Deactivates the organization: accounts stay unchanged, but every request is refused from now on (reference facts, people 14.4). The
 * change names every account, so that all gateways forget them within a second and end the polls that they hold.
 *
 * @throws ApiError for anybody but administrators
 */
export async function deactivateOrganization(
  context: PeopleContext,
  caller: Caller,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const realm = await lockRealmForChange(client);
    await lockAdministrator(client, caller);
    if (realm.isDeactivated) return { result: undefined };
    await deactivateRealm(client);
    const event = toEveryone({ type: 'realm', op: 'deactivated', realm_id: realm.id });
    return {
      result: undefined,
      append: {
        entries: [entryForEveryone([event])],
        accountUserIds: await listActiveUserIds(client, Number.MAX_SAFE_INTEGER),
      },
    };
  });
}
