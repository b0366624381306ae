/**
 * Lists of unread messages as SQL, in the order of ids and of any length. A conversation whose newest message the user has read is skipped
 * (`conversation_newest`). The others are read in the order in which they can contribute: descending by their newest message, ascending by
 * their first unread message, a hundred at a time, and before each hundred the next ids. The list ends when no remaining conversation can
 * contribute. So if everything is read, it costs one pass over the conversations, and otherwise it follows the length of the list.
 */
import { listSizes } from '../lists/list-sizes.ts';
import { mutedTopicsSql, rareIndexOf, reachHints, readerSql } from '../lists/list-sources-sql.ts';
import type { ListHints, ListSlice, MessageList } from '../lists/list-sources-sql.ts';
import { userFloorSql } from '../messages/message-sql.ts';
import { beyondAllMessages } from '../visibility/visibility-sql.ts';

const user = readerSql;

const batchOf = (limit: string): string =>
  `greatest(${listSizes.conversationsAtOnce}, ${limit} / ${listSizes.conversationsPartOfLimit})`;
const windowIds = (limit: string): string =>
  `greatest(${listSizes.windowIds}, ${listSizes.windowOfLimit} * ${limit})`;

/** The columns of a message's id and the others in the index of the primary key. */
const keyColumns =
  'm.id, m.scope, m.conversation_id, m.read_conversation_id, m.sender_id, m.read_by_sender, m.has_link, m.has_image, m.has_attachment, m.mentions_wildcard';

/**
 * @returns common table expressions over `reach`; `open`: conversations that messages were first sent to, with ranges of ids in which every
 *   held message is unread except exceptions and own messages; each has a message above its level
 */
export function openTablesSql(hints: ListHints): string {
  const muted = hints.notMuted === true ? `n.conversation_id IN (${mutedTopicsSql})` : 'false';
  const inManyStreams = `(SELECT count(*) FROM reach WHERE reach.scope > 0) > ${listSizes.manyStreams}`;
  const newest = (from: string, conversation: string): string =>
    `SELECT ${conversation} AS conversation_id, reach.scope, reach.above, reach.upto, noted.message_id FROM reach JOIN ${from}`;
  return `fresh AS MATERIALIZED (
      SELECT m.read_conversation_id AS conversation_id, m.scope, max(m.id) AS message_id FROM messages m
      WHERE m.id > (SELECT u.message_id FROM conversation_newest_upto u) GROUP BY 1, 2
    ), moved AS MATERIALIZED (
      SELECT m.read_conversation_id AS conversation_id FROM messages m
      WHERE m.read_conversation_id <> m.conversation_id ORDER BY m.read_conversation_id, m.id LIMIT ${listSizes.movedMax + 1}
    ), floors AS MATERIALIZED (
      SELECT f.stream_id, greatest(f.message_id, c.message_id) AS id FROM read_stream_floors f
      LEFT JOIN changes c ON c.id = f.change_id WHERE f.user_id = ${user}
    ), marks AS MATERIALIZED (
      SELECT w.conversation_id, w.message_id FROM read_watermarks w WHERE w.user_id = ${user}
    ), open AS MATERIALIZED (
      SELECT n.conversation_id, n.scope, n.level, n.upto, n.newest, ${muted} AS is_muted,
        (SELECT count(*) > ${listSizes.movedMax} FROM moved) OR n.conversation_id IN (SELECT moved.conversation_id FROM moved) AS has_moved
      FROM (
        SELECT n.conversation_id, n.scope, n.upto, max(n.message_id) AS newest,
          greatest(n.above, max(floors.id), max(marks.message_id), ${userFloorSql(user)}) AS level
        FROM (
          ${newest(`conversation_newest noted ON noted.stream_id = reach.scope AND reach.scope > 0 AND NOT ${inManyStreams}`, 'noted.conversation_id')}
          UNION ALL ${newest(`conversation_newest noted ON noted.stream_id + 0 = reach.scope AND ${inManyStreams}`, 'noted.conversation_id')}
          UNION ALL ${newest('conversation_newest noted ON noted.conversation_id = -reach.scope AND reach.scope < 0', 'noted.conversation_id')}
          UNION ALL ${newest('fresh noted ON noted.scope = reach.scope', 'noted.conversation_id')}
        ) n
        LEFT JOIN floors ON floors.stream_id = n.scope LEFT JOIN marks ON marks.conversation_id = n.conversation_id
        GROUP BY n.conversation_id, n.scope, n.above, n.upto
      ) n WHERE n.newest > n.level AND n.upto > n.level
    )`;
}

/** A common table expression over `open`: whether so few messages are unread that reading them all is cheaper than a search for words. */
export const fewUnreadSql = `few_unread AS MATERIALIZED (
    SELECT count(*) <= ${listSizes.unreadBeforeWords} AS yes FROM (
      SELECT 1 FROM open CROSS JOIN LATERAL (
        SELECT 1 FROM messages m WHERE m.conversation_id = open.conversation_id AND m.id > open.level AND m.id <= open.upto
        LIMIT ${listSizes.unreadBeforeWords + 1}) unread
      LIMIT ${listSizes.unreadBeforeWords + 1}) counted
  )`;

