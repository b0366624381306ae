/**
 * The messages of a page as SQL, with everything about them. What belongs to them is read at once for all: an index finds hundred
 * neighbours for little more than one, while a look-up for each would cost more than finding the messages did.
 */
import { isNarrow, readerSql } from './list-sources-sql.ts';
import type { MessageList } from './list-sources-sql.ts';
import { beyondAllMessages, canHoldSql, flagBits, userFloorSql } from './message-sql.ts';

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
const textBytesMax = 16 * 1024 * 1024;
const alwaysListed = 2;

const these = `= ANY (ARRAY(SELECT picked.id FROM picked))`;
const ofPage = (column: string, condition = 'true'): string =>
  `= ANY (ARRAY(SELECT DISTINCT page.${column} FROM page WHERE ${condition}))`;

/** Of what the list adds for its stream's history, the user holds only what lies in his periods. */
const heldOfHistorySql = `(late.message_id IS NOT NULL OR EXISTS (SELECT 1 FROM periods
    WHERE periods.stream_id = m.stream_id AND m.id > periods.above AND m.id <= periods.upto)) AND ${canHoldSql(user)}`;

const periodsOfPageSql = `, periods AS MATERIALIZED (
    SELECT period.stream_id, opened.message_id AS above, coalesce(closed.message_id, ${beyondAllMessages}) AS upto
    FROM membership_periods period JOIN changes opened ON opened.id = period.from_change_id
    LEFT JOIN changes closed ON closed.id = period.until_change_id
    WHERE period.user_id = ${user} AND period.stream_id ${ofPage('stream_id', 'page.stream_id IS NOT NULL')}
  )`;

function hasHistory(list: MessageList): boolean {
  return list.withHistory && (isNarrow(list) || list.hints.publicStreams === true);
}

/**
 * The rest of a statement that has `picked` among its common table expressions: ids of messages that the user may see. Of very long
 * ones those next to the anchor are left; every row says whether others were left out, at smaller and at larger ids.
 *
 * @param anchor expression for an id
 * @returns further common table expressions and the query, by ascending id
 */
