/**
 * Lists of messages as SQL: the messages that a user may see, narrowed by conditions, newest or oldest first, with every value bound. The
 * conditions decide the result; hints only choose between the sources:
 *
 * - the ids next to the slice's edge, which the primary key alone can check: enough for common properties;
 * - an index over a rare property, read whole if it is small, or else walked in the order of ids;
 * - one walk for each range of the list, first over a few ids: it continues only in ranges whose few ids are all in the slice.
 *
 * So a page costs a few hundred pages of the indexes, whether its messages are next to the edge or spread over all ids.
 */
import { createHash } from 'node:crypto';

import { LRUCache } from 'lru-cache';

import { listSizes } from './list-sizes.ts';
import {
  groupsWithSql,
  mostlyMutedSql,
  isNarrow,
  pastSql,
  rareIndexOf,
  reachHints,
  reachSql,
  readerSql,
  walksOf,
  wholeStreamSql,
} from './list-sources-sql.ts';
import type { ListHints, ListSlice, MessageList, RareIndex } from './list-sources-sql.ts';
import { keptColumns } from '../messages/kept-messages.ts';
import { searchIdsSql } from '../search/search-sql.ts';
import { fewUnreadSql, openTablesSql, unreadListSql } from '../read-state/unread-list-sql.ts';
import {
  canHoldSql,
  holdsMessageSql,
  isKeptForSql,
  keptForSql,
  mayReadHistorySql,
  streamsOpenToSql,
} from '../visibility/visibility-sql.ts';

// Hashing such a text again is a twentieth of a page's processor time. Lists have few shapes, each with one text.
const namesKept = new LRUCache<string, string>({ max: 256 });

/** @returns a name for a prepared statement; different texts have different names */
export function nameOfText(purpose: string, text: string): string {
  const kept = namesKept.get(text);
  if (kept !== undefined) return kept;
  const name = `${purpose}-${createHash('sha1').update(text).digest('hex')}`;
  namesKept.set(text, name);
  return name;
}

/** The values of a statement, bound in the order of their use; `$1` is the user. */
export class Bindings {
  readonly values: unknown[];

  constructor(userId: number) {
    this.values = [userId];
  }

  /** @returns the expression of the value, with its type */
  bind(value: unknown, type: string): string {
    return `$${this.values.push(value)}::${type}`;
  }
}

const user = readerSql;

const indexesOfCarrying = {
  has_link: 'messages_with_link',
  has_image: 'messages_with_image',
  has_attachment: 'messages_with_attachment',
} as const;

const firstOfRange = (limit: string): string =>
  `greatest(${listSizes.firstOfRange}, ${limit} / ${listSizes.firstPartOfLimit})`;

/** Whether the user may find the message, because the user holds it or the list includes messages that are not held. */
function visibleSql({ hints, withHistory }: MessageList, message: string): string {
  const held = holdsMessageSql(message, user);
  const stream = hints.stream;
  if (!withHistory || (stream === undefined && hints.publicStreams !== true)) return held;
  const past =
    stream === undefined
      ? `EXISTS (SELECT 1 FROM (${streamsOpenToSql(user)}) open WHERE open.stream_id = ${message}.stream_id)`
      : `(${message}.stream_id = ${stream} AND ${mayReadHistorySql(stream, user)})`;
  return `(${past} OR ${held})`;
}

/** All conditions except those of the hints. */
function conditionsWithout(
  list: MessageList,
  hints: readonly (keyof ListHints)[],
): (message: string) => string {
  const excluded = new Set(hints.map((hint) => list.hinted.get(hint)));
  const conditions = list.conditions.filter((condition) => !excluded.has(condition));
  return (message) =>
    [...conditions.map((condition) => condition(message)), ...keptConditions(list, message)]
      .map((condition) => ` AND (${condition})`)
      .join('');
}

/** Conditions must also be true of the kept message that the user sees in place of another: what is new in that one finds nothing. */
function keptConditions({ conditions }: MessageList, message: string): string[] {
  if (conditions.length === 0) return [];
  const unchanged = [
    'id',
    'scope',
    'stream_id',
    'sender_id',
    'sent_at',
    'read_conversation_id',
    'read_by_sender',
  ].map((column) => `${message}.${column}`);
  const held = `SELECT ${unchanged.join(', ')}, ${keptColumns.map((column) => `copy.${column}`).join(', ')}
    FROM (${keptForSql(message, user)}) copy`;
  const all = conditions.map((condition) => `(${condition('held')})`).join(' AND ');
  return [
    `(SELECT NOT EXISTS (SELECT 1 FROM kept_messages)) OR NOT ${isKeptForSql(message, user)}
      OR EXISTS (SELECT 1 FROM (${held}) held WHERE ${all})`,
  ];
}

const inReach = (message: string): string =>
  `reach.scope = ${message}.scope AND ${message}.id > reach.above AND ${message}.id <= reach.upto`;

