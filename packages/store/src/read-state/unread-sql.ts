import { readSql, streamFloorSql, userFloorSql, watermarkSql } from '../messages/message-sql.ts';
import {
  beyondAllMessages,
  canHoldSql,
  holdsMessageSql,
  isMemberSql,
  periodsSql,
} from '../visibility/visibility-sql.ts';

/**
 * The ids of unread messages of one user, found through indexes: one look-up per conversation above its watermark, and the messages outside
 * of these ranges (marked unread by hand, late receipts). The cost follows the number of conversations and unread messages, not of all
 * messages.
 */
export type UnreadSearch = {
  /** Expression for the user's id; a column of an outer query must not have an alias that is used here. */
  readonly user: string;
  /** Only messages of this stream. */
  readonly stream?: string;
  /** Only messages that are in this conversation now; together with `stream` where it is a topic. */
  readonly conversation?: string;
  /** Excludes private conversations. */
  readonly streamsOnly?: boolean;
  /** Excludes streams. */
  readonly privateOnly?: boolean;
  /** Excludes the streams that the user has left (reference facts, events 4.1). */
  readonly subscribedOnly?: boolean;
  /** A further condition on the `messages` row of the given alias. */
  readonly filter?: (message: string) => string;
  readonly order: 'ASC' | 'DESC';
  /** Expression for the number of ids needed, in the given order. */
  readonly limit: string;
};

/** Ranges of message ids, per conversation and period, in which every held message is unread except exceptions and own messages. */
function rangesSql(search: UnreadSearch, inConversation: string): string {
  const { user } = search;
  const ranges: string[] = [];
  if (search.privateOnly !== true) {
    const conditions = [
      canHoldSql(user),
      search.subscribedOnly === true ? isMemberSql('held.stream_id', user) : '',
      inConversation,
    ].filter(Boolean);
    ranges.push(`SELECT c.id AS conversation_id, held.upto,
        greatest(held.above, held.floor, ${watermarkSql('c.id', user)}, ${userFloorSql(user)}) AS above
      FROM (SELECT p.*, ${streamFloorSql('p.stream_id', user)} AS floor FROM (${periodsSql(user)}) p
        ${search.stream === undefined ? '' : `WHERE p.stream_id = ${search.stream}`} OFFSET 0) held
      JOIN conversations c ON c.stream_id = held.stream_id
      WHERE ${conditions.join(' AND ')}`);
  }
  if (search.stream === undefined && search.streamsOnly !== true) {
    ranges.push(`SELECT c.conversation_id, ${beyondAllMessages}, greatest(${watermarkSql('c.conversation_id', user)}, ${userFloorSql(user)})
      FROM conversation_participants c
      WHERE c.user_id = ${user} AND ${canHoldSql(user)}${inConversation === '' ? '' : ` AND ${inConversation.replace('c.id', 'c.conversation_id')}`}`);
  }
  return ranges.join(' UNION ALL ');
}

/** @returns a query with one column, `id`; its rows include at least the first `limit` ids in the given order, each once */
export function unreadIdsSql(search: UnreadSearch): string {
  const { user } = search;
  const wanted = (message: string): string =>
    [
      search.stream === undefined ? '' : `AND ${message}.stream_id = ${search.stream}`,
      search.conversation === undefined
        ? ''
        : `AND ${message}.conversation_id = ${search.conversation}`,
      search.streamsOnly === true ? `AND ${message}.stream_id IS NOT NULL` : '',
      search.privateOnly === true ? `AND ${message}.stream_id IS NULL` : '',
      search.subscribedOnly === true
        ? `AND (${message}.stream_id IS NULL OR ${isMemberSql(`${message}.stream_id`, user)})`
        : '',
      search.filter === undefined ? '' : `AND (${search.filter(message)})`,
    ].join(' ');
  const unreadInRange = `m.id > range.above AND m.id <= range.upto AND NOT (m.sender_id = ${user} AND m.read_by_sender)
      AND NOT EXISTS (SELECT 1 FROM read_exceptions x WHERE x.user_id = ${user} AND x.message_id = m.id AND x.is_read)
      ${wanted('m')} ORDER BY m.id ${search.order} LIMIT ${search.limit}`;
  const inConversation = search.conversation === undefined ? '' : `c.id = ${search.conversation}`;
  // A moved message keeps the read state of the conversation it was first sent to, which can be any topic of the stream.
  const moved =
    search.conversation === undefined
      ? `SELECT found.id FROM (${rangesSql(search, '')}) range CROSS JOIN LATERAL (
          SELECT m.id FROM messages m
          WHERE m.read_conversation_id = range.conversation_id AND m.read_conversation_id <> m.conversation_id AND ${unreadInRange}) found`
      : `SELECT found.id FROM (
          SELECT m.id FROM messages m
          WHERE m.conversation_id = ${search.conversation} AND m.read_conversation_id <> m.conversation_id
            AND ${holdsMessageSql('m', user)} AND NOT ${readSql('m', user)} ${wanted('m')}
          ORDER BY m.id ${search.order} LIMIT ${search.limit}) found`;
  return `SELECT found.id FROM (${rangesSql(search, inConversation)}) range CROSS JOIN LATERAL (
      SELECT m.id FROM messages m
      WHERE m.conversation_id = range.conversation_id AND m.read_conversation_id = range.conversation_id AND ${unreadInRange}) found
    UNION ${moved}
    UNION SELECT m.id FROM read_exceptions x JOIN messages m ON m.id = x.message_id
      WHERE x.user_id = ${user} AND NOT x.is_read AND ${holdsMessageSql('m', user)} ${wanted('m')}
    UNION SELECT m.id FROM late_receipts l JOIN messages m ON m.id = l.message_id
      WHERE l.user_id = ${user} AND ${holdsMessageSql('m', user)} AND NOT ${readSql('m', user)} ${wanted('m')}`;
}
