/**
 * The ids of messages with given words, newest or oldest first. The index of words knows no order, so the statement walks windows
 * of ids: each step is one look-up of the words together with a window's lexeme (`message_search_vector`) and, where they are few,
 * the streams and conversations in question. The window grows while little is found, up to everything that is left, and shrinks
 * where a look-up finds too much to read, down to reading the messages themselves. So a common word costs its newest windows, a
 * rare one its few messages, and one that only old messages have some empty windows.
 */
import type { ListHints, ListSlice, MessageCondition } from './message-query-sql.ts';
import { canHoldSql } from './message-sql.ts';

export type WordSearch = {
  /** Expression for the tsquery's text by which the index is asked; the conditions decide. */
  readonly words: string;
  /** Expression for the user's id. */
  readonly user: string;
  readonly hints: ListHints;
  /** Whether messages that the user does not hold are wanted. */
  readonly withHistory: boolean;
  /** What the messages have to fulfil, the words included and the bound left aside. */
  readonly wanted: MessageCondition;
  /** Whether the user may see the message. */
  readonly visible: MessageCondition;
};

/** With more streams and conversations than this, asking the index for them costs more than it saves. */
const scopeMax = 64;

/** A look-up may find so many more messages than the list needs; what is read in vain stays below a few hundred pages. */
const spareHits = 156;

/** Sizes of windows in ids, by level; those of levels 1 and 2 are those of `message_search_vector`, above them is all that is left. */
const read = 1024;
const small = 4096;
const large = 65_536;

/** Streams and conversations outside of which nothing can be found, as the text of a tsquery; null if there are too many. */
function scopeSql({ hints, user, withHistory }: WordSearch): string {
  const parts: string[] = [];
  if (hints.sender !== undefined) parts.push(`'U' || ${hints.sender}`);
  if (hints.stream !== undefined) {
    parts.push(`'S' || ${hints.stream}`);
    if (hints.topic !== undefined)
      parts.push(`'C' || coalesce((SELECT c.id FROM conversations c
        WHERE c.stream_id = ${hints.stream} AND c.topic_folded = ${hints.topic}), 0)`);
  }
  if (hints.conversations !== undefined) {
    parts.push(`CASE WHEN cardinality(${hints.conversations}) <= ${scopeMax}
      THEN (SELECT concat('(C0', string_agg('|C' || c, ''), ')') FROM unnest(${hints.conversations}) c) END`);
  }
  return `SELECT concat_ws('&', ${parts.length === 0 ? 'NULL' : parts.join(', ')}) AS given, ${
    hasOwnScope(hints) || withHistory ? 'NULL' : readersScopeSql(user, hints)
  } AS readers`;
}

function hasOwnScope(hints: ListHints): boolean {
  return hints.stream !== undefined || hints.conversations !== undefined;
}

function readersScopeSql(user: string, hints: ListHints): string {
  const isPrivate = hints.privateOnly === true;
  const streams = `SELECT 'S' || period.stream_id AS lexeme FROM membership_periods period WHERE period.user_id = ${user}`;
  const conversations = `SELECT 'C' || taking.conversation_id FROM conversation_participants taking WHERE taking.user_id = ${user}`;
  // There is no conversation 0: the query is never empty.
  return `(SELECT CASE WHEN count(*) <= ${scopeMax} THEN concat('(C0', string_agg('|' || near.lexeme, ''), ')') END
    FROM (${isPrivate ? conversations : `${streams} UNION ALL ${conversations}`} LIMIT ${scopeMax + 1}) near (lexeme))`;
}

type Direction = {
  /** Where the first window begins: ids below it, or from it on. */
  readonly start: (edge: string) => string;
  readonly isOpen: string;
  readonly isWithin: MessageCondition;
  readonly isReadWithin: MessageCondition;
  readonly window: (size: number) => string;
  /** The edge behind the window. */
  readonly behind: (size: number) => string;
  readonly behindRead: string;
  readonly behindAll: string;
  readonly largeWindowsLeft: string;
  /** Whether one edge lies behind another, or is it. */
  readonly hasPassed: (edge: string, other: string) => string;
  readonly nowhere: string;
};

// Adding nothing to an id keeps the planner from walking the primary key: the window's lexeme is the bound.
const descending: Direction = {
  start: (edge) => `least(${edge}, newest.id + 1)`,
  isOpen: 'walk.edge > 1',
  isWithin: (message) => `${message}.id + 0 < walk.edge`,
  isReadWithin: (message) => `${message}.id >= walk.edge - ${read} AND ${message}.id < walk.edge`,
  window: (size) => `(walk.edge - 1) / ${size}`,
  behind: (size) => `(walk.edge - 1) / ${size} * ${size}`,
  behindRead: `walk.edge - ${read}`,
  behindAll: '0::bigint',
  largeWindowsLeft: `(next.edge / ${large} + 1)`,
  hasPassed: (edge, other) => `${edge} <= ${other}`,
  nowhere: '9000000000000000000',
};

