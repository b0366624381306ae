import { audienceKey, badRequest, botTypes } from '@parley/contracts';
import type { DisplayRecipient, LoggedMessage, MessageSentEntry } from '@parley/contracts';
import type { SendItem } from '@parley/event-log';
import { alertWordMatches, findSubjectLinks, UnableToRender } from '@parley/markdown';
import type { RenderedMessage } from '@parley/markdown';
import { avatarUrl, searchText } from '@parley/store';
import type { NamedInMessage, SendPerson, SendSender } from '@parley/store';

import type { MessageRenderer } from '../rendering/message-renderer.ts';
import { renderDataOf } from '../rendering/render-data.ts';
import type { CheckedMessage } from './check-message.ts';
import { isHumanClient } from './human-clients.ts';
import type { RealmFacts } from './realm-facts.ts';
import type { SendKey } from './send-key.ts';

export type Composition = {
  readonly message: CheckedMessage;
  readonly conversation: { readonly id: number; readonly recipientId: number };
  /** Of the message's content. */
  readonly text: ComposedText;
  readonly sendKey: SendKey;
  readonly clientName: string;
  /** Unix time. */
  readonly sentAtSecs: number;
  readonly local: MessageSentEntry['local'] | undefined;
  /** What comes with the message, its ids drawn. */
  readonly submessages: readonly NewSubmessage[];
  /** Who has read it from the start, beside its sender. */
  readonly readByIds: readonly number[];
  /** Uploads that it links to and its sender may read. */
  readonly uploadPathIds: readonly string[];
};

export type NewSubmessage = {
  readonly id: number;
  readonly msg_type: string;
  readonly content: string;
};

const reactingBotTypes = new Set([3, 4]);
/** Bots of this type hold what names them (reference facts, messages 4.1). */
export const genericBotType = 1;

function displayPerson(person: SendPerson): DisplayRecipient {
  return {
    id: person.id,
    email: person.email,
    full_name: person.fullName,
    short_name: person.shortName,
    is_mirror_dummy: false,
  };
}

/** The order of the people in a private message (reference facts, messages 5.1): two by address, more by id. */
export function displayRecipients(participants: readonly SendPerson[]): DisplayRecipient[] {
  const people = participants.map(displayPerson);
  if (people.length !== 2) return people.toSorted((a, b) => a.id - b.id);
  return people.toSorted((a, b) => (a.email < b.email ? -1 : 1));
}

/** What a text is read in: whose it is, and what its names stand for. */
export type TextSource = {
  readonly sender: Pick<SendSender, 'translateEmoticons'>;
  readonly realm: RealmFacts;
  readonly realmUri: string;
  readonly named: NamedInMessage;
  readonly renderer: MessageRenderer;
};

/** A text as HTML, with what follows from it for those who hold the message. */
export type ComposedText = {
  readonly rendered: RenderedMessage;
  readonly mentionedUsers: NamedInMessage['users'];
  /** Members of mentioned groups, ascending. */
  readonly groupMentionedIds: readonly number[];
  /** Who has an alert word in it, ascending. */
  readonly alertWordIds: readonly number[];
};

/**
 * Renders a text and finds whom it concerns.
 *
 * @param content as it will be stored
 * @throws ApiError `Unable to render message`
 */
export async function composeText(content: string, source: TextSource): Promise<ComposedText> {
  const { sender, realm, realmUri, named, renderer } = source;
  const rendered = await renderer.render(content, renderDataOf(realmUri, realm, sender, named));
  const groups = named.groups.filter((group) => rendered.mentionedGroupIds.includes(group.id));
  return {
    rendered,
    mentionedUsers: named.users.filter((user) => rendered.mentionedUserIds.includes(user.id)),
    groupMentionedIds: [...new Set(groups.flatMap((group) => group.memberIds))].toSorted(
      (a, b) => a - b,
    ),
    alertWordIds: alertedUserIds(content, realm),
  };
}

/**
 * Finds the links that a topic stands for.
 *
 * @throws ApiError `Unable to render message`
 */
export function subjectLinksOf(topic: string, realm: RealmFacts): string[] {
  try {
    return topic === '' ? [] : findSubjectLinks(topic, realm);
  } catch (error) {
    if (error instanceof UnableToRender) throw badRequest('Unable to render message');
    throw error;
  }
}

function alertedUserIds(content: string, realm: RealmFacts): number[] {
  const matches = new Set(alertWordMatches(content, realm.distinctAlertWords));
  if (matches.size === 0) return [];
  const ids = realm.alertWords.filter(({ word }) => matches.has(word)).map(({ userId }) => userId);
  return [...new Set(ids)].toSorted((a, b) => a - b);
}

function addressOf(
  message: CheckedMessage,
): Pick<LoggedMessage, 'type' | 'display_recipient' | 'subject'> & { stream_id?: number } {
  return message.kind === 'stream'
    ? {
        type: 'stream',
        display_recipient: message.stream.name,
        subject: message.topic,
        stream_id: message.stream.id,
      }
    : { type: 'private', display_recipient: displayRecipients(message.participants), subject: '' };
}

/** A named bot has to find the entry in replay though the stream may be none of its own. */
function audienceOf(entry: MessageSentEntry, conversationId: number): number {
  if (entry.stream === undefined) return audienceKey.conversation(conversationId);
  return entry.lateReceiptIds.length > 0
    ? audienceKey.everyone
    : audienceKey.stream(entry.stream.id);
}