export const inOpenSql = (message: string): string =>
  `open.conversation_id = ${message}.read_conversation_id AND ${message}.id > open.level AND ${message}.id <= open.upto`;

/** Within an open range: neither sent by the user nor read out of order. */
export const notReadSql = (
  message: string,
): string => `NOT (${message}.sender_id = ${user} AND ${message}.read_by_sender)
  AND ${message}.id NOT IN (SELECT x.message_id FROM read_exceptions x WHERE x.user_id = ${user} AND x.is_read)`;

type ConditionsWithout = (
  list: MessageList,
  hints: readonly (keyof ListHints)[],
) => (message: string) => string;

/** Read, and marked unread by hand later; the mark can outlast its message. */
export function exceptedSql(slice: ListSlice, rest: string): string {
  return `SELECT x.message_id AS id FROM read_exceptions x
      JOIN reach ON reach.scope = coalesce(x.stream_id::bigint, -x.conversation_id)
        AND x.message_id > reach.above AND x.message_id <= reach.upto
      CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m.id = x.message_id OFFSET 0) m
    WHERE x.user_id = ${user} AND NOT x.is_read AND ${slice.bound('x').replaceAll('x.id', 'x.message_id')}${rest}
    ORDER BY x.message_id ${slice.order} LIMIT ${slice.limit}`;
}

/** In a topic as it is now: messages sent to it, and messages moved into it from other topics of the stream. */
function ofTopicSql(
  list: MessageList,
  slice: ListSlice,
  rest: (message: string) => string,
): string {
  const { hints } = list;
  const topics = `SELECT c.id FROM conversations c WHERE c.topic_folded = ${hints.topic}
    ${hints.stream === undefined ? '' : `AND c.stream_id = ${hints.stream}`}`;
  const columns = rest('m') === '' ? keyColumns : 'm.*';
  // Each conversation is read by its own index, until the list is full, whatever else the messages must be.
  const foundIn = (place: string, is: string): string => `SELECT m.id FROM (
      SELECT ${columns} FROM messages m WHERE ${place} AND m.id > open.level AND m.id <= open.upto AND ${slice.bound('m')}
      ORDER BY m.id ${slice.order} OFFSET 0) m
    WHERE ${is} AND ${notReadSql('m')}${rest('m')} LIMIT ${slice.limit}`;
  const stayed = foundIn(
    'm.conversation_id = open.conversation_id',
    'm.read_conversation_id = open.conversation_id',
  );
  const moved = foundIn(
    'm.read_conversation_id = open.conversation_id AND m.read_conversation_id <> m.conversation_id',
    `m.conversation_id IN (${topics})`,
  );
  return `SELECT found.id FROM (SELECT * FROM open WHERE open.conversation_id IN (${topics})) open CROSS JOIN LATERAL (${stayed}) found
    UNION ALL SELECT found.id FROM (SELECT * FROM open WHERE open.has_moved) open CROSS JOIN LATERAL (${moved}) found`;
}

const openScopesSql = `SELECT open.scope, min(open.level) AS level, max(open.upto) AS upto FROM open
  WHERE NOT open.is_muted OR open.has_moved GROUP BY open.scope`;

/** Of the messages in an index over rare ones. */
function ofRareSql(
  list: MessageList,
  slice: ListSlice,
  conditionsWithout: ConditionsWithout,
): string | undefined {
  const { carrying } = list.hints;
  const { bound, order, limit } = slice;
  const index = rareIndexOf(list);
  if (index !== undefined) {
    // Each row of messages is fetched by itself, and only until the list is full.
    return `SELECT m.id FROM (
          SELECT DISTINCT hit.id FROM (${index.rows(bound, order)}) hit
          JOIN (${openScopesSql}) s ON s.scope = hit.scope AND hit.id > s.level AND hit.id <= s.upto ORDER BY hit.id ${order} OFFSET 0) hit
        CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m.id = hit.id OFFSET 0) m
        JOIN open ON ${inOpenSql('m')}
        WHERE ${notReadSql('m')}${conditionsWithout(list, [...reachHints, 'unread', index.hint])('m')}
        ORDER BY hit.id ${order} LIMIT ${limit}`;
  }
  if (carrying === undefined) return undefined;
  const rest = conditionsWithout(list, [...reachHints, 'unread', 'carrying'])('m');
  const start =
    order === 'DESC' ? 'true' : 'm.id > coalesce((SELECT min(open.level) FROM open), 0)';
  const cut = `ORDER BY m.id ${order} LIMIT ${limit}`;
  return `WITH near AS MATERIALIZED (
      SELECT m.id FROM (SELECT * FROM messages m WHERE ${bound('m')} AND ${start} AND EXISTS (SELECT 1 FROM open)
        ORDER BY m.id ${order} LIMIT ${windowIds(limit)}) m JOIN open ON ${inOpenSql('m')}
      WHERE m.${carrying} AND ${notReadSql('m')}${rest} ${cut}
    )
    SELECT near.id FROM near
    UNION ALL SELECT found.id FROM (SELECT * FROM (${openScopesSql}) s WHERE (SELECT count(*) FROM near) < ${limit}) s CROSS JOIN LATERAL (
      SELECT m.id FROM messages m WHERE m.scope = s.scope AND m.${carrying} AND m.id > s.level AND m.id <= s.upto AND ${bound('m')}
        AND EXISTS (SELECT 1 FROM open WHERE ${inOpenSql('m')}) AND ${notReadSql('m')}${rest} ${cut}) found`;
}