const ascending: Direction = {
  start: (edge) => `greatest(${edge}, 0)`,
  isOpen: 'walk.edge <= newest.id',
  isWithin: (message) => `${message}.id + 0 >= walk.edge`,
  isReadWithin: (message) => `${message}.id >= walk.edge AND ${message}.id < walk.edge + ${read}`,
  window: (size) => `walk.edge / ${size}`,
  behind: (size) => `(walk.edge / ${size} + 1) * ${size}`,
  behindRead: `walk.edge + ${read}`,
  behindAll: 'newest.id + 1',
  largeWindowsLeft: `(greatest(newest.id - next.edge, 0) / ${large} + 1)`,
  hasPassed: (edge, other) => `${edge} >= ${other}`,
  nowhere: '-1',
};

/** @returns a query with the column `id`; the first `limit` ids in the slice's order are among its rows, each once */
export function searchIdsSql(search: WordSearch, slice: ListSlice): string {
  const { user, wanted, visible } = search;
  const { order, limit } = slice;
  const way = order === 'DESC' ? descending : ascending;
  const hitsMax = `(${limit} + ${spareHits})`;
  // closed_1 ... closed_3: the edge behind which a level that found too much may be tried again.
  const level = (n: number): string =>
    `CASE WHEN step.is_full AND walk.level = ${n} THEN next.edge ELSE walk.closed_${n} END`;
  const mayGrow = (to: number, growth: string): string =>
    `(${way.hasPassed('next.edge', `walk.closed_${to}`)} AND step.hits * ${growth} <= ${hitsMax})`;
  const walk = `WITH RECURSIVE newest AS MATERIALIZED (
      SELECT coalesce(max(m.id), 0) AS id FROM messages m
    ), scope AS MATERIALIZED (
      SELECT concat_ws('&', nullif(s.given, ''), s.readers, ${search.words})::tsquery AS query, s.readers IS NOT NULL AS is_readers
      FROM (${scopeSql(search)}) s
    ), walk AS (
      SELECT ${way.start(slice.edge)} AS edge, 1 AS level, ${limit} AS wanted, '{}'::bigint[] AS ids,
        ${[1, 2, 3].map((n) => `${way.nowhere}::bigint AS closed_${n}`).join(', ')}
      FROM newest
      UNION ALL
      SELECT CASE WHEN step.is_full THEN walk.edge ELSE next.edge END,
        CASE WHEN step.is_full THEN walk.level - 1
          WHEN walk.level = 0 AND ${mayGrow(1, String(small / read))} THEN 1
          WHEN walk.level = 1 AND ${mayGrow(2, String(large / small))} THEN 2
          WHEN walk.level = 2 AND ${mayGrow(3, way.largeWindowsLeft)} THEN 3
          ELSE walk.level END,
        walk.wanted - cardinality(step.ids), step.ids, ${[1, 2, 3].map(level).join(', ')}
      FROM walk CROSS JOIN newest CROSS JOIN scope
      CROSS JOIN LATERAL (SELECT CASE walk.level WHEN 0 THEN ${way.behindRead} WHEN 1 THEN ${way.behind(small)}
        WHEN 2 THEN ${way.behind(large)} ELSE ${way.behindAll} END AS edge) next
      CROSS JOIN LATERAL (
        WITH hit AS MATERIALIZED (
          (SELECT m.* FROM messages m
          WHERE walk.level > 0 AND ${way.isWithin('m')} AND m.search @@ (CASE walk.level
            WHEN 1 THEN scope.query && ('W' || ${way.window(small)})::tsquery
            WHEN 2 THEN scope.query && ('B' || ${way.window(large)})::tsquery
            ELSE scope.query END)
          LIMIT ${hitsMax} + 1)
          UNION ALL
          SELECT m.* FROM messages m WHERE walk.level = 0 AND ${way.isReadWithin('m')} AND (m.search @@ scope.query) IS TRUE
        )
        SELECT counted.is_full, counted.hits, CASE WHEN counted.is_full THEN '{}' ELSE taken.ids END AS ids
        FROM (SELECT count(*) AS hits, walk.level > 0 AND count(*) > ${hitsMax} AS is_full FROM hit) counted
        CROSS JOIN LATERAL (SELECT ARRAY(
          SELECT m.id FROM (SELECT * FROM hit WHERE NOT counted.is_full ORDER BY hit.id ${order} OFFSET 0) m
          WHERE ${wanted('m')} AND ${visible('m')} LIMIT walk.wanted) AS ids OFFSET 0) taken
      ) step
      WHERE walk.wanted > 0 AND ${way.isOpen}
    )`;
  const late =
    hasOwnScope(search.hints) || search.withHistory
      ? ''
      : ` UNION (SELECT m.id FROM late_receipts l JOIN messages m ON m.id = l.message_id
        WHERE (SELECT scope.is_readers FROM scope) AND l.user_id = ${user} AND ${canHoldSql(user)}
          AND ${slice.bound('m')} AND ${wanted('m')} ORDER BY m.id ${order} LIMIT ${limit})`;
  return `${walk} SELECT unnest(walk.ids) AS id FROM walk${late}`;
}
