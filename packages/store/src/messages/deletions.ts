import type { Client } from '@parley/database';

import { deleteFlags } from './flags.ts';
import { deleteKeptMessages } from './kept-messages.ts';
import { deleteReactions } from './reactions.ts';
import { deleteReadExceptions } from '../read-state/read-state.ts';
import { deleteMessageVersions } from './shown-messages.ts';
import { deleteSubmessages } from './submessages.ts';
import { deleteMessageUploads } from './uploads.ts';
import { maySeeMessageSql } from '../visibility/visibility-sql.ts';

/** Deletion of messages (with `edits.ts` owner of `message_edits`; writes `messages`, which sends insert). */

/**
 * Deletes messages with all their flags, late receipts, read state out of order, reactions, submessages, past edits, and links to files.
 * The caller has locked the messages, in the order of their ids. Their send keys stay, so a repeated send answers the id and sends nothing.
 * A flag that is set at the same moment can outlast its message. It then has no effect, because all reads of flags begin at messages.
 *
 * @returns the files whose owners could see a message, and who must learn that the file lost a link
 */
export async function deleteMessages(
  client: Client,
  messageIds: readonly number[],
): Promise<readonly string[]> {
  const linking = await client.query<{ id: number }>({
    name: 'deletions-linking',
    text: 'SELECT DISTINCT message_id AS id FROM message_uploads WHERE message_id = ANY ($1::bigint[]) ORDER BY 1',
    values: [messageIds],
  });
  const pathIds = new Set<string>();
  for (const { id } of linking.rows)
    for (const pathId of await deleteMessageUploads(client, id)) pathIds.add(pathId);
  await deleteReadExceptions(client, messageIds);
  await deleteFlags(client, messageIds);
  await deleteReactions(client, messageIds);
  await deleteSubmessages(client, messageIds);
  await deleteMessageVersions(client, messageIds);
  await deleteKeptMessages(client, messageIds);
  await client.query({
    name: 'deletions-delete',
    text: `WITH edits AS (DELETE FROM message_edits WHERE message_id = ANY ($1::bigint[]))
      DELETE FROM messages WHERE id = ANY ($1::bigint[])`,
    values: [messageIds],
  });
  return [...pathIds];
}

/** Deletes one message. See `deleteMessages`. */
export async function deleteMessage(client: Client, messageId: number): Promise<readonly string[]> {
  return deleteMessages(client, [messageId]);
}

/** The parts of a deleted message in its event. */
export type TopicMessage = {
  readonly id: number;
  readonly topic: string;
  readonly senderId: number;
  readonly senderEmail: string;
};

/**
 * Locks the oldest messages of a topic that a user may see. The caller has locked the stream.
 *
 * @param topic.upToId newer messages are excluded
 * @returns at most the given number, by ascending id
 */
export async function lockTopicMessages(
  client: Client,
  userId: number,
  topic: { readonly streamId: number; readonly folded: string; readonly upToId: number },
  messagesMax: number,
): Promise<TopicMessage[]> {
  const { rows } = await client.query<TopicMessage>({
    name: 'deletions-lock-topic',
    text: `SELECT m.id, m.topic, m.sender_id AS "senderId", sender.email AS "senderEmail"
      FROM messages m JOIN users sender ON sender.id = m.sender_id
      WHERE m.conversation_id = (SELECT c.id FROM conversations c WHERE c.stream_id = $2 AND c.topic_folded = $3)
        AND m.stream_id = $2 AND m.id <= $4
        AND ${maySeeMessageSql('m', '$1::integer', '$2::integer')}
      ORDER BY m.id LIMIT $5 FOR UPDATE OF m`,
    values: [userId, topic.streamId, topic.folded, topic.upToId, messagesMax],
  });
  return rows;
}