const nearIdsSql = (limit: string): string =>
  `greatest(${listSizes.nearIds}, ${listSizes.nearOfLimit} * ${limit}, (SELECT ${listSizes.nearForRange} * count(*) FROM reach))`;

function nearSql(list: MessageList, slice: ListSlice): string {
  return `SELECT m.id FROM (SELECT * FROM messages m WHERE ${slice.bound('m')}
      ORDER BY m.id ${slice.order} LIMIT CASE WHEN ${slice.limit} > 0 THEN ${nearIdsSql(slice.limit)} ELSE 0 END) m
    JOIN reach ON ${inReach('m')}
    WHERE true${conditionsWithout(list, reachHints)('m')} ORDER BY m.id ${slice.order} LIMIT ${slice.limit}`;
}

function rareSql(list: MessageList, slice: ListSlice, index: RareIndex): string {
  const { bound, order, limit } = slice;
  const rest = conditionsWithout(list, [...reachHints, index.hint])('m');
  if (index.isMessages) {
    return `SELECT m.id FROM (${index.rows(bound, order)}) m JOIN reach ON ${inReach('m')}
      WHERE true${rest} ORDER BY m.id ${order} LIMIT ${limit}`;
  }
  // A flag can outlast its message. Each message is fetched by itself, until the list is full.
  return `SELECT hit.id FROM (
      SELECT DISTINCT hit.id FROM (${index.rows(bound, order)}) hit JOIN reach ON ${inReach('hit')} ORDER BY hit.id ${order} OFFSET 0) hit
    CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m.id = hit.id OFFSET 0) m
    WHERE true${rest} ORDER BY hit.id ${order} LIMIT ${limit}`;
}

function walkedSql(list: MessageList, slice: ListSlice): string {
  const { order, limit } = slice;
  const walks = walksOf(list);
  // No message is both private and in a stream.
  if (walks.length === 0) return 'SELECT 0::bigint AS id WHERE false';
  const { carrying } = list.hints;
  const known: (keyof ListHints)[] = [...reachHints];
  if (list.hints.topic !== undefined) known.push('topic');
  else if (carrying !== undefined) known.push('carrying');
  else known.push('notMuted');
  const rest = conditionsWithout(list, known);
  const within = (message: string): string =>
    `${message}.id > r.above AND ${message}.id <= r.upto AND ${slice.bound(message)}${rest(message)}`;
  if (isNarrow(list)) {
    return walks
      .map(
        ({ ranges, on }) => `SELECT found.id FROM (${ranges}) r CROSS JOIN LATERAL (
          SELECT m.id FROM messages m WHERE ${on('m')} AND ${within('m')} ORDER BY m.id ${order} LIMIT ${limit}) found`,
      )
      .join(' UNION ALL ');
  }
  const tables: string[] = [];
  const results: string[] = [];
  let isLacking = 'true';
  if (list.hints.privateOnly !== true) {
    tables.push(`near AS MATERIALIZED (${nearSql(list, slice)})`);
    results.push('SELECT near.id FROM near');
    // Nothing is missing if the ids next to the edge are all ids.
    tables.push(`lacking AS MATERIALIZED (SELECT (SELECT count(*) FROM near) < ${limit} AND EXISTS (
        SELECT 1 FROM messages m WHERE ${slice.bound('m')} ORDER BY m.id ${order} OFFSET ${nearIdsSql(limit)}) AS yes)`);
    isLacking = '(SELECT lacking.yes FROM lacking)';
  }
  if (carrying !== undefined) {
    // By Postgres' last statistics of the index; a wrong guess costs a few pages.
    const isWorthIt = `(SELECT count(*) FROM reach) > ${listSizes.rangesBeforeWhole} AND coalesce((
        SELECT c.relpages FROM pg_class c WHERE c.oid = to_regclass('${indexesOfCarrying[carrying]}')), 0) <= ${listSizes.wholePagesMax}`;
    tables.push(`whole AS MATERIALIZED (
        SELECT m.id, m.scope FROM messages m WHERE m.${carrying} AND ${isLacking} AND ${isWorthIt}
        ORDER BY m.scope, m.id LIMIT ${listSizes.wholeMax + 1}
      ), is_whole AS MATERIALIZED (SELECT count(*) <= ${listSizes.wholeMax} AND ${isWorthIt} AS yes FROM whole)`);
    const others = rest('m');
    const from = others === '' ? 'whole m' : 'whole JOIN messages m ON m.id = whole.id';
    results.push(`SELECT m.id FROM ${from} JOIN reach ON ${inReach('m')}
      WHERE (SELECT is_whole.yes FROM is_whole) AND ${slice.bound('m')}${others}`);
    isLacking += ' AND NOT (SELECT is_whole.yes FROM is_whole)';
  }
  const beyond = order === 'DESC' ? '<' : '>';
  walks.forEach(({ ranges, on }, n) => {
    tables.push(`first_${n} AS MATERIALIZED (
        SELECT r.key, r.above, r.upto, found.id FROM (SELECT * FROM (${ranges}) r WHERE ${isLacking}) r CROSS JOIN LATERAL (
          SELECT m.id FROM messages m WHERE ${on('m')} AND ${within('m')} ORDER BY m.id ${order} LIMIT ${firstOfRange(limit)}) found
      )`);
    results.push(`SELECT first_${n}.id FROM first_${n}`);
  });
  const firsts = walks.map((_, n) => `SELECT first_${n}.id FROM first_${n}`).join(' UNION ALL ');
  tables.push(`cut AS MATERIALIZED (
      SELECT coalesce((SELECT f.id FROM (${firsts}) f ORDER BY f.id ${order} OFFSET greatest(${limit} - 1, 0) LIMIT 1),
        ${order === 'DESC' ? '0' : '9000000000000000000'}) AS id
    )`);
  walks.forEach(({ on }, n) => {
    const last = order === 'DESC' ? 'min' : 'max';
    results.push(`SELECT found.id FROM (
        SELECT f.key, f.above, f.upto, ${last}(f.id) AS last FROM first_${n} f GROUP BY 1, 2, 3
        HAVING count(*) = ${firstOfRange(limit)} AND (SELECT cut.id FROM cut) ${beyond} ${last}(f.id)) r CROSS JOIN LATERAL (
      SELECT m.id FROM messages m WHERE ${on('m')} AND m.id ${beyond} r.last AND NOT m.id ${beyond} (SELECT cut.id FROM cut)
        AND ${within('m')} ORDER BY m.id ${order} LIMIT ${limit}) found`);
  });
  return `WITH ${tables.join(', ')} ${results.join(' UNION ALL ')}`;
}

