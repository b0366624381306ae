import { createHash } from 'node:crypto';

import type { Client } from '@parley/database';
import type { SendItem } from '@parley/event-log';
import { contextOfData, renderMessage } from '@parley/markdown';
import { createTopicConversations, findNotificationBot, findStreamSendFacts } from '@parley/store';
import type { User } from '@parley/store';

import { composeMessage, composeText, systemClientName } from './compose-message.ts';
import type { TextRenderer } from './compose-message.ts';
import { notice, silentMention } from './notice.ts';
import type { Notice } from './notice.ts';
import { noLinkifiers } from './realm-facts.ts';
import type { RealmFactsReader } from './realm-facts.ts';

/** The topic of notices about the stream itself (reference facts, streams 5.2). */
export const streamEventsTopic = 'stream events';

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

/** The notice is short, whatever names it contains. */
const renderer: TextRenderer = {
  render: (content, data) => renderMessage(content, contextOfData(data)),
};

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
  options: {
    readonly actor: User;
    readonly streamIds: readonly number[];
    readonly realmFacts: RealmFactsReader;
    readonly realmUri: string;
  },
): Promise<SendItem[]> {
  const { actor, streamIds, realmUri } = options;
  const bot = streamIds.length === 0 ? undefined : await findNotificationBot(client);
  if (bot === undefined) return [];
  await createTopicConversations(client, streamIds, streamEventsTopic);
  const questions = streamIds.map((streamId) => ({
    senderId: bot.id,
    address: { streamId },
    topic: streamEventsTopic,
  }));
  const { facts, realm: sendRealm } = await findStreamSendFacts(client, questions);
  const sender = questions[0] && facts.get(questions[0])?.sender;
  if (sendRealm === undefined || sender === undefined) return [];
  const realm = await options.realmFacts.complete(client, sendRealm);
  const { content, named } = streamCreatedNotice(actor);
  const text = await composeText(content, {
    sender,
    realm: { ...realm, linkifiers: noLinkifiers },
    realmUri,
    named,
    renderer,
  });
  const contentHash = createHash('sha256').update(content).digest('hex');
  const sentAtSecs = Math.floor(Date.now() / 1000);
  return questions.flatMap((question): SendItem[] => {
    const stream = facts.get(question)?.stream;
    if (stream?.conversationId === undefined) return [];
    return [
      composeMessage({
        message: {
          kind: 'stream',
          sender,
          content,
          realm,
          stream,
          topic: streamEventsTopic,
          authorityId: undefined,
        },
        conversation: { id: stream.conversationId, recipientId: stream.recipientId },
        text,
        sendKey: { key: `stream-created:${stream.id}`, contentHash },
        clientName: systemClientName,
        sentAtSecs,
        local: undefined,
        submessages: [],
        readByIds: [actor.id],
        uploadPathIds: [],
      }),
    ];
  });
}
