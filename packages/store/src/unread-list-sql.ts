/**
 * Lists of unread messages as SQL, in the order of ids and of any length. A conversation whose newest message the user has read is
 * left out unseen (`conversation_newest`). The others are asked in the order in which they can contribute: going down by their
 * newest message, going up by what is read of them, a hundred at a time, and before each hundred the ids that follow. It ends when
 * nothing that is left can belong to the list. So where all is read it costs one pass over the conversations, and else it follows
 * the length of the list.
 */
import { rareIndexOf, readerSql } from './list-sources-sql.ts';
import type { ListHints, MessageList } from './list-sources-sql.ts';
import type { ListSlice } from './message-query-sql.ts';
import { beyondAllMessages, userFloorSql } from './message-sql.ts';

const user = readerSql;

/** So many conversations are asked at a time. */
const batch = 100;

/** Before each batch so many of the ids that follow are judged, or twice the list: where much is unread they are enough. */
const windowIds = (limit: string): string => `greatest(2000, 2 * ${limit})`;

/** Moved messages are read whole if there are no more than this: fifty pages of their index. */
const movedMax = 5_000;

/** What the primary key holds of a message beside its id. */
const keyColumns =
  'm.id, m.scope, m.conversation_id, m.read_conversation_id, m.sender_id, m.read_by_sender, m.has_link, m.has_image, m.has_attachment, m.mentions_wildcard';

/**
 * @returns common table expressions over `reach`; `open`: conversations by what was first sent to them and ranges of ids in which
 *   everything that is held is unread but for exceptions and own messages, none of them without a message above its level
 */
export function openTablesSql(hints: ListHints): string {
  const muted =
    hints.notMuted === true
      ? `n.conversation_id IN (SELECT quiet.id FROM muted_topics t
          JOIN conversations quiet ON quiet.stream_id = t.stream_id AND quiet.topic_folded = t.topic_folded WHERE t.user_id = ${user})`
      : 'false';
  const newest = (from: string, conversation: string): string =>
    `SELECT ${conversation} AS conversation_id, reach.scope, reach.above, reach.upto, noted.message_id FROM reach JOIN ${from}`;
  return `fresh AS MATERIALIZED (
      SELECT m.read_conversation_id AS conversation_id, m.scope, max(m.id) AS message_id FROM messages m
      WHERE m.id > (SELECT u.message_id FROM conversation_newest_upto u) GROUP BY 1, 2
    ), moved AS MATERIALIZED (
      SELECT m.read_conversation_id AS conversation_id FROM messages m
      WHERE m.read_conversation_id <> m.conversation_id ORDER BY m.read_conversation_id, m.id LIMIT ${movedMax + 1}
    ), floors AS MATERIALIZED (
      SELECT f.stream_id, greatest(f.message_id, c.message_id) AS id FROM read_stream_floors f
      LEFT JOIN changes c ON c.id = f.change_id WHERE f.user_id = ${user}
    ), marks AS MATERIALIZED (
      SELECT w.conversation_id, w.message_id FROM read_watermarks w WHERE w.user_id = ${user}
    ), open AS MATERIALIZED (
      SELECT n.conversation_id, n.scope, n.level, n.upto, n.newest, ${muted} AS is_muted,
        (SELECT count(*) > ${movedMax} FROM moved) OR n.conversation_id IN (SELECT moved.conversation_id FROM moved) AS has_moved
      FROM (
        SELECT n.conversation_id, n.scope, n.upto, max(n.message_id) AS newest,
          greatest(n.above, max(floors.id), max(marks.message_id), ${userFloorSql(user)}) AS level
        FROM (
          ${newest('conversation_newest noted ON noted.stream_id = reach.scope AND reach.scope > 0', 'noted.conversation_id')}
          UNION ALL ${newest('conversation_newest noted ON noted.conversation_id = -reach.scope AND reach.scope < 0', 'noted.conversation_id')}
          UNION ALL ${newest('fresh noted ON noted.scope = reach.scope', 'noted.conversation_id')}
        ) n
        LEFT JOIN floors ON floors.stream_id = n.scope LEFT JOIN marks ON marks.conversation_id = n.conversation_id
        GROUP BY n.conversation_id, n.scope, n.above, n.upto
      ) n WHERE n.newest > n.level AND n.upto > n.level
    )`;
}

