import { audienceKey } from '@parley/event-log';
import type { ApiEvent } from '@parley/api/events';
import type {
  EventPart,
  HeldMessage,
  LogEntry,
  SideEffect,
  UpdateWithoutFlags,
} from '@parley/event-log';
import type { Queryable } from '@parley/database';
import { findHeldMessage } from '@parley/store';
import type { KeptTopic } from '@parley/store';

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

/** The audience by which replay finds an entry about a message: late holders may not belong to its stream. */
export function messageAudience({
  conversationId,
  streamId,
  lateHolderIds,
}: MessageHolders): number {
  if (lateHolderIds.length > 0) return audienceKey.everyone;
  return streamId === undefined
    ? audienceKey.conversation(conversationId)
    : audienceKey.stream(streamId);
}

/** The log entry about a message, for its holders (reference facts, events 10, MSG). */
export function messageEntry(
  holders: MessageHolders,
  { event, alsoSubscribers = false, withFlags = false }: MessageEvent,
  sideEffects: readonly SideEffect[] = [],
): { entry: LogEntry; audience: number } {
  const { conversationId: _conversationId, ...message } = holders;
  return {
    audience: messageAudience(holders),
    entry: {
      v: 2,
      kind: 'change',
      effects: [],
      events: [{ form: 'of-message', message, alsoSubscribers, withFlags, event }],
      ...(sideEffects.length > 0 && { sideEffects }),
    },
  };
}

export type DeletionEvent = Extract<ApiEvent, { type: 'delete_message' }>;

/** The events of a deletion for all holders, each with the topic under which the holder sees the message. */
export function deletionParts(
  message: HeldMessage,
  kept: readonly KeptTopic[],
  event: DeletionEvent,
): EventPart[] {
  const all: EventPart = {
    form: 'of-message',
    message,
    alsoSubscribers: false,
    withFlags: false,
    event,
  };
  if (event.message_type === 'private') return [all];
  return [
    all,
    ...kept.map(({ userIds, topic }): EventPart => ({
      form: 'same',
      audience: { to: 'users', userIds },
      event: { ...event, topic },
    })),
  ];
}
