import { canHoldSql, everMemberStreamsSql, isGuestSql } from '../visibility/visibility-sql.ts';
/**
 * The ids of messages with given words, newest or oldest first. The index of words has no order, so the statement walks windows of ids.
 * Each step is one look-up of the words together with a window's lexeme (`message_words_vector`) and, if there are few, the streams and
 * conversations in question. The window grows while a step finds little, up to all remaining ids. It shrinks if a look-up finds too many to
 * read, down to reading the messages themselves. So a common word costs its newest windows, a rare one its few messages, and a word that
 * only old messages have costs some empty windows.
 */

/** A condition on the `messages` row of the given alias. */
type MessageCondition = (message: string) => string;

/** What is known of the messages, as expressions. Hints affect only the speed. */
export type SearchScope = {
  readonly stream?: string;
  /** The folded topic. */
  readonly topic?: string;
  /** The ids of private conversations, as an array. */
  readonly conversations?: string;
  readonly privateOnly?: boolean;
  readonly sender?: string;
};

export type SearchSlice = {
  /** Descending: ids below this expression; ascending: from it on. */
  readonly edge: string;
  readonly bound: MessageCondition;
  readonly order: 'ASC' | 'DESC';
  /** Expression for the number of messages. */
  readonly limit: string;
};

export type WordSearch = {
  /** Expression for the text of the tsquery for the index; the conditions decide. */
  readonly words: string;
  /** Expression for the user's id. */
  readonly user: string;
  readonly hints: SearchScope;
  /** Whether the list includes messages that the user does not hold. */
  readonly withHistory: boolean;
  /** The conditions on the messages, including the words but not the bound. */
  readonly wanted: MessageCondition;
  /** Whether the user may see the message. */
  readonly visible: MessageCondition;
};

/** With more streams and conversations than this, a look-up with them costs more than it saves. */
const scopeMax = 64;

/** A look-up may find this many more messages than the list needs; useless reads stay below a few hundred pages. */
const spareHits = 156;

/** The size of a step, by level. The lexemes of the windows are those of `message_words_vector`. */
const levels = [
  /** Reads the messages themselves. */
  { size: 1024 },
  { size: 4096, lexeme: 'W', lexemes: 1 },
  { size: 65_536, lexeme: 'B', lexemes: 1 },
  { size: 524_288, lexeme: 'B', lexemes: 8 },
] as const;
/** The level above the windows: all remaining ids. */
const allLevel = levels.length;
const firstLevel = 1;

/** Streams and conversations that contain all possible results, as the text of a tsquery; null if there are too many. */
function scopeSql(search: WordSearch): string {
  const { hints } = search;
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
  return `SELECT concat_ws('&', ${parts.length === 0 ? 'NULL' : parts.join(', ')}) AS given, ${readersScopeSql(search)} AS readers`;
}

function hasOwnScope(hints: SearchScope): boolean {
  return hints.stream !== undefined || hints.conversations !== undefined;
}

function readersScopeSql({ hints, user, withHistory }: WordSearch): string {
  if (hasOwnScope(hints)) return 'NULL';
  const isPrivate = hints.privateOnly === true;
  const streams = `SELECT 'S' || held_in.stream_id AS lexeme FROM (${everMemberStreamsSql(user)}) held_in`;
  const conversations = `SELECT 'C' || taking.conversation_id FROM conversation_participants taking WHERE taking.user_id = ${user}`;
  const isBound = withHistory ? isGuestSql(user) : 'true';
  // There is no conversation 0, so the query is never empty.
  return `(SELECT CASE WHEN ${isBound} AND count(*) <= ${scopeMax} THEN concat('(C0', string_agg('|' || near.lexeme, ''), ')') END
    FROM (${isPrivate ? conversations : `${streams} UNION ALL ${conversations}`} LIMIT ${scopeMax + 1}) near (lexeme))`;
}

type Direction = {
  /** The beginning of the first window: ids below it, or from it on. */
  readonly start: (edge: string) => string;
  readonly isOpen: string;
  readonly isBeforeEdge: MessageCondition;
  /** Number of the window at the edge. */
  readonly window: (size: number) => string;
  /** The edge behind the window. */
  readonly behind: (size: number) => string;
  readonly behindAll: string;
  /** How many windows of a size remain from an edge on. */
  readonly windowsLeft: (edge: string, size: number) => string;
  /** Whether one edge lies behind another, or equals it. */
  readonly hasPassed: (edge: string, other: string) => string;
  readonly nowhere: string;
};

const descending: Direction = {
  start: (edge) => `least(${edge}, newest.id + 1)`,
  isOpen: 'walk.edge > 1',
  isBeforeEdge: (id) => `${id} < walk.edge`,
  window: (size) => `(walk.edge - 1) / ${size}`,
  behind: (size) => `(walk.edge - 1) / ${size} * ${size}`,
  behindAll: '0::bigint',
  windowsLeft: (edge, size) => `(${edge} / ${size} + 1)`,
  hasPassed: (edge, other) => `${edge} <= ${other}`,
  nowhere: '9000000000000000000',
};

const ascending: Direction = {
  start: (edge) => `greatest(${edge}, 0)`,
  isOpen: 'walk.edge <= newest.id',
  isBeforeEdge: (id) => `${id} >= walk.edge`,
  window: (size) => `walk.edge / ${size}`,
  behind: (size) => `(walk.edge / ${size} + 1) * ${size}`,
  behindAll: 'newest.id + 1',
  windowsLeft: (edge, size) => `(greatest(newest.id - ${edge}, 0) / ${size} + 1)`,
  hasPassed: (edge, other) => `${edge} >= ${other}`,
  nowhere: '-1',
};

