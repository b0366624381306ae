import { createHash, randomUUID } from 'node:crypto';

import { audienceKey } from '@parley/event-log';
import type {
  DisplayRecipient,
  EventLog,
  LoggedMessage,
  MessageSentEntry,
  SendItem,
} from '@parley/event-log';
import type { Pool } from '@parley/database';
import { findSubjectLinks, renderMessage } from '@parley/markdown';
import type { RenderContext } from '@parley/markdown';
import { avatarUrl } from '@parley/store/objects';
import {
  ensurePrivateConversation,
  ensureTopicConversation,
  getRealm,
  listStreams,
  listUsers,
  sentSearchWords,
} from '@parley/store';
import type { Realm, Stream, User } from '@parley/store';

/** A message to make, in a topic of a stream or to people. */
export type NewMessage = {
  readonly senderId: number;
  readonly content: string;
  readonly sentAtSecs: number;
} & (
  | { readonly streamName: string; readonly topic: string }
  /** Without the sender, who takes part anyway. */
  | { readonly recipientIds: readonly number[] }
);

type Addressing = Pick<
  SendItem,
  | 'stream_id'
  | 'stream_version'
  | 'authority_id'
  | 'participant_ids'
  | 'conversation_id'
  | 'recipient_id'
  | 'audience'
> & {
  readonly message: Pick<LoggedMessage, 'type' | 'display_recipient' | 'subject'> & {
    readonly stream_id?: number;
  };
  readonly entry: Pick<MessageSentEntry, 'stream' | 'participantIds'>;
};

const clientOfHumans = 'website';
const clientOfBots = 'ParleyDemo';

/**
 * Writes messages with any times, usually past ones, in one statement, which no endpoint does. They are rendered and become entries of the
 * log like any other.
 *
 * @param messages in the order of their times; people mentioned in them must be among the recipients
 * @param publicUrl the realm's address, for links
 * @returns the ids of the messages, in order
 * @throws Error if one of them is not permitted or its stream is unknown
 */
export async function makeMessages(
  stores: { readonly pool: Pool; readonly eventLog: EventLog; readonly publicUrl: string },
  messages: readonly NewMessage[],
): Promise<number[]> {
  const realm = await getRealm(stores.pool);
  const users = new Map((await listUsers(stores.pool)).map((user) => [user.id, user]));
  const streams = await listStreams(stores.pool, {
    public: true,
    defaultsOf: null,
    allActive: true,
    subscriberIds: [],
  });
  const context = createRenderContext(stores.publicUrl, [...users.values()], streams);
  const items: SendItem[] = [];
  for (const message of messages) {
    const sender = users.get(message.senderId);
    if (sender === undefined) throw new Error(`no user has the id ${message.senderId}`);
    const addressing =
      'streamName' in message
        ? await addressTopic(stores.pool, streams, sender, message.streamName, message.topic)
        : await addressPeople(stores.pool, users, sender, message.recipientIds);
    items.push(createItem({ message, sender, addressing, realm, context }));
  }
  const outcomes = await stores.eventLog.sendMessages(items);
  return outcomes.map(({ outcome, messageId }) => {
    if (outcome !== 'sent' || messageId === undefined)
      throw new Error(`a message was judged ${outcome}`);
    return messageId;
  });
}

