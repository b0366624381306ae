/**
 * Changes of sent messages: edits and moves to another topic (with `deletions.ts` owner of `message_edits`; writes `messages`, which sends
 * insert).
 *
 * The order of locks, after the accounts: the stream (`lockForChange`), the message, the read state, each by id. Only a move changes the
 * conversation of a message, and moves within a stream run one at a time, so what a move reads about its topic stays true.
 */
import { limits } from '@parley/api';
import type { Client, Queryable } from '@parley/database';

import { keepForFormerHolders } from './kept-messages.ts';
import { keptForSql, maySeeMessageSql, sharesHistorySql } from '../visibility/visibility-sql.ts';

/**
 * Locks a message and, before it, its stream until the transaction ends, so that events about both stay true. Keeps it for those who left
 * its private stream, unless it is deleted.
 *
 * @param purpose `move` also blocks other moves in the stream
 * @returns whether the message still exists
 */
export async function lockForChange(
  client: Client,
  message: { readonly id: number; readonly streamId: number | null },
  purpose: 'edit' | 'move' | 'delete',
): Promise<boolean> {
  if (message.streamId !== null) {
    // Renames, changes of privacy and of memberships lock the row FOR UPDATE, which excludes either.
    const strength = purpose === 'move' ? 'FOR NO KEY UPDATE' : 'FOR KEY SHARE';
    await client.query({
      name: `edits-lock-stream-${purpose}`,
      text: `SELECT 1 FROM streams WHERE id = $1 ${strength}`,
      values: [message.streamId],
    });
  }
  const { rows } = await client.query({
    name: 'edits-lock-message',
    text: 'SELECT 1 FROM messages WHERE id = $1::bigint FOR UPDATE',
    values: [message.id],
  });
  if (message.streamId !== null && purpose !== 'delete')
    await keepForFormerHolders(client, [message.id]);
  return rows.length > 0;
}

/** One edit as stored in a message's `edit_history` (reference facts, messages 5.6). */
export type EditRecord = {
  readonly user_id: number;
  readonly timestamp: number;
  readonly prev_subject?: string;
  readonly prev_content?: string;
  readonly prev_rendered_content?: string;
  readonly prev_rendered_content_version?: number;
};

/** The data that an edit needs beside that for permissions. */
export type EditedMessageFacts = {
  readonly editHistory: readonly EditRecord[];
  readonly recipientId: number;
  readonly senderEmail: string;
  readonly stream:
    | {
        readonly id: number;
        readonly name: string;
        /** Whether subscribers may read messages from before they joined. */
        readonly sharesHistory: boolean;
      }
    | undefined;
};

/** @throws Error if there is no such message: the caller holds its lock */
export async function getEditedMessageFacts(
  db: Queryable,
  messageId: number,
): Promise<EditedMessageFacts> {
  const { rows } = await db.query<
    Omit<EditedMessageFacts, 'stream' | 'editHistory'> & {
      editHistory: EditRecord[] | null;
      streamId: number | null;
      streamName: string;
      sharesHistory: boolean;
    }
  >({
    name: 'edits-facts',
    text: `SELECT m.edit_history AS "editHistory", m.recipient_id AS "recipientId", sender.email AS "senderEmail",
        s.id AS "streamId", s.name AS "streamName", ${sharesHistorySql('s')} AS "sharesHistory"
      FROM messages m JOIN users sender ON sender.id = m.sender_id LEFT JOIN streams s ON s.id = m.stream_id
      WHERE m.id = $1`,
    values: [messageId],
  });
  const [row] = rows;
  if (row === undefined) throw new Error(`message ${messageId} is gone though it is locked`);
  const { editHistory, streamId, streamName, sharesHistory, ...facts } = row;
  return {
    ...facts,
    editHistory: editHistory ?? [],
    stream: streamId === null ? undefined : { id: streamId, name: streamName, sharesHistory },
  };
}

/** A text with the columns of the message's row that follow from it. */
export type NewContent = {
  readonly content: string;
  readonly renderedContent: string;
  readonly isMeMessage: boolean;
  readonly hasLink: boolean;
  readonly hasImage: boolean;
  readonly hasAttachment: boolean;
  readonly mentionsWildcard: boolean;
  readonly groupMentionedIds: readonly number[];
  readonly alertWordIds: readonly number[];
  /** Null if it was made for another text than the replaced one. */
  readonly contentHtmlDiff: string | null;
};

