/**
 * The content of messages, which is the same for every reader, with its version (owner of `message_versions`, which triggers write). The
 * statement that lists messages (`listMessages`) decides whether somebody may see them.
 */
import type { Client, Queryable } from '@parley/database';

import type { FlaggedMessage, ListedMessage } from '../lists/listed-page.ts';
import { keptColumns } from './kept-messages.ts';
import { shownReactionsSql, shownSubmessagesSql } from './shown-parts-sql.ts';

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
  /** At most the bytes that it takes in a page. */
  readonly bytes: number;
};

/** A message to read for a page. */
export type MessageToRead = ListedMessage & {
  /** Whether it is the page's anchor or lies above it. */
  readonly isAbove: boolean;
  /** Whether it is read however long it is. */
  readonly isNearAnchor: boolean;
};

/**
 * The most bytes on one side of a page, beyond the two messages next to the anchor. Thousands of ordinary messages are below it. Both sides
 * together cross a link, which has a bound for reads above which the page would be made a second time.
 */
export const pageSideBytesMax = 7 * 1024 * 1024;

/** A reaction in a page has at least this many bytes, with the user whom it names, ... */
const reactionBytesMin = 120;
/** ... and a participant of a private message at least this many. */
const participantBytesMin = 80;

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
    'coalesce(octet_length(m.submessages::text), 0)',
    `m.reaction_count * ${reactionBytesMin}`,
    `coalesce(cardinality(m.participant_ids), 0) * ${participantBytesMin}`,
  ].join(' + ');
  const textOf = (column: string): string =>
    columnsOf[texts].includes(column) ? `CASE WHEN m.fits THEN m.${column} END` : 'NULL::text';
  const unkept = [
    'id',
    'sender_id',
    'stream_id',
    'read_conversation_id',
    'recipient_id',
    'client',
    'sent_at',
    'read_by_sender',
  ].map((column) => `now.${column}`);
  const shown = keptColumns
    .filter((column) => column !== 'search')
    .map(
      (column) =>
        `CASE WHEN held.id IS NULL THEN now.${column} ELSE held.${column} END AS ${column}`,
    );
  // Related rows are read at once for all messages, because an index finds a hundred neighbours for little more than one.
  return `WITH found AS MATERIALIZED (
      SELECT ${[...unkept, ...shown].join(', ')}, talking.participant_ids, held.id AS kept_id, held.reactions AS kept_reactions,
        CASE WHEN held.id IS NULL THEN carried.submessages ELSE held.submessages END AS submessages,
        CASE WHEN held.id IS NULL THEN coalesce(reacted.count, 0) ELSE json_array_length(held.reactions) END AS reaction_count,
        requested.is_above, requested.is_near_anchor, requested.place
      FROM unnest($1::bigint[], $2::boolean[], $3::boolean[], $4::bigint[])
        WITH ORDINALITY AS requested (id, is_above, is_near_anchor, kept_id, place)
      JOIN messages now ON now.id = requested.id
      LEFT JOIN kept_messages held ON held.id = requested.kept_id
      LEFT JOIN conversations talking ON talking.id = now.conversation_id AND now.stream_id IS NULL
      LEFT JOIN (SELECT b.message_id, ${shownSubmessagesSql('b')} AS submessages
        FROM submessages b WHERE b.message_id = ANY ($1) GROUP BY b.message_id) carried ON carried.message_id = now.id
      LEFT JOIN (SELECT r.message_id, count(*) AS count FROM reactions r WHERE r.message_id = ANY ($1) GROUP BY r.message_id) reacted
        ON reacted.message_id = now.id
    ), sized AS MATERIALIZED (
      SELECT m.*, ${bytes} AS bytes,
        m.is_near_anchor OR sum(${bytes}) OVER (PARTITION BY m.is_above ORDER BY m.place) <= ${pageSideBytesMax} AS fits
      FROM found m
    )
    SELECT m.id, NOT m.fits AS "isLeftOut", (SELECT log_head.epoch FROM log_head) AS epoch, coalesce(-m.kept_id, v.version, 0) AS version,
      m.bytes, ${textOf('content')} AS content, ${textOf('rendered_content')} AS "renderedContent",
      ${secondsSql('m.sent_at')} AS "sentAtSecs", m.client, m.topic, m.subject_links AS "subjectLinks",
      m.is_me_message AS "isMeMessage", m.recipient_id AS "recipientId", m.sender_id AS "senderId", m.stream_id AS "streamId",
      m.conversation_id AS "conversationId", m.read_conversation_id AS "readConversationId", m.read_by_sender AS "isReadBySender",
      m.mentions_wildcard AS "mentionsWildcard", coalesce(m.group_mentioned_ids, '{}') AS "groupMentionedIds",
      coalesce(m.alert_word_ids, '{}') AS "alertWordIds", ${secondsSql('m.last_edited_at')} AS "lastEditedAtSecs",
      CASE WHEN m.fits THEN m.edit_history END AS "editHistory",
      CASE WHEN m.fits THEN m.participant_ids END AS "participantIds",
      CASE WHEN m.fits THEN coalesce(m.kept_reactions, reacted.reactions, '[]') END AS reactions,
      CASE WHEN m.fits THEN coalesce(m.submessages, '[]') END AS submessages
    FROM sized m
    LEFT JOIN (SELECT * FROM message_versions v WHERE v.message_id = ANY ($1)) v ON v.message_id = m.id
    LEFT JOIN (SELECT r.message_id, ${shownReactionsSql('r')} AS reactions FROM reactions r
      WHERE r.message_id = ANY (ARRAY(SELECT fitting.id FROM sized fitting WHERE fitting.fits)) GROUP BY r.message_id) reacted
      ON reacted.message_id = m.id`;
}

const shownTexts: Readonly<Record<MessageTexts, string>> = {
  written: shownText('written'),
  rendered: shownText('rendered'),
  both: shownText('both'),
};

/**
 * Reads the current content of messages, on each side until their bytes exceed the bound of a page.
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
      requested.map(({ version }) => (version < 0 ? -version : null)),
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