function createItem(parts: {
  readonly message: NewMessage;
  readonly sender: User;
  readonly addressing: Addressing;
  readonly realm: Realm;
  readonly context: RenderContext;
}): SendItem {
  const { message, sender, addressing, realm, context } = parts;
  const { message: addressed, entry: addressedEntry, ...columns } = addressing;
  const { content, sentAtSecs } = message;
  const rendered = renderMessage(content, context);
  const subjectLinks = findSubjectLinks(addressed.subject, context);
  const isHuman = sender.botType === null;
  const logged: LoggedMessage = {
    ...addressed,
    sender_id: sender.id,
    recipient_id: columns.recipient_id,
    timestamp: sentAtSecs,
    client: isHuman ? clientOfHumans : clientOfBots,
    subject_links: subjectLinks,
    is_me_message: rendered.isMeMessage,
    reactions: [],
    submessages: [],
    sender_full_name: sender.fullName,
    sender_short_name: sender.shortName,
    sender_email: sender.email,
    sender_realm_str: realm.stringId,
  };
  const payload: MessageSentEntry = {
    v: 1,
    kind: 'message.sent',
    message: logged,
    content,
    renderedContent: rendered.html,
    avatar: {
      url: avatarUrl(sender),
      isGravatar: sender.avatarSource === 'G' && sender.email === sender.deliveryEmail,
    },
    ...addressedEntry,
    readBySender: isHuman,
    mentionsWildcard: rendered.mentionsWildcard,
    mentionedIds: rendered.mentionedUserIds,
    groupMentionedIds: [],
    alertWordIds: [],
    lateReceiptIds: [],
    reactingBotIds: [],
  };
  return {
    ...columns,
    send_key: `made:${randomUUID()}`,
    content_hash: createHash('sha256').update(content).digest('hex'),
    sender_id: sender.id,
    may_be_first: addressed.type === 'stream',
    topic: addressed.subject,
    content,
    rendered_content: rendered.html,
    client: logged.client,
    sent_at_secs: sentAtSecs,
    is_me_message: rendered.isMeMessage,
    has_link: rendered.hasLink,
    has_image: rendered.hasImage,
    has_attachment: false,
    read_by_sender: isHuman,
    mentions_wildcard: rendered.mentionsWildcard,
    mentioned_ids: rendered.mentionedUserIds,
    late_receipt_ids: [],
    ...(subjectLinks.length === 0 ? {} : { subject_links: subjectLinks }),
    ...sentSearchWords(addressed.subject, rendered.html),
    payload: JSON.stringify(payload),
  };
}

async function addressTopic(
  pool: Pool,
  streams: readonly Stream[],
  sender: User,
  streamName: string,
  topic: string,
): Promise<Addressing> {
  const stream = streams.find(({ name }) => name === streamName);
  if (stream === undefined) throw new Error(`there is no stream ${streamName}`);
  return {
    stream_id: stream.id,
    stream_version: stream.version,
    ...(stream.inviteOnly ? { authority_id: sender.botOwnerId ?? sender.id } : {}),
    conversation_id: await ensureTopicConversation(pool, stream.id, topic),
    recipient_id: stream.recipientId,
    audience: audienceKey.stream(stream.id),
    message: {
      type: 'stream',
      display_recipient: stream.name,
      subject: topic,
      stream_id: stream.id,
    },
    entry: { stream: { id: stream.id, isPublic: !stream.inviteOnly } },
  };
}

async function addressPeople(
  pool: Pool,
  users: ReadonlyMap<number, User>,
  sender: User,
  recipientIds: readonly number[],
): Promise<Addressing> {
  const participantIds = [...new Set([sender.id, ...recipientIds])].toSorted((a, b) => a - b);
  const participants = participantIds.map((id) => {
    const user = users.get(id);
    if (user === undefined) throw new Error(`no user has the id ${id}`);
    return user;
  });
  const conversation = await ensurePrivateConversation(pool, participantIds);
  const other = participants.find(({ id }) => id !== sender.id) ?? sender;
  return {
    participant_ids: participantIds,
    conversation_id: conversation.id,
    recipient_id: conversation.recipientId ?? other.recipientId,
    audience: audienceKey.conversation(conversation.id),
    message: {
      type: 'private',
      display_recipient: displayRecipients(participants),
      subject: '',
    },
    entry: { participantIds },
  };
}

/** Two people by address, more by id (reference facts, messages 5.1). */
function displayRecipients(participants: readonly User[]): DisplayRecipient[] {
  const ordered =
    participants.length === 2
      ? participants.toSorted((a, b) => (a.email < b.email ? -1 : 1))
      : participants;
  return ordered.map((user) => ({
    id: user.id,
    email: user.email,
    full_name: user.fullName,
    short_name: user.shortName,
    is_mirror_dummy: false,
  }));
}

function createRenderContext(
  publicUrl: string,
  users: readonly User[],
  streams: readonly Stream[],
): RenderContext {
  return {
    realmUri: publicUrl,
    usersByName: (name) =>
      users.filter((user) => user.fullName.toLowerCase() === name.toLowerCase()),
    userById: (id) => users.find((user) => user.id === id),
    hasWildcards: true,
    groupByName: () => undefined,
    streamByName: (name) => streams.find((stream) => stream.name === name),
    realmEmoji: () => undefined,
    linkifiers: [],
    settings: { inlineImagePreview: true },
  };
}
