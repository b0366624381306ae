import type { Pool } from '@parley/database';
import { transaction } from '@parley/database';
import { readHead } from '@parley/event-log';
import { accountPeriodsOf, membershipPeriodsOf } from '@parley/store';

import { UserView } from './user-view.ts';

/** Reads a user's periods and the head at which they are exact, in one snapshot. */
export async function loadUserView(
  pool: Pool,
  userId: number,
): Promise<{ readonly view: UserView; readonly exactAt: number }> {
  return transaction(
    pool,
    async (snapshot) => {
      const head = await readHead(snapshot);
      const memberships = await membershipPeriodsOf(snapshot, [userId]);
      const accounts = await accountPeriodsOf(snapshot, [userId]);
      const view = new UserView(
        userId,
        memberships.map((period) => ({
          streamId: period.streamId,
          from: period.fromPosition,
          until: period.untilPosition ?? undefined,
        })),
        accounts.map((period) => ({
          role: period.role,
          isActive: period.isActive,
          from: period.fromPosition,
          until: period.untilPosition ?? undefined,
        })),
      );
      return { view, exactAt: head.endPosition };
    },
    'REPEATABLE READ, READ ONLY',
  );
}
