/** One row for each topic of a stream and each set of private participants (owner of `conversations` and their participants). */
import { foldName } from '@parley/api';
import type { Client, Queryable } from '@parley/database';

export type Conversation = {
  readonly id: number;
  /** Only for a group of three or more; otherwise it follows from the addressee. */
  readonly recipientId: number | null;
};

type ConversationRow = { readonly id: number; readonly recipient_id: number | null };

// If another transaction makes the row at the same time, a statement's own snapshot does not show it, but the next statement's does.
const attemptsMax = 3;

/** @returns the conversation of a topic, by the folded topic, or undefined if the topic never had a message */
export async function findTopicConversation(
  db: Queryable,
  streamId: number,
  topic: string,
): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>({
    name: 'conversation-of-topic',
    text: 'SELECT id FROM conversations WHERE stream_id = $1 AND topic_folded = $2',
    values: [streamId, foldName(topic)],
  });
  return rows[0]?.id;
}

/**
 * Finds the conversation of a topic, or creates it. It commits on its own, before the send that needs it: a conversation without messages
 * is harmless, and no send waits for another one that creates the same.
 */
export async function ensureTopicConversation(
  db: Queryable,
  streamId: number,
  topic: string,
): Promise<number> {
  const topicFolded = foldName(topic);
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const { rows } = await db.query<{ id: number }>({
      name: 'conversation-for-topic',
      text: `WITH made AS (
          INSERT INTO conversations (stream_id, topic_folded) SELECT $1, $2
          WHERE NOT EXISTS (SELECT 1 FROM conversations WHERE stream_id = $1 AND topic_folded = $2)
          ON CONFLICT DO NOTHING RETURNING id
        )
        SELECT id FROM made UNION ALL SELECT id FROM conversations WHERE stream_id = $1 AND topic_folded = $2`,
      values: [streamId, topicFolded],
    });
    const row = rows[0];
    if (row !== undefined) return row.id;
  }
  throw new Error('a conversation was neither found nor made');
}

/**
 * Creates the conversation of one topic in each of these streams, unless it exists. The same transaction has created the streams, or has
 * locked them.
 */
export async function createTopicConversations(
  client: Client,
  streamIds: readonly number[],
  topic: string,
): Promise<void> {
  await client.query({
    name: 'conversations-of-new-streams',
    text: 'INSERT INTO conversations (stream_id, topic_folded) SELECT s, $2 FROM unnest($1::integer[]) s ON CONFLICT DO NOTHING',
    values: [streamIds, foldName(topic)],
  });
}

/** @returns the private conversation of exactly these people, or undefined if they have none yet */
export async function findPrivateConversation(
  db: Queryable,
  participantIds: readonly number[],
): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>({
    name: 'conversation-of-people',
    text: 'SELECT id FROM conversations WHERE participant_ids = $1::integer[]',
    values: [sorted(participantIds)],
  });
  return rows[0]?.id;
}

/**
 * Finds the private conversation of exactly these people, or creates it. A group of three or more gets a recipient id of its own (reference
 * facts, messages 1). See `ensureTopicConversation`.
 */
export async function ensurePrivateConversation(
  db: Queryable,
  participantIds: readonly number[],
): Promise<Conversation> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const { rows } = await db.query<ConversationRow>({
      name: 'conversation-for-people',
      text: `WITH made AS (
          INSERT INTO conversations (participant_ids, recipient_id)
          SELECT $1::integer[], CASE WHEN cardinality($1::integer[]) > 2 THEN nextval('recipient_ids') END
          WHERE NOT EXISTS (SELECT 1 FROM conversations WHERE participant_ids = $1::integer[])
          ON CONFLICT DO NOTHING RETURNING id, recipient_id
        ), taking AS (
          INSERT INTO conversation_participants (user_id, conversation_id) SELECT u, m.id FROM made m, unnest($1::integer[]) u
        )
        SELECT id, recipient_id FROM made
        UNION ALL SELECT id, recipient_id FROM conversations WHERE participant_ids = $1::integer[]`,
      values: [sorted(participantIds)],
    });
    const row = rows[0];
    if (row !== undefined) return { id: row.id, recipientId: row.recipient_id };
  }
  throw new Error('a conversation was neither found nor made');
}

function sorted(participantIds: readonly number[]): number[] {
  return [...new Set(participantIds)].toSorted((a, b) => a - b);
}

/** @returns the private conversations of the user */
export async function privateConversationIdsOf(db: Queryable, userId: number): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>({
    name: 'private-conversation-ids-of',
    text: 'SELECT conversation_id AS id FROM conversation_participants WHERE user_id = $1',
    values: [userId],
  });
  return rows.map((row) => row.id);
}
