/**
 * The messages of a page as SQL, with everything about them, in one row of few columns. What belongs to them is read at once for all:
 * an index finds hundred neighbours for little more than one. Each kind comes as a table of its own, column by column, and is put
 * together in `listed-page.ts`: to join them here, to name them in every row, and to take each value apart by itself would cost
 * several times what finding the messages does.
 */
import { isNarrow, readerSql } from './list-sources-sql.ts';
import type { MessageList } from './list-sources-sql.ts';
import { flagBits, userFloorSql } from '../messages/message-sql.ts';
import { beyondAllMessages, canHoldSql, periodsSql } from '../visibility/visibility-sql.ts';

/** What of a message's text a page has. */
export type PageContent = {
  readonly content: 'content' | 'rendered_content';
  /** Gives the rendered content as well. */
  readonly alsoRendered?: boolean;
};

const user = readerSql;

/**
 * The texts of a page together take no more bytes than this, beyond the two messages on each side that lie next to the anchor. A
 * page of thousands of ordinary messages is far below it; one of as many of the longest would take more memory than a service has.
 */
export const textBytesMax = 16 * 1024 * 1024;
const alwaysListed = 2;

/**
 * Writing JSON is what Postgres does slowest here, and neither numbers need it nor texts that come with their lengths.
 *
 * @param columns of integers, none of them null
 * @returns an aggregate: the text of one JSON array with the numbers of all rows, or null where there are no rows
 */
function numbersSql(columns: readonly string[]): string {
  return `'[' || string_agg(concat_ws(',', ${columns.join(', ')}), ',') || ']'`;
}

/** @returns an aggregate: the texts of all rows as a JSON array, or null where there are no rows */
function textsSql(column: string): string {
  return `array_to_json(array_agg(${column}))`;
}

/** Whole seconds since 1970, rounded as `extract(epoch …)::bigint` does, without its arithmetic on decimals. */
function secondsSql(time: string): string {
  return `floor(date_part('epoch', ${time}) + 0.5)::bigint`;
}

/** A list that adds its streams' history holds what the user does not. */
function hasHistory(list: MessageList): boolean {
  return list.withHistory && (isNarrow(list) || list.hints.publicStreams === true);
}

// A change without a position belongs to a transaction that is not over: what it begins has not begun.
const aboveSql = `coalesce(period.above, ${beyondAllMessages})`;

const holdingSql = `,
    (SELECT ${numbersSql(['l.message_id'])} FROM late_receipts l
      WHERE l.user_id = ${user} AND l.message_id = ANY (listed.ids)) AS late,
    (SELECT ${numbersSql(['period.stream_id', aboveSql, 'period.upto'])}
      FROM (${periodsSql(user)}) period WHERE period.stream_id = ANY (listed.stream_ids)) AS periods,
    ${canHoldSql(user)} AS "canHold"`;

/**
 * The rest of a statement that has `picked` among its common table expressions: ids of messages that the user may see. Of very long
 * ones those next to the anchor are left.
 *
 * @param anchor expression for an id
 * @returns further common table expressions and the query, of one row: a `PageRow`
 */
