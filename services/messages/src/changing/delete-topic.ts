import { getReadableStream } from '@parley/store/access';
import { audienceKey, changeEntry, readHead } from '@parley/event-log';
import { foldName, mustBeAdministrator } from '@parley/api';
import type { Caller } from '@parley/api';
import type { Append, EventLog } from '@parley/event-log';
import type { Client, Pool } from '@parley/database';
import {
  deleteMessages,
  listHeldMessages,
  listKeptTopics,
  lockStreamInUse,
  lockTopicMessages,
} from '@parley/store';
import type { TopicMessage } from '@parley/store';

import { attachmentUpdates } from '../files/attachment-events.ts';
import { lockActor } from './lock-actor.ts';
import { deletionParts } from './message-entry.ts';

/** The most messages that one transaction deletes, so that its entry is bounded and locks are short. */
const messagesPerTransaction = 500;

/**
 * Deletes all messages of a topic that an administrator may see, in any letter case, with one event per message for its holders (reference
 * facts, streams 8.3). Messages that are sent to the topic meanwhile stay. A large topic takes several transactions: if one is refused, the
 * earlier ones stay, and the request can be repeated.
 *
 * @param topic as sent
 * @throws ApiError `Must be an organization administrator`; `Invalid stream id` for a stream that the caller cannot read
 */
export async function deleteTopicFor(
  { pool, eventLog }: { readonly pool: Pool; readonly eventLog: EventLog },
  caller: Caller,
  streamId: number,
  topic: string,
): Promise<void> {
  await getReadableStream(pool, caller, streamId);
  const upToId = await newestMessageId(pool);
  for (let mayHaveMore = true; mayHaveMore;) {
    mayHaveMore = await eventLog.transaction(async (client) => {
      const actor = await lockActor(client, caller.userId);
      if (actor.role !== 'administrator') throw mustBeAdministrator();
      await lockStreamInUse(client, streamId);
      await getReadableStream(client, actor, streamId);
      const messages = await lockTopicMessages(
        client,
        actor.userId,
        { streamId, folded: foldName(topic), upToId },
        messagesPerTransaction,
      );
      if (messages.length === 0) return { result: false };
      return {
        result: messages.length === messagesPerTransaction,
        append: await deleteAll(client, streamId, messages),
      };
    });
  }
}

async function newestMessageId(pool: Pool): Promise<number> {
  const { messageId } = await readHead(pool);
  return messageId;
}

async function deleteAll(
  client: Client,
  streamId: number,
  messages: readonly TopicMessage[],
): Promise<Append> {
  const ids = messages.map(({ id }) => id);
  const holders = new Map((await listHeldMessages(client, ids)).map((held) => [held.id, held]));
  const kept = await listKeptTopics(client, ids);
  const unlinked = await deleteMessages(client, ids);
  let isForMembers = true;
  const events = messages.flatMap(({ id, topic, senderId, senderEmail }) => {
    const held = holders.get(id);
    if (held === undefined) throw new Error(`message ${id} is gone though it is locked`);
    if (held.lateHolderIds.length > 0) isForMembers = false;
    return deletionParts(held, kept.get(id) ?? [], {
      type: 'delete_message',
      message_id: id,
      sender: senderEmail,
      sender_id: senderId,
      message_type: 'stream',
      stream_id: streamId,
      topic,
    });
  });
  // Late holders may not belong to the stream, so replay must find the entry by another audience.
  const audience = isForMembers ? audienceKey.stream(streamId) : audienceKey.everyone;
  return {
    entries: [
      ...(await attachmentUpdates(client, unlinked)),
      { entry: changeEntry({ events }), audience },
    ],
  };
}
