import { audienceKey } from './log-entry.ts';
import type { ChangeEntry, EventBody } from './log-entry.ts';

/**
 * The log entry of a change that concerns one user alone.
 *
 * @param events for all of this user's queues, in order
 */
export function ownEventsEntry(
  userId: number,
  events: readonly EventBody[],
): { readonly entry: ChangeEntry; readonly audience: number } {
  return {
    audience: audienceKey.user(userId),
    entry: {
      v: 1,
      kind: 'change',
      effects: [],
      events: events.map((event) => ({
        form: 'same',
        audience: { to: 'users', userIds: [userId] },
        event,
      })),
    },
  };
}