/** The new topic of the messages, in this spelling. */
export type NewTopic = {
  readonly topic: string;
  /** The conversation of that topic. */
  readonly conversationId: number;
  readonly subjectLinks: readonly string[];
};

export type Edit = {
  readonly messageId: number;
  readonly editorId: number;
  /** Unix time. */
  readonly editedAtSecs: number;
  readonly content?: NewContent;
  readonly topic?: NewTopic;
  /** The words that find the message from now on. */
  readonly searchWords: string;
  /** Newest first, with this edit. */
  readonly editHistory: readonly EditRecord[];
};

const nullIfEmpty = <Item>(list: readonly Item[]): readonly Item[] | null =>
  list.length === 0 ? null : list;

const editText = `WITH before AS (
    SELECT m.topic, m.content, m.rendered_content FROM messages m WHERE m.id = $1
  ), noted AS (
    INSERT INTO message_edits (message_id, editor_id, edited_at, topic, content, rendered_content, prev_topic, prev_content,
      prev_rendered_content, content_html_diff)
    SELECT $1, $2, to_timestamp($3), CASE WHEN $6 THEN $7 ELSE b.topic END, CASE WHEN $10 THEN $11 ELSE b.content END,
      CASE WHEN $10 THEN $12 ELSE b.rendered_content END, CASE WHEN $6 THEN b.topic END, CASE WHEN $10 THEN b.content END,
      CASE WHEN $10 THEN b.rendered_content END, $20
    FROM before b
  )
  UPDATE messages m SET last_edited_at = to_timestamp($3), edit_history = $5::jsonb,
    topic = CASE WHEN $6::boolean THEN $7::text ELSE m.topic END,
    conversation_id = CASE WHEN $6 THEN $8::bigint ELSE m.conversation_id END,
    subject_links = CASE WHEN $6 THEN $9::text[] ELSE m.subject_links END,
    content = CASE WHEN $10::boolean THEN $11::text ELSE m.content END,
    rendered_content = CASE WHEN $10 THEN $12::text ELSE m.rendered_content END,
    is_me_message = CASE WHEN $10 THEN $13::boolean ELSE m.is_me_message END,
    has_link = CASE WHEN $10 THEN $14::boolean ELSE m.has_link END,
    has_image = CASE WHEN $10 THEN $15::boolean ELSE m.has_image END,
    has_attachment = CASE WHEN $10 THEN $16::boolean ELSE m.has_attachment END,
    mentions_wildcard = CASE WHEN $10 THEN $17::boolean ELSE m.mentions_wildcard END,
    group_mentioned_ids = CASE WHEN $10 THEN $18::integer[] ELSE m.group_mentioned_ids END,
    alert_word_ids = CASE WHEN $10 THEN $19::integer[] ELSE m.alert_word_ids END,
    search = message_words_vector($4, m.stream_id, CASE WHEN $6 THEN $8 ELSE m.conversation_id END, m.sender_id, m.id)
  WHERE m.id = $1`;

/**
 * Writes an edit: the new state of the message, and the old one. The caller has locked the message (`lockForChange`, with the purpose
 * `move` for a new topic). Read state stays with the conversation that the message was first sent to.
 */
export async function editMessage(client: Client, edit: Edit): Promise<void> {
  const { content, topic } = edit;
  await client.query({
    name: 'edits-edit',
    text: editText,
    values: [
      edit.messageId,
      edit.editorId,
      edit.editedAtSecs,
      edit.searchWords,
      JSON.stringify(edit.editHistory),
      topic !== undefined,
      topic?.topic ?? null,
      topic?.conversationId ?? null,
      topic === undefined ? null : nullIfEmpty(topic.subjectLinks),
      content !== undefined,
      content?.content ?? null,
      content?.renderedContent ?? null,
      content?.isMeMessage ?? null,
      content?.hasLink ?? null,
      content?.hasImage ?? null,
      content?.hasAttachment ?? null,
      content?.mentionsWildcard ?? null,
      content === undefined ? null : nullIfEmpty(content.groupMentionedIds),
      content === undefined ? null : nullIfEmpty(content.alertWordIds),
      content?.contentHtmlDiff ?? null,
    ],
  });
}

