import { lockOwnAccount } from '@parley/store/access';
import type { Caller } from '@parley/api';
import { audienceKey, changeEntry } from '@parley/event-log';
import type { Append } from '@parley/event-log';
import { setUserStatus } from '@parley/store';
import type { StatusChange } from '@parley/store';

import type { PresenceContext } from '../context.ts';

/** @returns what tells everybody of the values that changed (reference facts, events 13.5) */
export function statusAppend(
  userId: number,
  { away, statusText }: Pick<StatusChange, 'away' | 'statusText'>,
): Append {
  const entry = changeEntry({
    events: [
      {
        form: 'same',
        audience: { to: 'everyone' },
        event: {
          type: 'user_status',
          user_id: userId,
          ...(away !== undefined && { away }),
          ...(statusText !== undefined && { status_text: statusText }),
        },
      },
    ],
  });
  return { entries: [{ entry, audience: audienceKey.everyone }] };
}

/**
 * Sets the caller's away flag, status text, or both, and announces only these (reference facts, events 13.5 and 15.3).
 *
 * @param change at least one of the two, and when they end
 */
export async function changeStatus(
  context: PresenceContext,
  caller: Caller,
  change: StatusChange,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const user = await lockOwnAccount(client, caller);
    await setUserStatus(client, user.id, change);
    return { result: undefined, append: statusAppend(user.id, change) };
  });
}