function reactingBotIdsOf(message: CheckedMessage): readonly number[] {
  if (message.kind === 'stream') return message.stream.reactingBotIds;
  return message.participants
    .filter((person) => reactingBotTypes.has(person.botType ?? 0))
    .map((person) => person.id);
}

/**
 * Which outgoing-webhook bots are called (reference facts, people 18): those it names by a mention of their own in a stream, and
 * those it is addressed to in private; none for what a bot wrote, so that two of them cannot talk for ever.
 */
function calledBotIdsOf(
  message: CheckedMessage,
  mentionedUsers: NamedInMessage['users'],
): readonly number[] {
  const { sender } = message;
  if (sender.botType !== null || sender.isSystem) return [];
  const reached = message.kind === 'stream' ? mentionedUsers : message.participants;
  return reached.filter(({ botType }) => botType === botTypes.outgoingWebhook).map(({ id }) => id);
}

/**
 * Makes the row and the log entry of a message that may be sent.
 *
 * @throws ApiError `Unable to render message`
 */
export function composeMessage(composition: Composition): SendItem {
  const {
    message,
    conversation,
    sendKey,
    clientName,
    sentAtSecs,
    local,
    submessages,
    readByIds,
    uploadPathIds,
    text,
  } = composition;
  const { sender, content, realm } = message;
  const { rendered, mentionedUsers, groupMentionedIds, alertWordIds } = text;
  const topic = message.kind === 'stream' ? message.topic : '';
  const links = subjectLinksOf(topic, realm);
  const readBySender = isHumanClient(clientName);
  const participantIds =
    message.kind === 'private' ? message.participants.map((person) => person.id) : undefined;
  // A generic bot that is named in a stream holds the message; for a subscriber among them the mark says nothing new. In a private
  // conversation naming one from outside does nothing (reference facts, events 9.4).
  const lateReceiptIds =
    message.kind === 'private'
      ? []
      : mentionedUsers.filter((user) => user.botType === genericBotType).map((user) => user.id);
  const calledBotIds = calledBotIdsOf(message, mentionedUsers);
  const entry: MessageSentEntry = {
    v: submessages.length === 0 ? 1 : 2,
    kind: 'message.sent',
    message: {
      ...addressOf(message),
      sender_id: sender.id,
      recipient_id: conversation.recipientId,
      timestamp: sentAtSecs,
      client: clientName,
      subject_links: links,
      is_me_message: rendered.isMeMessage,
      reactions: [],
      submessages: submessages.map((submessage) => ({ ...submessage, sender_id: sender.id })),
      sender_full_name: sender.fullName,
      sender_short_name: sender.shortName,
      sender_email: sender.email,
      sender_realm_str: realm.stringId,
    },
    content,
    renderedContent: rendered.html,
    avatar: {
      url: avatarUrl(sender),
      // Who does not know the real address cannot make the URL (reference facts, people 7.7).
      isGravatar: sender.avatarSource === 'G' && sender.email === sender.deliveryEmail,
    },
    ...(message.kind === 'stream'
      ? { stream: { id: message.stream.id, isPublic: !message.stream.inviteOnly } }
      : {}),
    ...(participantIds === undefined ? {} : { participantIds }),
    readBySender,
    mentionsWildcard: rendered.mentionsWildcard,
    mentionedIds: mentionedUsers.map((user) => user.id),
    groupMentionedIds,
    alertWordIds,
    lateReceiptIds,
    reactingBotIds: reactingBotIdsOf(message),
    ...(calledBotIds.length === 0 ? {} : { calledBotIds }),
    ...(readByIds.length === 0 ? {} : { readByIds }),
    ...(local === undefined ? {} : { local }),
  };
  return {
    send_key: sendKey.key,
    content_hash: sendKey.contentHash,
    sender_id: sender.id,
    ...(message.kind === 'stream'
      ? {
          stream_id: message.stream.id,
          stream_version: message.stream.version,
          ...(message.authorityId === undefined ? {} : { authority_id: message.authorityId }),
        }
      : {}),
    ...(participantIds === undefined ? {} : { participant_ids: participantIds }),
    may_be_first: message.kind === 'stream' && !message.stream.hasMessages,
    conversation_id: conversation.id,
    recipient_id: conversation.recipientId,
    topic,
    content,
    rendered_content: rendered.html,
    client: clientName,
    sent_at_secs: sentAtSecs,
    is_me_message: rendered.isMeMessage,
    has_link: rendered.hasLink,
    has_image: rendered.hasImage,
    has_attachment: uploadPathIds.length > 0,
    read_by_sender: readBySender,
    mentions_wildcard: rendered.mentionsWildcard,
    mentioned_ids: entry.mentionedIds,
    late_receipt_ids: lateReceiptIds,
    ...(groupMentionedIds.length === 0 ? {} : { group_mentioned_ids: groupMentionedIds }),
    ...(alertWordIds.length === 0 ? {} : { alert_word_ids: alertWordIds }),
    ...(links.length === 0 ? {} : { subject_links: links }),
    ...(submessages.length === 0 ? {} : { submessages }),
    ...(readByIds.length === 0 ? {} : { read_by_ids: readByIds }),
    ...(uploadPathIds.length === 0 ? {} : { upload_path_ids: uploadPathIds }),
    ...(calledBotIds.length === 0 ? {} : { brings_calls: true }),
    search_text: searchText(topic, rendered.html),
    audience: audienceOf(entry, conversation.id),
    payload: JSON.stringify(entry),
  };
}
