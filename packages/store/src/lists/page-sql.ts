/**
 * A page of messages as SQL: their ids, their versions, and the data of the reader's flags, in one row of few columns. Related rows are
 * read at once for all messages, because an index finds a hundred neighbours for little more than one. The shown content is the same for
 * everybody and is read elsewhere (`shown-messages.ts`).
 */
import { isNarrow, readerSql } from './list-sources-sql.ts';
import type { MessageList } from './list-sources-sql.ts';
import { userFloorSql } from '../messages/message-sql.ts';
import { beyondAllMessages, canHoldSql, periodsSql } from '../visibility/visibility-sql.ts';

const user = readerSql;

/**
 * Writing JSON is the slowest part of this statement in Postgres, and numbers do not need it.
 *
 * @param columns of integers, none of them null
 * @returns an aggregate: the text of one JSON array with the numbers of all rows, or null where there are no rows
 */
function numbersSql(columns: readonly string[]): string {
  return `'[' || string_agg(concat_ws(',', ${columns.join(', ')}), ',') || ']'`;
}

/** A list with the history of its streams includes messages that the user does not hold. */
function hasHistory(list: MessageList): boolean {
  return list.withHistory && (isNarrow(list) || list.hints.publicStreams === true);
}

// A change without a position belongs to a transaction in progress, so a period that it begins has not begun.
const aboveSql = `coalesce(period.above, ${beyondAllMessages})`;

const holdingSql = `,
    (SELECT ${numbersSql(['l.message_id'])} FROM late_receipts l
      WHERE l.user_id = ${user} AND l.message_id = ANY (page.ids)) AS late,
    (SELECT ${numbersSql(['period.stream_id', aboveSql, 'period.upto'])}
      FROM (${periodsSql(user)}) period WHERE period.stream_id = ANY (page.scopes)) AS periods,
    ${canHoldSql(user)} AS "canHold"`;

/** @returns the streams of the messages, and a condition with which an index finds them next to one another if they are in one stream */
function placeSql({ hints: { stream } }: MessageList): { scopes: string; condition: string } {
  if (stream === undefined) return { scopes: 'array_agg(m.scope)', condition: '' };
  return { scopes: `ARRAY[${stream}::bigint]`, condition: `AND m.stream_id = ${stream}` };
}

/**
 * @param list by which the ids were picked
 * @returns the rest of a statement that has `picked` among its common table expressions (ids of messages that the user may see): further
 *   common table expressions, and the query of one row, a `PageRow`
 */
export function pageSql(list: MessageList): string {
  const place = placeSql(list);
  return `page AS MATERIALIZED (
      SELECT array_agg(m.id) AS ids, ${place.scopes} AS scopes, array_agg(m.read_conversation_id) AS read_conversation_ids
      FROM messages m WHERE m.id = ANY (ARRAY(SELECT picked.id FROM picked)) ${place.condition}
    )
    SELECT array_to_json(page.ids) AS ids, (SELECT log_head.epoch FROM log_head) AS epoch,
      (SELECT names.version FROM shown_names_version names) AS "namesVersion",
      (SELECT ${numbersSql(['v.message_id', 'v.version'])} FROM message_versions v WHERE v.message_id = ANY (page.ids)) AS versions,
      (SELECT ${numbersSql(['k.message_id', 'k.id'])} FROM kept_messages k
        WHERE k.message_id = ANY (page.ids) AND k.user_ids @> ARRAY[${user}]) AS kept,
      (SELECT ${numbersSql(['f.message_id', 'f.set_bits', 'f.cleared_bits'])} FROM message_flags f
        WHERE f.user_id = ${user} AND f.message_id = ANY (page.ids)) AS flags,
      (SELECT ${numbersSql(['x.message_id', 'x.is_read::integer'])} FROM read_exceptions x
        WHERE x.user_id = ${user} AND x.message_id = ANY (page.ids)) AS exceptions,
      ${userFloorSql(user)} AS "userFloor",
      (SELECT ${numbersSql(['f.stream_id', 'coalesce(greatest(f.message_id, c.message_id), 0)'])}
        FROM read_stream_floors f LEFT JOIN changes c ON c.id = f.change_id
        WHERE f.user_id = ${user} AND f.stream_id = ANY (page.scopes)) AS "streamFloors",
      (SELECT ${numbersSql(['w.conversation_id', 'w.message_id'])} FROM read_watermarks w
        WHERE w.user_id = ${user} AND w.conversation_id = ANY (page.read_conversation_ids)) AS watermarks${hasHistory(list) ? holdingSql : ''}
    FROM page`;
}
