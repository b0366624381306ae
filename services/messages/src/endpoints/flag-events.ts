import { audienceKey } from '@parley/contracts';
import type { LogEntry } from '@parley/contracts';

export type FlagChange = {
  readonly operation: 'add' | 'remove';
  readonly flag: string;
  readonly messageIds: readonly number[];
  /** Marking everything read names no messages. */
  readonly all?: boolean;
};

/** The log entry of a change to a user's own flags, for his queues alone (reference facts, events 11.4). */
export function flagEntry(
  userId: number,
  change: FlagChange,
): { entry: LogEntry; audience: number } {
  const { operation, flag, messageIds, all } = change;
  return {
    audience: audienceKey.user(userId),
    entry: {
      v: 1,
      kind: 'change',
      effects: [],
      events: [
        {
          form: 'same',
          audience: { to: 'users', userIds: [userId] },
          event: {
            type: 'update_message_flags',
            operation,
            op: operation,
            flag,
            messages: messageIds,
            all: all ?? false,
          },
        },
      ],
    },
  };
}