export function pageSql(
  list: MessageList,
  { content, alsoRendered }: PageContent,
  anchor: string,
): string {
  const rendered = alsoRendered === true ? 'm.rendered_content' : `''`;
  return `page AS MATERIALIZED (
      SELECT m.id, m.${content} AS content, ${rendered} AS rendered_content, m.sent_at, m.client, m.topic, m.subject_links,
        m.is_me_message, m.recipient_id, m.stream_id, m.conversation_id, m.read_conversation_id, m.sender_id, m.read_by_sender,
        m.last_edited_at, m.edit_history, (CASE WHEN ${user} = ANY (m.group_mentioned_ids) THEN ${flagBits.mentioned} ELSE 0 END
          | CASE WHEN m.mentions_wildcard THEN ${flagBits.wildcard_mentioned} ELSE 0 END
          | CASE WHEN ${user} = ANY (m.alert_word_ids) THEN ${flagBits.has_alert_word} ELSE 0 END) AS implied_bits,
        octet_length(m.${content}) + octet_length(${rendered}) + coalesce(octet_length(m.edit_history::text), 0) AS bytes
      FROM messages m WHERE m.id = ANY (ARRAY(SELECT picked.id FROM picked))
    ), whole AS MATERIALIZED (
      SELECT sum(page.bytes) AS bytes, min(page.id) AS least, max(page.id) AS most FROM page
    ), listed AS MATERIALIZED (
      SELECT ${numbersSql([
        'm.id',
        'm.sender_id',
        'coalesce(m.stream_id, 0)',
        'm.conversation_id',
        'm.read_conversation_id',
        'm.recipient_id',
        secondsSql('m.sent_at'),
        `coalesce(${secondsSql('m.last_edited_at')}, 0)`,
        'm.is_me_message::integer',
        `(m.sender_id = ${user} AND m.read_by_sender)::integer`,
        'm.implied_bits',
        'octet_length(m.content)',
        'octet_length(m.rendered_content)',
      ])} AS messages,
        string_agg(m.content, '') AS contents, string_agg(m.rendered_content, '') AS "renderedContents", ${textsSql('m.client')} AS clients, ${textsSql('m.topic')} AS topics,
        json_agg(json_build_object('id', m.id, 'subjectLinks', m.subject_links, 'editHistory', m.edit_history))
          FILTER (WHERE m.subject_links IS NOT NULL OR m.edit_history IS NOT NULL) AS extras,
        array_agg(m.id) AS ids, array_agg(m.sender_id) AS sender_ids, array_agg(DISTINCT m.stream_id) AS stream_ids,
        array_agg(DISTINCT m.read_conversation_id) AS read_conversation_ids,
        array_agg(DISTINCT m.conversation_id) FILTER (WHERE m.stream_id IS NULL) AS private_conversation_ids
      FROM page m WHERE (SELECT whole.bytes FROM whole) <= ${textBytesMax} OR m.id IN (
        SELECT nearest.id FROM (
          SELECT p.id, sum(p.bytes) OVER nearness AS bytes, row_number() OVER nearness AS place FROM page p
          WINDOW nearness AS (PARTITION BY p.id < ${anchor} ORDER BY abs(p.id - ${anchor}))) nearest
        WHERE nearest.bytes <= ${textBytesMax} OR nearest.place <= ${alwaysListed})
    ), reacted AS MATERIALIZED (
      SELECT ${numbersSql(['r.message_id', 'r.user_id'])} AS reactions, ${textsSql('r.emoji_name')} AS "emojiNames",
        ${textsSql('r.emoji_code')} AS "emojiCodes", ${textsSql('r.reaction_type')} AS "reactionTypes", array_agg(r.user_id) AS user_ids
      FROM (SELECT * FROM reactions r WHERE r.message_id = ANY ((SELECT listed.ids FROM listed)::bigint[]) ORDER BY r.id) r
    ), participating AS MATERIALIZED (
      SELECT ${numbersSql(['c.id', 'c.user_id'])} AS participants, array_agg(c.user_id) AS user_ids
      FROM (SELECT c.id, unnest(c.participant_ids) AS user_id FROM conversations c
        WHERE c.id = ANY ((SELECT listed.private_conversation_ids FROM listed)::bigint[])) c
    )
    SELECT whole.least, whole.most, listed.messages, listed.contents, listed.clients, listed.topics, listed."renderedContents",
      listed.extras, reacted.reactions, reacted."emojiNames", reacted."emojiCodes", reacted."reactionTypes", participating.participants, people.*,
      (SELECT json_agg(json_build_array(s.id, s.name)) FROM streams s WHERE s.id = ANY (listed.stream_ids)) AS streams,
      (SELECT ${numbersSql(['f.message_id', 'f.set_bits', 'f.cleared_bits'])} FROM message_flags f
        WHERE f.user_id = ${user} AND f.message_id = ANY (listed.ids)) AS flags,
      (SELECT ${numbersSql(['x.message_id', 'x.is_read::integer'])} FROM read_exceptions x
        WHERE x.user_id = ${user} AND x.message_id = ANY (listed.ids)) AS exceptions,
      (SELECT json_build_object('stringId', realm.string_id, 'settings', realm.settings) FROM realm) AS realm,
      ${userFloorSql(user)} AS "userFloor",
      (SELECT ${numbersSql(['f.stream_id', 'coalesce(greatest(f.message_id, c.message_id), 0)'])}
        FROM read_stream_floors f LEFT JOIN changes c ON c.id = f.change_id
        WHERE f.user_id = ${user} AND f.stream_id = ANY (listed.stream_ids)) AS "streamFloors",
      (SELECT ${numbersSql(['w.conversation_id', 'w.message_id'])} FROM read_watermarks w
        WHERE w.user_id = ${user} AND w.conversation_id = ANY (listed.read_conversation_ids)) AS watermarks,
      (SELECT json_agg(json_build_object('id', b.id, 'message_id', b.message_id, 'sender_id', b.sender_id, 'msg_type', b.msg_type,
          'content', b.content) ORDER BY b.id)
        FROM submessages b WHERE b.message_id = ANY (listed.ids)) AS submessages${hasHistory(list) ? holdingSql : ''}
    FROM listed CROSS JOIN whole CROSS JOIN reacted CROSS JOIN participating CROSS JOIN LATERAL (
      SELECT ${numbersSql(['p.id', 'p.avatar_version'])} AS people, ${textsSql('p.email')} AS emails, ${textsSql('p.delivery_email')} AS "deliveryEmails",
        ${textsSql('p.full_name')} AS "fullNames", ${textsSql('p.short_name')} AS "shortNames", ${textsSql('p.avatar_source')} AS "avatarSources"
      FROM users p WHERE p.id = ANY (listed.sender_ids || participating.user_ids || reacted.user_ids)) people`;
}
