import type { MessageFlag } from '@parley/api/messages';
import { ownEventsEntry } from '@parley/event-log';

export type FlagChange = {
  readonly operation: 'add' | 'remove';
  readonly flag: MessageFlag;
  readonly messageIds: readonly number[];
  /** An event for marking everything read lists no messages. */
  readonly all?: boolean;
};

/** The log entry of a change to a user's own flags, for this user's queues only (reference facts, events 11.4). */
export function flagEntry(userId: number, change: FlagChange): ReturnType<typeof ownEventsEntry> {
  const { operation, flag, messageIds, all = false } = change;
  const type = 'update_message_flags';
  return ownEventsEntry(userId, [
    { type, operation, op: operation, flag, messages: messageIds, all },
  ]);
}
