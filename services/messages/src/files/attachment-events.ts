import type { ApiEvent } from '@parley/api/events';
import { audienceKey } from '@parley/event-log';
import type { ChangeEntry, EventPart, LogEntry, SendItem } from '@parley/event-log';
import type { Client } from '@parley/database';
import { getAttachmentsOf } from '@parley/store';
import type { ClaimableUpload } from '@parley/store';

type AttachmentEvent = Extract<ApiEvent, { type: 'attachment' }>;

type AttachmentChange = (AttachmentEvent extends infer Event
  ? Event extends AttachmentEvent
    ? Pick<Event, 'op' | 'attachment'>
    : never
  : never) & {
  readonly ownerId: number;
  readonly spaceUsedBytes: number;
};

function eventOf({ ownerId, spaceUsedBytes, ...members }: AttachmentChange): EventPart {
  return {
    form: 'same',
    audience: { to: 'users', userIds: [ownerId] },
    event: { type: 'attachment', upload_space_used: spaceUsedBytes, ...members },
  };
}

function entryOf(events: readonly EventPart[]): ChangeEntry {
  return { v: 1, kind: 'change', effects: [], events };
}

/** The log entry of a change to a file, for its owner alone (reference facts, events 14.3). */
export function attachmentEntry(change: AttachmentChange): { entry: LogEntry; audience: number } {
  return { entry: entryOf([eventOf(change)]), audience: audienceKey.user(change.ownerId) };
}

/**
 * The log entries of files that gained or lost a link, to go before the entry of the change itself (reference facts, events 18).
 *
 * @param pathIds what `replaceMessageUploads` or `deleteMessageUploads` answered in the same transaction
 */
export async function attachmentUpdates(
  client: Client,
  pathIds: readonly string[],
): Promise<{ entry: LogEntry; audience: number }[]> {
  const changed = await getAttachmentsOf(client, pathIds);
  return changed.map(({ attachment, ownerId, spaceUsedBytes }) =>
    attachmentEntry({ op: 'update', attachment, ownerId, spaceUsedBytes }),
  );
}

/**
 * The part of a send about linked files: their paths, and the entry for owners who may see the message. The log fills in the message's id.
 */
export function uploadsOfSend(
  claimed: readonly ClaimableUpload[],
  sentAtSecs: number,
): Pick<SendItem, 'upload_notice'> {
  const seen = claimed.filter(({ isSeenByOwner }) => isSeenByOwner);
  const [first] = seen;
  if (first === undefined) return {};
  const events = seen.map(({ attachment, ownerId, spaceUsedBytes }) =>
    eventOf({
      ownerId,
      spaceUsedBytes,
      op: 'update',
      attachment: {
        ...attachment,
        messages: [...attachment.messages, { id: 0, name: sentAtSecs * 1000 }],
      },
    }),
  );
  const isForOne = seen.every(({ ownerId }) => ownerId === first.ownerId);
  return {
    upload_notice: {
      length: events.length,
      audience: isForOne ? audienceKey.user(first.ownerId) : audienceKey.everyone,
      payload: entryOf(events),
    },
  };
}
