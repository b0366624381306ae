import { avatarUrl } from '@parley/objects';
import { namesOfFlags } from '@parley/store';
import type { ListedMessage, ListedPerson } from '@parley/store';

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

function senderAvatar(sender: ListedPerson, clientGravatar: boolean): string | null {
  return clientGravatar && sender.avatarSource === 'G' ? null : avatarUrl(sender);
}

/**
 * @returns gives messages of fetched history as clients see them (contract, Message; reference facts, messages 5); what those of one
 *   sender have in common is made once
 */
export function messageJsonWriter(
  options: MessageJsonOptions,
): (row: ListedMessage) => Record<string, unknown> {
  const avatars = new Map<ListedPerson, string | null>();
  return (row) => {
    let avatar = avatars.get(row.sender);
    if (avatar === undefined) {
      avatar = senderAvatar(row.sender, options.clientGravatar);
      avatars.set(row.sender, avatar);
    }
    return messageJson(row, avatar, options);
  };
}

function messageJson(
  row: ListedMessage,
  avatar: string | null,
  options: MessageJsonOptions,
): Record<string, unknown> {
  const { sender } = row;
  const message: Record<string, unknown> = {
    id: row.id,
    sender_id: sender.id,
    content: row.content,
    content_type: options.applyMarkdown ? 'text/html' : 'text/x-markdown',
    recipient_id: row.recipientId,
    timestamp: row.sentAtSecs,
    client: row.client,
    subject: row.topic,
    subject_links: row.subjectLinks ?? [],
    is_me_message: row.isMeMessage,
    reactions: row.reactions,
    submessages: row.submessages,
    flags: namesOfFlags(row.flagBits),
    sender_full_name: sender.fullName,
    sender_short_name: sender.shortName,
    sender_email: sender.email,
    sender_realm_str: options.realmStringId,
    display_recipient: displayRecipient(row),
    type: row.streamId === null ? 'private' : 'stream',
    avatar_url: avatar,
  };
  if (row.streamId !== null) message['stream_id'] = row.streamId;
  if (row.lastEditedAtSecs !== null) {
    message['last_edit_timestamp'] = row.lastEditedAtSecs;
    if (options.showEditHistory && row.editHistory !== null)
      message['edit_history'] = row.editHistory;
  }
  return message;
}