/** The other messages that move with one to a new topic (reference facts, messages 12). */
export type Propagation = {
  readonly messageId: number;
  readonly streamId: number;
  /** The topic of the message until now. Later messages move along under exactly this spelling, and all under any. */
  readonly conversationId: number;
  readonly topic: string;
  readonly mode: 'change_later' | 'change_all';
  /** The user who moves them; messages that this user may not see stay in place. */
  readonly userId: number;
};

const bytesSql = 'octet_length(m.rendered_content)';

/** The age up to which `change_all` moves messages. */
const changeAllDays = 7;

/** A message with the size of its HTML. */
export type SizedMessage = { readonly id: number; readonly bytes: number };

/**
 * @param limit the most messages to list
 * @returns the other messages that get the new topic, ascending: those with a larger id and the same spelling, or all of the last seven days
 *   in any spelling, as far as the user may see them. So nobody moves or learns of messages from before joining a private stream
 */
export async function listPropagated(
  client: Client,
  { messageId, streamId, conversationId, topic, mode, userId }: Propagation,
  limit: number,
): Promise<SizedMessage[]> {
  // One conversation has all spellings of a topic.
  const [which, ...values] =
    mode === 'change_later'
      ? ['m.id > $1 AND m.topic = $6', topic]
      : [`m.id <> $1 AND m.sent_at > parley_now() - interval '${changeAllDays} days'`];
  const { rows } = await client.query<SizedMessage>({
    name: `edits-propagated-${mode}`,
    text: `SELECT m.id, ${bytesSql} AS bytes FROM messages m WHERE m.conversation_id = $3 AND m.stream_id = $2 AND ${which}
        AND ${maySeeMessageSql('m', '$4::integer', '$2::integer')}
      ORDER BY m.id LIMIT $5`,
    values: [messageId, streamId, conversationId, userId, limit, ...values],
  });
  return rows;
}

export type Move = NewTopic & {
  readonly messageIds: readonly number[];
  /** The words that find a message with this topic and HTML. */
  readonly searchWords: (topic: string, renderedContent: string) => string;
};

/** Bounded so that a statement stays short and the transaction does not idle long while the words are computed. */
const movedPerStatement = 250;
const movedBytesPerStatement = 100_000;

function inPieces(sized: readonly SizedMessage[]): number[][] {
  const pieces: number[][] = [];
  let piece: number[] = [];
  let bytes = 0;
  for (const message of sized) {
    if (piece.length === movedPerStatement || bytes + message.bytes > movedBytesPerStatement) {
      if (piece.length > 0) pieces.push(piece);
      piece = [];
      bytes = 0;
    }
    piece.push(message.id);
    bytes += message.bytes;
  }
  if (piece.length > 0) pieces.push(piece);
  return pieces;
}

/**
 * Changes the topic of messages within their stream. Read state stays with the conversation that each was first sent to. The caller has
 * locked the stream (`lockForChange` with the purpose `move`). It excludes messages that were deleted meanwhile, and waits for those that
 * are being edited.
 *
 * @returns the ids of the messages that exist, ascending
 */
export async function moveMessages(client: Client, move: Move): Promise<number[]> {
  const { topic, conversationId, subjectLinks, searchWords } = move;
  const { rows: sized } = await client.query<SizedMessage>({
    name: 'edits-sizes',
    text: `SELECT m.id, ${bytesSql} AS bytes FROM messages m
      WHERE m.id = ANY ($1::bigint[]) ORDER BY m.id`,
    values: [move.messageIds],
  });
  const moved: number[] = [];
  for (const piece of inPieces(sized)) {
    // The texts are read under the lock: a later edit sees the move.
    const { rows } = await client.query<{ id: number; html: string }>({
      name: 'edits-lock-moved',
      text: `SELECT m.id, m.rendered_content AS html FROM messages m WHERE m.id = ANY ($1::bigint[])
        ORDER BY m.id FOR NO KEY UPDATE`,
      values: [piece],
    });
    await keepForFormerHolders(client, piece);
    await client.query({
      name: 'edits-move',
      text: `UPDATE messages m SET topic = $1, conversation_id = $2, subject_links = $3,
          search = message_words_vector(moved.words, m.stream_id, $2, m.sender_id, m.id)
        FROM unnest($4::bigint[], $5::text[]) AS moved (id, words) WHERE m.id = moved.id`,
      values: [
        topic,
        conversationId,
        nullIfEmpty(subjectLinks),
        rows.map((row) => row.id),
        rows.map((row) => searchWords(topic, row.html)),
      ],
    });
    for (const row of rows) moved.push(row.id);
  }
  return moved;
}

