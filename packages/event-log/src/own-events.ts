import { audienceKey } from './log-entry.ts';
import type { ApiEvent } from '@parley/api/events';

import type { ChangeEntry } from './log-entry.ts';

/**
 * The log entry of a change that concerns only one user.
 *
 * @param events for all of this user's queues, in order
 */
export function ownEventsEntry(
  userId: number,
  events: readonly ApiEvent[],
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

/** @returns the event that marks messages read in a stream that a user leaves (reference facts, events 11.4) */
export function readOnLeaving(messageIds: readonly number[]): ApiEvent {
  return {
    type: 'update_message_flags',
    operation: 'add',
    op: 'add',
    flag: 'read',
    messages: messageIds,
    all: false,
  };
}