const inOpen = (message: string): string =>
  `open.conversation_id = ${message}.read_conversation_id AND ${message}.id > open.level AND ${message}.id <= open.upto`;

/** Within an open range: neither sent by the user himself nor read out of order. */
const notReadSql = (
  message: string,
): string => `NOT (${message}.sender_id = ${user} AND ${message}.read_by_sender)
  AND ${message}.id NOT IN (SELECT x.message_id FROM read_exceptions x WHERE x.user_id = ${user} AND x.is_read)`;

type Rest = (list: MessageList, hints: readonly (keyof ListHints)[]) => (message: string) => string;

/** Read, and marked unread by hand since. */
function exceptedSql(slice: ListSlice, rest: string): string {
  return `SELECT x.message_id AS id FROM read_exceptions x
      JOIN reach ON reach.scope = coalesce(x.stream_id::bigint, -x.conversation_id)
        AND x.message_id > reach.above AND x.message_id <= reach.upto
      ${rest === '' ? '' : 'JOIN messages m ON m.id = x.message_id'}
    WHERE x.user_id = ${user} AND NOT x.is_read AND ${slice.bound('x').replaceAll('x.id', 'x.message_id')}${rest}
    ORDER BY x.message_id ${slice.order} LIMIT ${slice.limit}`;
}

/** In a topic as it is now: what was sent to it, and what was moved into it from other topics of the stream. */
function ofTopicSql(
  list: MessageList,
  slice: ListSlice,
  rest: (message: string) => string,
): string {
  const { hints } = list;
  const topics = `SELECT c.id FROM conversations c WHERE c.topic_folded = ${hints.topic}
    ${hints.stream === undefined ? '' : `AND c.stream_id = ${hints.stream}`}`;
  const cut = `ORDER BY m.id ${slice.order} LIMIT ${slice.limit}`;
  const wanted = `m.id > open.level AND m.id <= open.upto AND ${slice.bound('m')} AND ${notReadSql('m')}${rest('m')}`;
  return `SELECT found.id FROM (SELECT * FROM open WHERE open.conversation_id IN (${topics})) open CROSS JOIN LATERAL (
      SELECT m.id FROM messages m WHERE m.conversation_id = open.conversation_id AND m.read_conversation_id = open.conversation_id
        AND ${wanted} ${cut}) found
    UNION ALL (SELECT m.id FROM (${topics}) c
      JOIN messages m ON m.conversation_id = c.id AND m.read_conversation_id <> m.conversation_id
      JOIN open ON open.conversation_id = m.read_conversation_id WHERE ${wanted} ${cut})`;
}

/** Of what an index over rare messages has. */
function ofRareSql(
  list: MessageList,
  slice: ListSlice,
  conditionsWithout: Rest,
): string | undefined {
  const { carrying } = list.hints;
  const index = rareIndexOf(list);
  const cut = `ORDER BY m.id ${slice.order} LIMIT ${slice.limit}`;
  const inOpenScopes = (message: string): string =>
    `${slice.bound(message)} AND ${message}.scope = ANY (ARRAY(SELECT DISTINCT open.scope FROM open))`;
  const from = (rows: string, hint: keyof ListHints): string =>
    `(SELECT m.id FROM ${rows} JOIN open ON ${inOpen('m')}
      WHERE ${notReadSql('m')}${conditionsWithout(list, ['unread', hint])('m')} ${cut})`;
  if (index !== undefined) {
    return index.isMessages
      ? from(`(${index.rows(inOpenScopes)}) m`, index.hint)
      : `SELECT DISTINCT m.id FROM ${from(
          `(SELECT DISTINCT hit.id FROM (${index.rows(slice.bound)}) hit
            WHERE hit.scope IN (SELECT open.scope FROM open)) hit JOIN messages m ON m.id = hit.id`,
          index.hint,
        )} m`;
  }
  if (carrying === undefined) return undefined;
  return from(
    `(SELECT * FROM messages m WHERE m.${carrying} AND ${inOpenScopes('m')}) m`,
    'carrying',
  );
}

