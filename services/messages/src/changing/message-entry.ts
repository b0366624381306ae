import { audienceKey } from '@parley/event-log';
import type { ApiEvent } from '@parley/api/events';
import type { HeldMessage, LogEntry, UpdateWithoutFlags } from '@parley/event-log';
import type { Queryable } from '@parley/database';
import { findHeldMessage } from '@parley/store';

export type MessageEvent = {
  readonly event: ApiEvent | UpdateWithoutFlags;
  /** Also for members of its stream who do not hold it; for them it is read. */
  readonly alsoSubscribers?: boolean;
  /** Each recipient gets personal flags with it. */
  readonly withFlags?: boolean;
};

/** The holders of a message, with the keys by which replay finds an entry about it. */
export type MessageHolders = HeldMessage & { readonly conversationId: number };

/**
 * Reads the holders of a message, in the transaction that changes it, after its row is locked and the change's late receipts are written.
 *
 * @throws Error when there is no such message: the caller holds its lock
 */
export async function getMessageHolders(db: Queryable, messageId: number): Promise<MessageHolders> {
  const held = await findHeldMessage(db, messageId);
  if (held === undefined) throw new Error(`message ${messageId} is gone though it is locked`);
  return held;
}

/**
 * The log entry about a message, for its holders (reference facts, events 10, MSG). Late holders may not belong to its stream, so replay
 * must find their entries by another audience.
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
