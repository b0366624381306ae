import { audienceKey } from '@parley/event-log';
import type { ApiEvent } from '@parley/api/events';
import type { HeldMessage, LogEntry, UpdateWithoutFlags } from '@parley/event-log';
import type { Queryable } from '@parley/database';
import { findHeldMessage } from '@parley/store';

export type MessageEvent = {
  readonly event: ApiEvent | UpdateWithoutFlags;
  /** Also for members of its stream who do not hold it, as read. */
  readonly alsoSubscribers?: boolean;
  /** Each receiver gets his own flags with it. */
  readonly withFlags?: boolean;
};

/** Who holds a message, with what an entry about it needs to be found by. */
export type MessageHolders = HeldMessage & { readonly conversationId: number };

/**
 * Reads who holds a message. Read in the transaction that changes the message, after its row is locked and late receipts of the change
 * are written.
 *
 * @throws Error when there is no such message: the caller holds its lock
 */
export async function getMessageHolders(db: Queryable, messageId: number): Promise<MessageHolders> {
  const held = await findHeldMessage(db, messageId);
  if (held === undefined) throw new Error(`message ${messageId} is gone though it is locked`);
  return held;
}

/**
 * The log entry of something that happened to a message, for those who hold it (reference facts, events 10, MSG). Late holders may
 * have nothing to do with its stream, so replay has to find their entries elsewhere.
 */
export function messageEntry(
  holders: MessageHolders,
  { event, alsoSubscribers = false, withFlags = false }: MessageEvent,
): { entry: LogEntry; audience: number } {
  const { conversationId, ...message } = holders;
  const ownAudience =
    message.streamId === undefined
      ? audienceKey.conversation(conversationId)
      : audienceKey.stream(message.streamId);
  return {
    audience: message.lateHolderIds.length > 0 ? audienceKey.everyone : ownAudience,
    entry: {
      v: 2,
      kind: 'change',
      effects: [],
      events: [{ form: 'of-message', message, alsoSubscribers, withFlags, event }],
    },
  };
}