function walkSql(slice: ListSlice, rest: (message: string) => string): string {
  const { edge, order, limit, bound } = slice;
  const isDown = order === 'DESC';
  const key = isDown
    ? `least(open.newest, open.upto, ${edge} - 1)`
    : `greatest(open.level, ${edge} - 1)`;
  const canContribute = isDown ? `open.level < ${edge} - 1` : `open.newest >= ${edge}`;
  // Everything unread up to the horizon is known.
  const nothing = isDown ? beyondAllMessages : '-1';
  const everything = isDown ? '-1' : beyondAllMessages;
  const further = isDown ? 'least' : 'greatest';
  const columns = rest('m') === '' ? keyColumns : 'm.*';
  const follows = isDown ? 'm.id <= lead.key' : 'm.id > lead.key';
  const probe = (place: string): string => `(SELECT m.id FROM messages m
      WHERE ${place} AND m.id > o.level AND m.id <= o.upto AND ${bound('m')} AND ${notReadSql('m')}${rest('m')}
      ORDER BY m.id ${order} LIMIT ${limit})`;
  return `WITH RECURSIVE ranked AS MATERIALIZED (
      SELECT open.*, ${key} AS key, row_number() OVER (ORDER BY ${key} ${order}) AS rank FROM open
      WHERE ${canContribute} AND (NOT open.is_muted OR open.has_moved)
    ), walk AS (
      SELECT CASE WHEN (SELECT count(*) FROM ranked) > ${batch} THEN 0 ELSE 1 END AS step, '{}'::bigint[] AS ids,
        ${nothing}::bigint AS horizon
      UNION ALL
      SELECT walk.step + 1, got.ids, ${further}(walk.horizon, got.horizon)
      FROM walk JOIN ranked lead ON lead.rank = walk.step / 2 * ${batch} + 1
      CROSS JOIN LATERAL (
        WITH following AS MATERIALIZED (
          SELECT ${columns} FROM messages m WHERE walk.step % 2 = 0 AND ${follows} ORDER BY m.id ${order} LIMIT ${windowIds(limit)}
        )
        SELECT ARRAY(
            SELECT u.id FROM (
              SELECT unnest(walk.ids) AS id
              UNION SELECT m.id FROM following m JOIN open ON ${inOpen('m')} WHERE ${bound('m')} AND ${notReadSql('m')}${rest('m')}
              UNION SELECT found.id FROM ranked o CROSS JOIN LATERAL (
                ${probe('NOT o.is_muted AND m.conversation_id = o.conversation_id AND m.read_conversation_id = o.conversation_id')}
                UNION ALL
                ${probe('o.has_moved AND m.read_conversation_id = o.conversation_id AND m.read_conversation_id <> m.conversation_id')}
              ) found
              WHERE walk.step % 2 = 1 AND o.rank > walk.step / 2 * ${batch} AND o.rank <= (walk.step / 2 + 1) * ${batch}
            ) u ORDER BY u.id ${order} LIMIT ${limit}) AS ids,
          CASE WHEN walk.step % 2 = 1
            THEN coalesce((SELECT o.key FROM ranked o WHERE o.rank = (walk.step / 2 + 1) * ${batch} + 1), ${everything})
            WHEN (SELECT count(*) FROM following) < ${windowIds(limit)} THEN ${everything}
            ELSE (SELECT ${isDown ? 'min' : 'max'}(following.id) FROM following) END AS horizon
      ) got
      WHERE ${limit} > 0 AND NOT (cardinality(walk.ids) >= ${limit}
        AND walk.ids[cardinality(walk.ids)] ${isDown ? '>=' : '<='} walk.horizon)
    )
    SELECT unnest(last.ids) AS id FROM (SELECT walk.ids FROM walk ORDER BY walk.step DESC LIMIT 1) last`;
}

/**
 * @returns a query with the column `id`, below the tables of `openTablesSql`: at least the first `limit` ids of the list, late
 *   receipts aside, are among its rows
 */
export function unreadListSql(
  list: MessageList,
  slice: ListSlice,
  conditionsWithout: Rest,
): string {
  const reached: readonly (keyof ListHints)[] = [
    'unread',
    'stream',
    'privateOnly',
    'conversations',
    'groupWith',
    'publicStreams',
  ];
  const rest = conditionsWithout(list, reached);
  const found =
    list.hints.topic === undefined
      ? (ofRareSql(list, slice, conditionsWithout) ?? walkSql(slice, rest))
      : ofTopicSql(list, slice, conditionsWithout(list, [...reached, 'topic']));
  return `(${found}) UNION ALL (${exceptedSql(slice, rest('m'))})`;
}
