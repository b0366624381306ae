/**
 * Ends statuses at the time that was chosen for them (decision 0083). Every replica does this: the lock of the account decides which one
 * ends a status, and the others find it ended.
 */
import type { Pool } from '@parley/database';
import type { EventLog } from '@parley/event-log';
import type { MaintenanceTask } from '@parley/server';
import { endUserStatus, listEndedStatuses, lockUserForOwnChange } from '@parley/store';

import { statusAppend } from './change-status.ts';

/** How late a status may end. */
const endingIntervalMs = 1_000;

/** The status of a deactivated account is shown to nobody, so its end is no news. */
async function endStatus(eventLog: EventLog, userId: number): Promise<void> {
  await eventLog.transaction(async (client) => {
    const user = await lockUserForOwnChange(client, userId);
    const ended = await endUserStatus(client, userId);
    const append = statusAppend(userId, {
      ...(ended?.away === true && { away: false }),
      ...(ended?.status_text !== undefined && { statusText: '' }),
    });
    const isShown = user?.isActive === true && Object.keys(ended ?? {}).length > 0;
    return { result: undefined, ...(isShown && { append }) };
  });
}

export function endingOfStatuses(
  { pool, eventLog }: { readonly pool: Pool; readonly eventLog: EventLog },
  stopping: AbortSignal,
): MaintenanceTask {
  /** @returns whether none was due */
  const endDue = async (): Promise<boolean> => {
    const userIds = await listEndedStatuses(pool);
    for (const userId of userIds) {
      if (stopping.aborted) break;
      await endStatus(eventLog, userId);
    }
    return userIds.length === 0;
  };
  return { name: 'ending statuses', intervalMs: endingIntervalMs, run: endDue, settle: endDue };
}