function walkSql(slice: ListSlice, rest: (message: string) => string): string {
  const { edge, order, limit, bound } = slice;
  const isDown = order === 'DESC';
  const key = isDown
    ? `least(open.newest, open.upto, ${edge} - 1)`
    : `greatest(open.level, ${edge} - 1)`;
  const below = isDown ? edge : slice.end;
  const from = isDown ? slice.end : edge;
  const canContribute = [
    ...(below === undefined ? [] : [`open.level < ${below} - 1`]),
    ...(from === undefined ? [] : [`open.newest >= ${from}`]),
  ].join(' AND ');
  // All unread messages up to and including the horizon are known.
  const nothing = isDown ? beyondAllMessages : '-1';
  const everything = isDown ? '-1' : beyondAllMessages;
  const further = isDown ? 'least' : 'greatest';
  const columns = rest('m') === '' ? keyColumns : 'm.*';
  const batch = batchOf(limit);
  const follows = isDown
    ? 'm.id <= least(lead.key, walk.horizon - 1)'
    : 'm.id > greatest(lead.key, walk.horizon)';
  const isUnknown = isDown ? 'm.id < walk.horizon' : 'm.id > walk.horizon';
  const mayHold = isDown ? 'o.level < walk.horizon - 1' : 'o.newest > walk.horizon';
  const probe = (place: string): string => `(SELECT m.id FROM messages m
      WHERE ${place} AND m.id > o.level AND m.id <= o.upto AND ${isUnknown} AND ${bound('m')} AND ${notReadSql('m')}${rest('m')}
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
              UNION SELECT m.id FROM following m JOIN open ON ${inOpenSql('m')} WHERE ${bound('m')} AND ${notReadSql('m')}${rest('m')}
              UNION SELECT found.id FROM ranked o CROSS JOIN LATERAL (
                ${probe('NOT o.is_muted AND m.conversation_id = o.conversation_id AND m.read_conversation_id = o.conversation_id')}
                UNION ALL
                ${probe('o.has_moved AND m.read_conversation_id = o.conversation_id AND m.read_conversation_id <> m.conversation_id')}
              ) found
              WHERE walk.step % 2 = 1 AND ${mayHold} AND o.rank > walk.step / 2 * ${batch} AND o.rank <= (walk.step / 2 + 1) * ${batch}
            ) u ORDER BY u.id ${order} LIMIT ${limit}) AS ids,
          CASE WHEN walk.step % 2 = 1
            THEN coalesce((SELECT o.key${isDown ? ' + 1' : ''} FROM ranked o WHERE o.rank = (walk.step / 2 + 1) * ${batch} + 1), ${everything})
            WHEN (SELECT count(*) FROM following) < ${windowIds(limit)} THEN ${everything}
            ELSE (SELECT ${isDown ? 'min' : 'max'}(following.id) FROM following) END AS horizon
      ) got
      WHERE ${limit} > 0 AND NOT (cardinality(walk.ids) >= ${limit}
        AND walk.ids[cardinality(walk.ids)] ${isDown ? '>=' : '<='} walk.horizon)
    )
    SELECT unnest(last.ids) AS id FROM (SELECT walk.ids FROM walk ORDER BY walk.step DESC LIMIT 1) last`;
}

/**
 * @returns a query with the column `id`, below the tables of `openTablesSql`; its rows include the first `limit` ids of the list, except
 *   late receipts
 */
export function unreadListSql(
  list: MessageList,
  slice: ListSlice,
  conditionsWithout: ConditionsWithout,
): string {
  const rest = conditionsWithout(list, [...reachHints, 'unread']);
  const found =
    list.hints.topic === undefined
      ? (ofRareSql(list, slice, conditionsWithout) ?? walkSql(slice, rest))
      : ofTopicSql(list, slice, conditionsWithout(list, [...reachHints, 'unread', 'topic']));
  return `(${found}) UNION ALL (${exceptedSql(slice, rest('m'))})`;
}