/**
 * The lexemes of a step's window. They are a separate condition before the words: so the index skips to the window with all words at once.
 * Within one query it would go through every entry of the rarest word.
 */
function windowSql(way: Direction): string {
  const windows = levels.flatMap((level, n) => {
    if (!('lexeme' in level)) return [];
    const first = `${way.window(level.size)} * ${level.lexemes}`;
    const lexemes = Array.from(
      { length: level.lexemes },
      (_, k) => `'${level.lexeme}' || (${first} + ${k})`,
    );
    return [`WHEN ${n} THEN concat_ws('|', ${lexemes.join(', ')})::tsquery`];
  });
  return `CASE walk.level ${windows.join(' ')} ELSE scope.query END`;
}

/** @returns a query with the column `id`; its rows include the first `limit` ids in the slice's order */
export function searchIdsSql(search: WordSearch, slice: SearchSlice): string {
  const { user, wanted, visible } = search;
  const { order, limit } = slice;
  const way = order === 'DESC' ? descending : ascending;
  const hitsMax = `(${limit} + ${spareHits})`;
  const upper = levels.map((_, n) => n + 1);
  // closed_1 ...: the edge behind which a level that found too many may be tried again.
  const closed = upper.map(
    (n) => `CASE WHEN step.is_full AND walk.level = ${n} THEN next.edge ELSE walk.closed_${n} END`,
  );
  const grows = (from: number, to: number): string => {
    const size = levels[from]?.size ?? 1;
    const growth =
      to === allLevel ? way.windowsLeft('next.edge', size) : `${levels[to]?.size ?? 1} / ${size}`;
    return `WHEN walk.level = ${from} AND ${way.hasPassed('next.edge', `walk.closed_${to}`)} AND step.hits * (${growth}) <= ${hitsMax} THEN ${to}`;
  };
  // From a large window on, all remaining ids are tried before a larger window, because most words with few hits there are rare.
  const grown = [
    grows(0, 1),
    grows(1, 2),
    grows(2, allLevel),
    ...upper.slice(2).map((to) => grows(to - 1, to)),
  ];
  const behind = levels.map(({ size }, n) => `WHEN ${n} THEN ${way.behind(size)}`);
  const walk = `WITH RECURSIVE newest AS MATERIALIZED (
      SELECT coalesce(max(m.id), 0) AS id FROM messages m
    ), scope AS MATERIALIZED (
      SELECT concat_ws('&', nullif(s.given, ''), s.readers, '(' || ${search.words} || ')')::tsquery AS query, s.readers IS NOT NULL AS is_readers
      FROM (${scopeSql(search)}) s
    ), walk AS (
      SELECT ${way.start(slice.edge)} AS edge, ${firstLevel} AS level, ${limit} AS wanted, '{}'::bigint[] AS ids,
        ${upper.map((n) => `${way.nowhere}::bigint AS closed_${n}`).join(', ')}
      FROM newest
      UNION ALL
      SELECT CASE WHEN step.is_full THEN walk.edge ELSE next.edge END,
        CASE WHEN step.is_full THEN walk.level - 1 ${grown.join(' ')} ELSE walk.level END,
        walk.wanted - cardinality(step.ids), step.ids, ${closed.join(', ')}
      FROM walk CROSS JOIN newest CROSS JOIN scope
      CROSS JOIN LATERAL (SELECT CASE walk.level ${behind.join(' ')} ELSE ${way.behindAll} END AS edge) next
      CROSS JOIN LATERAL (
        WITH hit AS MATERIALIZED (
          (SELECT m.* FROM messages m WHERE walk.level > 0 AND m.search @@ (${windowSql(way)}) AND m.search @@ scope.query LIMIT ${hitsMax} + 1)
          UNION ALL
          SELECT m.* FROM messages m WHERE walk.level = 0 AND m.id >= least(walk.edge, next.edge) AND m.id < greatest(walk.edge, next.edge)
            AND (m.search @@ scope.query) IS TRUE
        )
        SELECT counted.is_full, counted.hits, CASE WHEN counted.is_full THEN '{}' ELSE taken.ids END AS ids
        FROM (SELECT count(*) AS hits, walk.level > 0 AND count(*) > ${hitsMax} AS is_full FROM hit) counted
        CROSS JOIN LATERAL (SELECT ARRAY(
          SELECT m.id FROM (SELECT * FROM hit WHERE NOT counted.is_full AND ${way.isBeforeEdge('hit.id')} ORDER BY hit.id ${order} OFFSET 0) m
          WHERE ${wanted('m')} AND ${visible('m')} LIMIT walk.wanted) AS ids OFFSET 0) taken
      ) step
      WHERE walk.wanted > 0 AND ${way.isOpen}
    )`;
  const late = hasOwnScope(search.hints)
    ? ''
    : ` UNION (SELECT m.id FROM late_receipts l JOIN messages m ON m.id = l.message_id
        WHERE (SELECT scope.is_readers FROM scope) AND l.user_id = ${user} AND ${canHoldSql(user)}
          AND ${slice.bound('m')} AND ${wanted('m')} ORDER BY m.id ${order} LIMIT ${limit})`;
  return `${walk} SELECT unnest(walk.ids) AS id FROM walk${late}`;
}