/** @returns the common table expressions that the queries of `listIdsSql` refer to */
export function listTablesSql(list: MessageList): string {
  const open = list.hints.unread === true ? `, ${openTablesSql(list.hints)}` : '';
  const few = open !== '' && list.hints.words !== undefined ? `, ${fewUnreadSql}` : '';
  const mostlyMuted =
    list.hints.notMuted === true ? `, mostly_muted AS MATERIALIZED (${mostlyMutedSql()})` : '';
  const past = pastSql(list);
  return `${past === undefined ? '' : `past AS MATERIALIZED (${past}), `}reach AS MATERIALIZED (${reachSql(list)})${mostlyMuted}${open}${few}`;
}

/**
 * @returns a query with the column `id`, below the tables of `listTablesSql`; its rows include the first `limit` ids of the list in the
 *   slice's order, each once
 */
export function listIdsSql(list: MessageList, slice: ListSlice): string {
  const { hints } = list;
  // Properties that are rarer than words can be are looked up first, and their messages are checked for the words.
  const isRare = hints.id !== undefined || hints.flag !== undefined;
  if (hints.words === undefined || isRare) return otherIdsSql(list, slice);
  const words = (limit: string): string => wordIdsSql(list, hints.words ?? '', { ...slice, limit });
  if (hints.unread !== true) return words(slice.limit);
  // Whether unread messages or the words are rarer depends on the reader.
  const few = '(SELECT few_unread.yes FROM few_unread)';
  const limitIf = (condition: string): string =>
    `(CASE WHEN ${condition} THEN ${slice.limit} ELSE 0 END)`;
  return `(${words(limitIf(`NOT ${few}`))}) UNION (${otherIdsSql(list, { ...slice, limit: limitIf(few) })})`;
}

function wordIdsSql(list: MessageList, words: string, slice: ListSlice): string {
  const { hints } = list;
  const all = conditionsWithout(list, []);
  return searchIdsSql(
    {
      words,
      user,
      hints:
        hints.groupWith === undefined
          ? hints
          : { ...hints, conversations: `ARRAY(${groupsWithSql(hints.groupWith)})` },
      withHistory: list.withHistory,
      wanted: (message) => `true${all(message)}`,
      visible: (message) => visibleSql(list, message),
    },
    slice,
  );
}

function otherIdsSql(list: MessageList, slice: ListSlice): string {
  const { hints } = list;
  const rare = rareIndexOf(list);
  const isNamed = hints.conversations !== undefined || hints.groupWith !== undefined;
  let found: string;
  if (hints.unread === true) found = unreadListSql(list, slice, conditionsWithout);
  else if (rare !== undefined && !isNamed) found = rareSql(list, slice, rare);
  else found = walkedSql(list, slice);
  return `(${found}) UNION (${lateIdsSql(list, slice)})`;
}

/** @returns a query with the column `id`: the messages of the list that the user holds by late receipts */
export function lateIdsSql(list: MessageList, slice: ListSlice): string {
  const all = conditionsWithout(list, []);
  const beyond =
    list.hints.stream === undefined || pastSql(list) === undefined
      ? ''
      : `AND NOT ${wholeStreamSql}`;
  return `SELECT m.id FROM late_receipts l CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m.id = l.message_id OFFSET 0) m
    WHERE l.user_id = ${user} AND ${canHoldSql(user)} ${beyond} AND ${slice.bound('m')}${all('m')} ORDER BY m.id ${slice.order} LIMIT ${slice.limit}`;
}
