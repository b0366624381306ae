import { avatarUrl, namesOfFlags } from '@parley/store';
import type { ListedMessage } from '@parley/store';

export type MessageJsonOptions = {
  /** Clients make Gravatar URLs themselves: null where they can. */
  readonly clientGravatar: boolean;
  readonly applyMarkdown: boolean;
  readonly showEditHistory: boolean;
  readonly realmStringId: string;
};

function displayRecipient(row: ListedMessage): unknown {
  if (row.streamId !== null) return row.streamName;
  const people = row.participants ?? [];
  // Two people stand by address, more by id, as they are listed (reference facts, messages 5.1).
  return people.length === 2 ? people.toSorted((a, b) => (a.email < b.email ? -1 : 1)) : people;
}

function senderAvatar(row: ListedMessage, clientGravatar: boolean): string | null {
  if (clientGravatar && row.senderAvatarSource === 'G') return null;
  return avatarUrl({
    id: row.senderId,
    email: row.senderEmail,
    deliveryEmail: row.senderDeliveryEmail,
    avatarSource: row.senderAvatarSource,
    avatarVersion: row.senderAvatarVersion,
  });
}

/** A message of fetched history as clients see it (contract, Message; reference facts, messages 5). */
export function messageJson(
  row: ListedMessage,
  options: MessageJsonOptions,
): Record<string, unknown> {
  const message: Record<string, unknown> = {
    id: row.id,
    sender_id: row.senderId,
    content: row.content,
    content_type: options.applyMarkdown ? 'text/html' : 'text/x-markdown',
    recipient_id: row.recipientId,
    timestamp: row.sentAtSecs,
    client: row.client,
    subject: row.topic,
    subject_links: row.subjectLinks ?? [],
    is_me_message: row.isMeMessage,
    reactions: row.reactions ?? [],
    submessages: row.submessages ?? [],
    flags: namesOfFlags(row.flagBits),
    sender_full_name: row.senderFullName,
    sender_short_name: row.senderShortName,
    sender_email: row.senderEmail,
    sender_realm_str: options.realmStringId,
    display_recipient: displayRecipient(row),
    type: row.streamId === null ? 'private' : 'stream',
    avatar_url: senderAvatar(row, options.clientGravatar),
  };
  if (row.streamId !== null) message['stream_id'] = row.streamId;
  if (row.lastEditedAtSecs !== null) {
    message['last_edit_timestamp'] = row.lastEditedAtSecs;
    if (options.showEditHistory && row.editHistory !== null)
      message['edit_history'] = row.editHistory;
  }
  return message;
}
