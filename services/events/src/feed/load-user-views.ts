import type { Pool } from '@parley/database';
import { BatchedReads, snapshot } from '@parley/database';
import { readHead } from '@parley/event-log';
import { accountPeriodsOf, membershipPeriodsOf } from '@parley/store';

import { UserView } from './user-view.ts';

/** A user's view and the head at which it is exact. */
export type LoadedView = { readonly view: UserView; readonly exactAt: number };

/** A person may be in two thousand streams; a read of this many users stays well below a second. */
const usersPerRead = 100;
const readsAtOnce = 2;

/** Reads users' periods and the head at which they are exact, in one snapshot for all users requested at the same moment. */
export function createViewReads(pool: Pool): BatchedReads<number, LoadedView> {
  return new BatchedReads((userIds) => loadUserViews(pool, userIds), {
    keysPerRead: usersPerRead,
    readsAtOnce,
  });
}

async function loadUserViews(
  pool: Pool,
  userIds: readonly number[],
): Promise<Map<number, LoadedView>> {
  return snapshot(pool, async (database) => {
    const head = await readHead(database);
    const memberships = Map.groupBy(
      await membershipPeriodsOf(database, userIds),
      ({ userId }) => userId,
    );
    const accounts = Map.groupBy(await accountPeriodsOf(database, userIds), ({ userId }) => userId);
    return new Map(
      userIds.map((userId) => {
        const view = new UserView(
          userId,
          (memberships.get(userId) ?? []).map((period) => ({
            streamId: period.streamId,
            from: period.fromPosition,
            until: period.untilPosition ?? undefined,
          })),
          (accounts.get(userId) ?? []).map((period) => ({
            role: period.role,
            isActive: period.isActive,
            from: period.fromPosition,
            until: period.untilPosition ?? undefined,
          })),
        );
        return [userId, { view, exactAt: head.endPosition }];
      }),
    );
  });
}
