/**
 * The content of messages, which is the same for every reader, with its version (owner of `message_versions`, which triggers write). The
 * statement that lists messages (`listMessages`) decides whether somebody may see them.
 */
import type { Client, Queryable } from '@parley/database';

import type { FlaggedMessage } from '../lists/listed-page.ts';

/** The texts to read of a message: the original, the rendered one, or both. */
export type MessageTexts = 'written' | 'rendered' | 'both';

/** A reaction of any user. */
export type ShownReaction = {
  readonly userId: number;
  readonly emojiName: string;
  readonly emojiCode: string;
  readonly reactionType: string;
};

/** One version of a message, without the names of people and streams. */
export type ShownMessage = FlaggedMessage & {
  readonly epoch: number;
  readonly version: number;
  /** Null if they were not read. */
  readonly content: string | null;
  readonly renderedContent: string | null;
  readonly sentAtSecs: number;
  readonly client: string;
  readonly topic: string;
  readonly subjectLinks: readonly string[] | null;
  readonly isMeMessage: boolean;
  readonly recipientId: number;
  readonly conversationId: number;
  /** Of a private message, ascending; otherwise null. */
  readonly participantIds: readonly number[] | null;
  readonly reactions: readonly ShownReaction[];
  readonly submessages: readonly unknown[];
  readonly lastEditedAtSecs: number | null;
  readonly editHistory: readonly unknown[] | null;
  /** The total size of its texts, their history and its submessages. */
  readonly bytes: number;
};

/** A message to read for a page. */
export type MessageToRead = {
  readonly id: number;
  /** Whether it is the page's anchor or lies above it. */
  readonly isAbove: boolean;
  /** Whether it is read however long its text is. */
  readonly isNearAnchor: boolean;
};

/**
 * The most bytes of texts and submessages on one side of a page, beyond the two messages next to the anchor. A page of thousands of ordinary
 * messages is far below it; a page with as many of the longest messages would take more memory than a service has.
 */
export const pageTextBytesMax = 16 * 1024 * 1024;

/** Whole seconds since 1970, rounded as by `extract(epoch …)::bigint`, but without its arithmetic on decimals. */
function secondsSql(time: string): string {
  return `floor(date_part('epoch', ${time}) + 0.5)::bigint`;
}

const columnsOf: Readonly<Record<MessageTexts, readonly string[]>> = {
  written: ['content'],
  rendered: ['rendered_content'],
  both: ['content', 'rendered_content'],
};

function shownText(texts: MessageTexts): string {
  const bytes = [
    ...columnsOf[texts].map((column) => `octet_length(m.${column})`),
    'coalesce(octet_length(m.edit_history::text), 0)',
    'coalesce(octet_length(carried.submessages::text), 0)',
  ].join(' + ');
  const textOf = (column: string): string =>
    columnsOf[texts].includes(column) ? `CASE WHEN m.fits THEN m.${column} END` : 'NULL::text';
  // Related rows are read at once for all messages, because an index finds a hundred neighbours for little more than one.
  return `SELECT m.id, NOT m.fits AS "isLeftOut", (SELECT log_head.epoch FROM log_head) AS epoch, coalesce(v.version, 0) AS version,
      m.bytes, ${textOf('content')} AS content, ${textOf('rendered_content')} AS "renderedContent",
      ${secondsSql('m.sent_at')} AS "sentAtSecs", m.client, m.topic, m.subject_links AS "subjectLinks",
      m.is_me_message AS "isMeMessage", m.recipient_id AS "recipientId", m.sender_id AS "senderId", m.stream_id AS "streamId",
      m.conversation_id AS "conversationId", m.read_conversation_id AS "readConversationId", m.read_by_sender AS "isReadBySender",
      m.mentions_wildcard AS "mentionsWildcard", coalesce(m.group_mentioned_ids, '{}') AS "groupMentionedIds",
      coalesce(m.alert_word_ids, '{}') AS "alertWordIds", ${secondsSql('m.last_edited_at')} AS "lastEditedAtSecs",
      CASE WHEN m.fits THEN m.edit_history END AS "editHistory",
      (SELECT c.participant_ids FROM conversations c WHERE c.id = m.conversation_id AND m.stream_id IS NULL) AS "participantIds",
      CASE WHEN m.fits THEN coalesce(reacted.reactions, '[]') END AS reactions,
      CASE WHEN m.fits THEN coalesce(m.submessages, '[]') END AS submessages
    FROM (
      SELECT m.*, carried.submessages, ${bytes} AS bytes,
        requested.is_near_anchor OR sum(${bytes}) OVER (PARTITION BY requested.is_above ORDER BY requested.place) <= ${pageTextBytesMax} AS fits
      FROM unnest($1::bigint[], $2::boolean[], $3::boolean[]) WITH ORDINALITY AS requested (id, is_above, is_near_anchor, place)
      JOIN messages m ON m.id = requested.id
      LEFT JOIN (
        SELECT b.message_id, json_agg(json_build_object('id', b.id, 'message_id', b.message_id, 'sender_id', b.sender_id,
          'msg_type', b.msg_type, 'content', b.content) ORDER BY b.id) AS submessages
        FROM submessages b WHERE b.message_id = ANY ($1) GROUP BY b.message_id) carried ON carried.message_id = m.id
    ) m
    LEFT JOIN (SELECT * FROM message_versions v WHERE v.message_id = ANY ($1)) v ON v.message_id = m.id
    LEFT JOIN (
      SELECT r.message_id, json_agg(json_build_object('userId', r.user_id, 'emojiName', r.emoji_name, 'emojiCode', r.emoji_code,
        'reactionType', r.reaction_type) ORDER BY r.id) AS reactions
      FROM reactions r WHERE r.message_id = ANY ($1) GROUP BY r.message_id) reacted ON reacted.message_id = m.id`;
}

const shownTexts: Readonly<Record<MessageTexts, string>> = {
  written: shownText('written'),
  rendered: shownText('rendered'),
  both: shownText('both'),
};

/**
 * Reads the current content of messages, on each side until the length of their texts exceeds the bound of a page.
 *
 * @param requested each once, on each side of the page from the anchor outwards
 * @returns the existing messages, in no order, and the ids of existing ones that do not fit
 */
export async function readShownMessages(
  db: Queryable,
  requested: readonly MessageToRead[],
  texts: MessageTexts,
): Promise<{ readonly shown: readonly ShownMessage[]; readonly leftOutIds: readonly number[] }> {
  const { rows } = await db.query<
    | ({ readonly isLeftOut: false } & ShownMessage)
    | { readonly isLeftOut: true; readonly id: number }
  >({
    name: `shown-messages-${texts}`,
    text: shownTexts[texts],
    values: [
      requested.map(({ id }) => id),
      requested.map(({ isAbove }) => isAbove),
      requested.map(({ isNearAnchor }) => isNearAnchor),
    ],
  });
  return {
    shown: rows.filter((row) => !row.isLeftOut),
    leftOutIds: rows.filter((row) => row.isLeftOut).map(({ id }) => id),
  };
}

/** Deletes the versions of messages that are being deleted; ids are never used again. */
export async function deleteMessageVersions(
  client: Client,
  messageIds: readonly number[],
): Promise<void> {
  await client.query({
    name: 'shown-messages-delete-versions',
    text: 'DELETE FROM message_versions WHERE message_id = ANY ($1::bigint[])',
    values: [messageIds],
  });
}
