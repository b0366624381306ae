import { lockOwnAccount } from '@parley/access';
import type { Caller } from '@parley/api';
import { audienceKey, changeEntry } from '@parley/event-log';
import { setUserStatus } from '@parley/store';

import type { PresenceContext } from '../context.ts';

/**
 * Sets the caller's away flag, status text, or both, and announces only these (reference facts, events 13.5 and 15.3).
 *
 * @param change at least one of the two
 */
export async function changeStatus(
  context: PresenceContext,
  caller: Caller,
  change: { readonly away?: boolean; readonly statusText?: string },
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const user = await lockOwnAccount(client, caller);
    await setUserStatus(client, user.id, change);
    const entry = changeEntry({
      events: [
        {
          form: 'same',
          audience: { to: 'everyone' },
          event: {
            type: 'user_status',
            user_id: user.id,
            ...(change.away !== undefined && { away: change.away }),
            ...(change.statusText !== undefined && { status_text: change.statusText }),
          },
        },
      ],
    });
    return { result: undefined, append: { entries: [{ entry, audience: audienceKey.everyone }] } };
  });
}