/** A past edit: the message as it was after the edit. */
export type PastEdit = {
  readonly editorId: number;
  readonly editedAtSecs: number;
  readonly topic: string;
  readonly content: string;
  readonly renderedContent: string;
  /** Null if the edit did not change the topic, or the content. */
  readonly prevTopic: string | null;
  readonly prevContent: string | null;
  readonly prevRenderedContent: string | null;
  /** Also null if it was not made with the edit. */
  readonly contentHtmlDiff: string | null;
};

export type MessageHistory = {
  readonly original: {
    readonly senderId: number;
    readonly sentAtSecs: number;
    readonly topic: string;
    readonly content: string;
    readonly renderedContent: string;
  };
  /** Oldest first; of a very long history only the newest. */
  readonly edits: readonly PastEdit[];
};

/** The most characters in the texts of one listed history. */
const historyTextMax = 4_000_000;

const pastEditJson = `json_build_object('editorId', e.editor_id, 'editedAtSecs', extract(epoch FROM e.edited_at)::bigint,
  'topic', e.topic, 'content', e.content, 'renderedContent', e.rendered_content, 'prevTopic', e.prev_topic,
  'prevContent', e.prev_content, 'prevRenderedContent', e.prev_rendered_content, 'contentHtmlDiff', e.content_html_diff)`;

const historyText = `SELECT m.sender_id AS "senderId", extract(epoch FROM m.sent_at)::bigint AS "sentAtSecs",
    coalesce(first.prev_topic, first.topic, held.topic, m.topic) AS topic,
    coalesce(first.prev_content, first.content, held.content, m.content) AS content,
    coalesce(first.prev_rendered_content, first.rendered_content, held.rendered_content, m.rendered_content) AS "renderedContent", past.edits
  FROM messages m
  LEFT JOIN LATERAL (${keptForSql('m', '$1')}) held ON true
  LEFT JOIN LATERAL (SELECT e.* FROM message_edits e WHERE e.message_id = m.id AND e.id <= coalesce(held.last_edit_id, e.id)
    ORDER BY e.id LIMIT 1) first ON true
  CROSS JOIN LATERAL (
    SELECT json_agg(${pastEditJson} ORDER BY e.id) AS edits FROM (
      SELECT newest.*, row_number() OVER later AS nth, sum(length(newest.content) + length(newest.rendered_content)
        + length(coalesce(newest.prev_content, '')) + length(coalesce(newest.prev_rendered_content, ''))
        + length(coalesce(newest.content_html_diff, ''))) OVER later AS text_length
      FROM (SELECT e.* FROM message_edits e WHERE e.message_id = m.id AND e.id <= coalesce(held.last_edit_id, e.id) ORDER BY e.id DESC LIMIT ${limits.editsListedMax}) newest
      WINDOW later AS (ORDER BY newest.id DESC)
    ) e WHERE e.nth = 1 OR e.text_length <= ${historyTextMax}
  ) past
  WHERE m.id = $2::bigint AND ${maySeeMessageSql('m', '$1::integer')}`;

/**
 * @returns the states of a message before and after its edits, or undefined if the user may not see it (reference facts, messages 7 and 11)
 */
export async function findMessageHistory(
  db: Queryable,
  userId: number,
  messageId: number,
): Promise<MessageHistory | undefined> {
  const { rows } = await db.query<MessageHistory['original'] & { edits: PastEdit[] | null }>({
    name: 'edits-history',
    text: historyText,
    values: [userId, messageId],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { edits, ...original } = row;
  return { original, edits: edits ?? [] };
}
