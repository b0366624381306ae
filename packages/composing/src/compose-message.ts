import { botTypes } from '@parley/api';
import { audienceKey } from '@parley/event-log';
import type {
  DisplayRecipient,
  LoggedMessage,
  MessageSentEntry,
  SendItem,
} from '@parley/event-log';
import { alertWordMatches, findSubjectLinks } from '@parley/markdown';
import type { RenderData, RenderedMessage } from '@parley/markdown';
import { avatarUrl } from '@parley/store/objects';
import { isReactingBot, sentSearchWords } from '@parley/store';
import type {
  NamedInMessage,
  PrivateSendFacts,
  SendPerson,
  SendSender,
  StreamSendFacts,
} from '@parley/store';

import { isHumanClient } from './human-clients.ts';
import type { RealmFacts } from './realm-facts.ts';
import { renderDataOf } from './render-data.ts';

/** The client name of what the organization itself sends (reference facts, streams 5.2). */
export const systemClientName = 'Internal';

export type StreamOfSend = NonNullable<StreamSendFacts['stream']>;

/** A message that passed all checks. */
export type CheckedMessage = {
  readonly sender: SendSender;
  readonly content: string;
  readonly realm: RealmFacts;
} & (
  | {
      readonly kind: 'stream';
      readonly stream: StreamOfSend;
      readonly topic: string;
      /** The user whose subscription permits the send, if it needs one. */
      readonly authorityId: number | undefined;
    }
  | {
      readonly kind: 'private';
      /** All participants, including the sender, by ascending id. */
      readonly participants: readonly SendPerson[];
      readonly conversation: PrivateSendFacts['conversation'];
    }
);

export type Composition = {
  readonly message: CheckedMessage;
  readonly conversation: { readonly id: number; readonly recipientId: number };
  /** Of the message's content. */
  readonly text: ComposedText;
  /** The key of the send, and a hash of its content. */
  readonly sendKey: { readonly key: string; readonly contentHash: string };
  readonly clientName: string;
  /** Whether its sender has read it; by default as the client says. */
  readonly isReadBySender?: boolean | undefined;
  /** Unix time. */
  readonly sentAtSecs: number;
  readonly local: MessageSentEntry['local'] | undefined;
  /** Submessages that are sent with the message, with their ids. */
  readonly submessages: readonly NewSubmessage[];
  /** The people besides the sender for whom it is read from the start. */
  readonly readByIds: readonly number[];
  /** Linked uploads that the sender may read. */
  readonly uploadPathIds: readonly string[];
};

export type NewSubmessage = {
  readonly id: number;
  readonly msg_type: string;
  readonly content: string;
};

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

/** Renders texts to HTML, either directly or in a thread where a long text delays nobody. */
export type TextRenderer = {
  /** @throws ApiError `Unable to render message` */
  readonly render: (
    content: string,
    data: RenderData,
  ) => RenderedMessage | Promise<RenderedMessage>;
};

/** The context of a text: its author, and the objects that its names mean. */
export type TextSource = {
  readonly sender: Pick<SendSender, 'translateEmoticons'>;
  readonly realm: RealmFacts;
  readonly realmUri: string;
  readonly named: NamedInMessage;
  readonly renderer: TextRenderer;
};

/** A text as HTML, with its consequences for the message's holders. */
export type ComposedText = {
  readonly rendered: RenderedMessage;
  readonly mentionedUsers: NamedInMessage['users'];
  /** Members of mentioned groups, ascending. */
  readonly groupMentionedIds: readonly number[];
  /** People with an alert word in it, ascending. */
  readonly alertWordIds: readonly number[];
};

/**
 * Renders a text and finds the people it concerns.
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

/** A mentioned bot must find the entry in replay even if it is not subscribed to the stream. */
function audienceOf(entry: MessageSentEntry, conversationId: number): number {
  if (entry.stream === undefined) return audienceKey.conversation(conversationId);
  return entry.lateReceiptIds.length > 0
    ? audienceKey.everyone
    : audienceKey.stream(entry.stream.id);
}

function reactingBotIdsOf(message: CheckedMessage): readonly number[] {
  if (message.kind === 'stream') return message.stream.reactingBotIds;
  return message.participants.filter(isReactingBot).map((person) => person.id);
}

/**
 * Finds the outgoing-webhook bots to call (reference facts, people 18): in a stream those mentioned by name, in private the recipients. A
 * bot's own messages call none, so that two bots cannot talk for ever.
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

/** The parts of a composition that the row and the log entry share. */
type Consequences = Pick<MessageSentEntry, 'lateReceiptIds' | 'readBySender'> & {
  readonly topic: string;
  readonly links: readonly string[];
  readonly participantIds: readonly number[] | undefined;
  readonly calledBotIds: readonly number[];
};

function consequencesOf({
  message,
  clientName,
  isReadBySender = isHumanClient(clientName),
  text,
}: Composition): Consequences {
  const { mentionedUsers } = text;
  const isPrivate = message.kind === 'private';
  const topic = isPrivate ? '' : message.topic;
  return {
    topic,
    links: findSubjectLinks(topic, message.realm),
    readBySender: isReadBySender,
    participantIds: isPrivate ? message.participants.map((person) => person.id) : undefined,
    // A generic bot that is mentioned in a stream holds the message; for a subscribed bot this changes nothing. In a private conversation,
    // mentioning a bot from outside does nothing (reference facts, events 9.4).
    lateReceiptIds: isPrivate
      ? []
      : mentionedUsers.filter((user) => user.botType === botTypes.generic).map((user) => user.id),
    calledBotIds: calledBotIdsOf(message, mentionedUsers),
  };
}

function entryOf(composition: Composition, consequences: Consequences): MessageSentEntry {
  const { message, conversation, clientName, sentAtSecs, local, submessages, readByIds, text } =
    composition;
  const { sender, content, realm } = message;
  const { rendered, mentionedUsers, groupMentionedIds, alertWordIds } = text;
  const { links, participantIds, readBySender, lateReceiptIds, calledBotIds } = consequences;
  return {
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
      // Only a client that knows the real address can make the URL (reference facts, people 7.7).
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
}

/** Makes the row and the log entry of a message that may be sent. */
export function composeMessage(composition: Composition): SendItem {
  const { message, conversation, sendKey, submessages, readByIds, uploadPathIds } = composition;
  const { sender, content } = message;
  const { rendered, groupMentionedIds, alertWordIds } = composition.text;
  const consequences = consequencesOf(composition);
  const { topic, links, participantIds, readBySender, lateReceiptIds, calledBotIds } = consequences;
  const entry = entryOf(composition, consequences);
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
    client: composition.clientName,
    sent_at_secs: composition.sentAtSecs,
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
    ...sentSearchWords(topic, rendered.html),
    audience: audienceOf(entry, conversation.id),
    payload: JSON.stringify(entry),
  };
}
