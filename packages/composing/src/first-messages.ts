import { createHash } from 'node:crypto';

import type { Clock } from '@parley/clock';
import type { Client } from '@parley/database';
import type { SendItem } from '@parley/event-log';
import { contextOfData, renderMessage } from '@parley/markdown';
import { createTopicConversations, findNotificationBot, findStreamSendFacts } from '@parley/store';
import type { Stream, User } from '@parley/store';

import { composeMessage, composeText, systemClientName } from './compose-message.ts';
import type { TextRenderer } from './compose-message.ts';
import { notice, silentMention, streamLink } from './notice.ts';
import type { Notice } from './notice.ts';
import { RealmFactsReader, noLinkifiers } from './realm-facts.ts';

/** The topic of notices about the stream itself (reference facts, streams 5.2). */
export const streamEventsTopic = 'stream events';

/** The topic of the first message of an organization. */
const welcomeTopic = 'welcome';

/**
 * The most first messages that one change sends, because each holds the head of the log for 70 µs. Usually only an administrator creates
 * more streams in one request, and side effects send the others.
 */
export const firstMessagesMax = 200;

/** @returns the first message of a stream */
export function streamCreatedNotice(
  actor: Pick<User, 'id' | 'fullName' | 'email' | 'botType' | 'isActive'>,
): Notice {
  return notice`Stream created by ${silentMention(actor)}.`;
}

/** What somebody reads who is the first in an organization, and who comes later. */
function welcomeNotice(stream: Pick<Stream, 'id' | 'name'>): Notice {
  return notice`This is ${streamLink(stream)}, which everybody reads who joins. Every message has a topic that keeps a conversation together: this one has the topic *welcome*, and the next can have another.

* Talk about a subject in a stream of its own: [create one](/#streams).
* Bring people: [invite them](/#settings/invitations).`;
}

/** The notice is short, whatever names it contains. */
const renderer: TextRenderer = {
  render: (content, data) => renderMessage(content, contextOfData(data)),
};

type NoticesInStreams = {
  readonly clock: Clock;
  /** In the order in which the messages are sent. */
  readonly streamIds: readonly number[];
  readonly topic: string;
  readonly text: Notice;
  /** Begins the keys of the sends, which end with the stream. */
  readonly keyPrefix: string;
  readonly readByIds: readonly number[];
  readonly realmFacts: RealmFactsReader;
  readonly realmUri: string;
};

/** @returns a message of the notification bot for each stream; an empty list if the organization has no such bot */
async function composeInStreams(client: Client, notices: NoticesInStreams): Promise<SendItem[]> {
  const { streamIds, topic, realmUri } = notices;
  const bot = streamIds.length === 0 ? undefined : await findNotificationBot(client);
  if (bot === undefined) return [];
  await createTopicConversations(client, streamIds, topic);
  const questions = streamIds.map((streamId) => ({
    senderId: bot.id,
    address: { streamId },
    topic,
  }));
  const { facts, realm: sendRealm } = await findStreamSendFacts(client, questions);
  const sender = questions[0] && facts.get(questions[0])?.sender;
  if (sendRealm === undefined || sender === undefined) return [];
  const realm = await notices.realmFacts.complete(client, sendRealm);
  const { content, named } = notices.text;
  const text = await composeText(content, {
    sender,
    realm: { ...realm, linkifiers: noLinkifiers },
    realmUri,
    named,
    renderer,
  });
  const contentHash = createHash('sha256').update(content).digest('hex');
  const sentAtSecs = Math.floor(notices.clock.nowMs() / 1000);
  return questions.flatMap((question): SendItem[] => {
    const stream = facts.get(question)?.stream;
    if (stream?.conversationId === undefined) return [];
    return [
      composeMessage({
        message: { kind: 'stream', sender, content, realm, stream, topic, authorityId: undefined },
        conversation: { id: stream.conversationId, recipientId: stream.recipientId },
        text,
        sendKey: { key: `${notices.keyPrefix}:${stream.id}`, contentHash },
        clientName: systemClientName,
        sentAtSecs,
        local: undefined,
        submessages: [],
        readByIds: notices.readByIds,
        uploadPathIds: [],
      }),
    ];
  });
}

/**
 * Makes the first message of each stream, in which the notification bot says who created it (reference facts, streams 5.2). The transaction
 * that creates the streams and their memberships sends them with its commit. So they exist exactly if the streams do, and are there when
 * the request is answered.
 *
 * @param options.streamIds in the order in which the messages are sent; at most `firstMessagesMax`
 * @returns an empty list if the organization has no notification bot
 */
export async function composeFirstMessages(
  client: Client,
  {
    actor,
    ...options
  }: Pick<NoticesInStreams, 'clock' | 'streamIds' | 'realmFacts' | 'realmUri'> & {
    readonly actor: User;
  },
): Promise<SendItem[]> {
  return composeInStreams(client, {
    ...options,
    topic: streamEventsTopic,
    text: streamCreatedNotice(actor),
    keyPrefix: 'stream-created',
    readByIds: [actor.id],
  });
}

/**
 * Makes the notice in private streams that an administrator enters from outside, because their members were all guests or gone. The
 * transaction of the join, which has locked the streams, sends them with its commit.
 *
 * @param options.changeId of the join
 * @returns an empty list if the organization has no notification bot
 */
export async function composeOpenings(
  client: Client,
  {
    actor,
    changeId,
    ...options
  }: Pick<NoticesInStreams, 'clock' | 'streamIds' | 'realmFacts' | 'realmUri'> & {
    readonly actor: User;
    readonly changeId: number;
  },
): Promise<SendItem[]> {
  return composeInStreams(client, {
    ...options,
    topic: streamEventsTopic,
    text: notice`${silentMention(actor)} opened this stream as an administrator, because nobody except guests was left in it.`,
    keyPrefix: `stream-opened-${changeId}`,
    readByIds: [actor.id],
  });
}

/**
 * Makes the message with which an organization begins, for the transaction that creates the organization with its first stream.
 *
 * @param realmUri where people reach the organization
 */
export async function composeWelcome(
  client: Client,
  stream: Pick<Stream, 'id' | 'name'>,
  realmUri: string,
  clock: Clock,
): Promise<SendItem[]> {
  return composeInStreams(client, {
    clock,
    streamIds: [stream.id],
    topic: welcomeTopic,
    text: welcomeNotice(stream),
    keyPrefix: 'welcome',
    readByIds: [],
    realmFacts: new RealmFactsReader(client),
    realmUri,
  });
}