export function pageSql(
  list: MessageList,
  { content, alsoRendered }: PageContent,
  anchor: string,
): string {
  const rendered = alsoRendered === true ? 'm.rendered_content' : `''`;
  const held = hasHistory(list) ? heldOfHistorySql : 'true';
  return `sized AS MATERIALIZED (
      SELECT m.id, m.${content} AS content, ${rendered} AS rendered_content, m.sent_at, m.client,
        m.topic, m.subject_links, m.is_me_message, m.recipient_id, m.stream_id, m.conversation_id, m.read_conversation_id, m.sender_id,
        m.read_by_sender, m.last_edited_at, m.edit_history, (CASE WHEN ${user} = ANY (m.group_mentioned_ids) THEN ${flagBits.mentioned} ELSE 0 END
          | CASE WHEN m.mentions_wildcard THEN ${flagBits.wildcard_mentioned} ELSE 0 END
          | CASE WHEN ${user} = ANY (m.alert_word_ids) THEN ${flagBits.has_alert_word} ELSE 0 END) AS implied_bits,
        sum(octet_length(m.${content}) + octet_length(${rendered}) + coalesce(octet_length(m.edit_history::text), 0)) OVER nearest AS bytes,
        row_number() OVER nearest AS place
      FROM messages m WHERE m.id ${these}
      WINDOW nearest AS (PARTITION BY m.id < ${anchor} ORDER BY abs(m.id - ${anchor}))
    ), page AS MATERIALIZED (
      SELECT * FROM sized WHERE sized.bytes <= ${textBytesMax} OR sized.place <= ${alwaysListed}
    ), own AS MATERIALIZED (
      SELECT f.message_id, f.set_bits, f.cleared_bits FROM message_flags f WHERE f.user_id = ${user} AND f.message_id ${these}
    ), late AS MATERIALIZED (
      SELECT l.message_id FROM late_receipts l WHERE l.user_id = ${user} AND l.message_id ${these}
    ), excepted AS MATERIALIZED (
      SELECT x.message_id, x.is_read FROM read_exceptions x WHERE x.user_id = ${user} AND x.message_id ${these}
    ), stream_floors AS MATERIALIZED (
      SELECT f.stream_id, greatest(f.message_id, c.message_id) AS id FROM read_stream_floors f LEFT JOIN changes c ON c.id = f.change_id
      WHERE f.user_id = ${user} AND f.stream_id ${ofPage('stream_id', 'page.stream_id IS NOT NULL')}
    ), watermarks AS MATERIALIZED (
      SELECT w.conversation_id, w.message_id FROM read_watermarks w
      WHERE w.user_id = ${user} AND w.conversation_id ${ofPage('read_conversation_id')}
    ), rounds AS MATERIALIZED (
      SELECT c.id, c.participant_ids FROM conversations c WHERE c.id ${ofPage('conversation_id', 'page.stream_id IS NULL')}
    ), people AS MATERIALIZED (
      SELECT p.id, p.email, p.delivery_email, p.full_name, p.short_name, p.avatar_source, p.avatar_version FROM users p
      WHERE p.id = ANY (ARRAY(SELECT page.sender_id FROM page UNION SELECT unnest(rounds.participant_ids) FROM rounds))
    ), places AS MATERIALIZED (
      SELECT s.id, s.name FROM streams s WHERE s.id ${ofPage('stream_id', 'page.stream_id IS NOT NULL')}
    ), circles AS MATERIALIZED (
      SELECT r.id, json_agg(json_build_object('id', p.id, 'email', p.email, 'full_name', p.full_name,
        'short_name', p.short_name, 'is_mirror_dummy', false) ORDER BY p.id) AS people
      FROM rounds r JOIN people p ON p.id = ANY (r.participant_ids) GROUP BY r.id
    ), reacted AS MATERIALIZED (
      SELECT r.message_id, json_agg(json_build_object('emoji_name', r.emoji_name, 'emoji_code', r.emoji_code,
        'reaction_type', r.reaction_type, 'user', json_build_object('id', ru.id, 'email', ru.email, 'full_name', ru.full_name),
        'user_id', ru.id) ORDER BY r.id) AS reactions
      FROM reactions r JOIN users ru ON ru.id = r.user_id WHERE r.message_id ${these} GROUP BY r.message_id
    ), submitted AS MATERIALIZED (
      SELECT b.message_id, json_agg(json_build_object('id', b.id, 'message_id', b.message_id, 'sender_id', b.sender_id,
        'msg_type', b.msg_type, 'content', b.content) ORDER BY b.id) AS submessages
      FROM submessages b WHERE b.message_id ${these} GROUP BY b.message_id
    )${hasHistory(list) ? periodsOfPageSql : ''}
    SELECT m.id, m.content, m.rendered_content AS "renderedContent", extract(epoch FROM m.sent_at)::bigint AS "sentAtSecs", m.client,
      m.topic, m.subject_links AS "subjectLinks", m.is_me_message AS "isMeMessage", m.recipient_id AS "recipientId",
      m.stream_id AS "streamId", places.name AS "streamName", m.sender_id AS "senderId", sender.email AS "senderEmail",
      coalesce(sender.delivery_email, sender.email) AS "senderDeliveryEmail",
      sender.full_name AS "senderFullName", sender.short_name AS "senderShortName", sender.avatar_source AS "senderAvatarSource",
      sender.avatar_version AS "senderAvatarVersion", extract(epoch FROM m.last_edited_at)::bigint AS "lastEditedAtSecs",
      m.edit_history AS "editHistory", circles.people AS participants, reacted.reactions, submitted.submessages,
      CASE WHEN ${held}
        THEN (m.implied_bits | coalesce(own.set_bits, 0)) & ~coalesce(own.cleared_bits, 0)
          | CASE WHEN coalesce(excepted.is_read, m.id <= greatest(${userFloorSql(user)}, stream_floors.id, watermarks.message_id)
            OR (m.sender_id = ${user} AND m.read_by_sender)) THEN ${flagBits.read} ELSE 0 END
        ELSE ${flagBits.read | flagBits.historical} END AS "flagBits",
      (SELECT min(sized.id) FROM sized) < (SELECT min(page.id) FROM page) AS "isCutBelow",
      (SELECT max(sized.id) FROM sized) > (SELECT max(page.id) FROM page) AS "isCutAbove"
    FROM page m JOIN people sender ON sender.id = m.sender_id
    LEFT JOIN own ON own.message_id = m.id LEFT JOIN late ON late.message_id = m.id
    LEFT JOIN excepted ON excepted.message_id = m.id
    LEFT JOIN stream_floors ON stream_floors.stream_id = m.stream_id
    LEFT JOIN watermarks ON watermarks.conversation_id = m.read_conversation_id
    LEFT JOIN places ON places.id = m.stream_id LEFT JOIN circles ON circles.id = m.conversation_id AND m.stream_id IS NULL
    LEFT JOIN reacted ON reacted.message_id = m.id LEFT JOIN submitted ON submitted.message_id = m.id
    ORDER BY m.id`;
}
