/**
 * Lists of messages as SQL: what a user may see, narrowed by conditions, newest or oldest first, with every value bound. A list is
 * merged from walks of one index each (a stream, a period of membership, a conversation, ...), none longer than the list itself;
 * the conditions decide, and what is known of them only chooses the walks.
 */
import { canHoldSql, flagBits, heldSql, periodsSql } from './message-sql.ts';
import { searchIdsSql } from './search-sql.ts';
import { unreadIdsSql } from './unread-sql.ts';

/** The values of a statement, bound as they come up; `$1` is the user. */
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

/** The user's id in all these statements. */
export const readerSql = '$1::integer';

/** A condition on the `messages` row of the given alias; null counts as false. */
export type MessageCondition = (message: string) => string;

/** What is known of the messages in a list, as bound expressions; each only speeds the list up. */
export type ListHints = {
  stream?: string;
  /** The folded topic. */
  topic?: string;
  /** The ids of private conversations, as an array. */
  conversations?: string;
  privateOnly?: boolean;
  publicStreams?: boolean;
  sender?: string;
  starred?: boolean;
  /** The tsquery of words that the messages have, as text. */
  words?: string;
  /** The condition by which the list is of unread messages only. */
  unread?: MessageCondition;
};

export type MessageList = {
  readonly conditions: readonly MessageCondition[];
  readonly hints: ListHints;
  /** Adds messages that the user does not hold, of streams whose whole history he may read (reference facts, messages 6.5). */
  readonly withHistory: boolean;
};

export type ListSlice = {
  /** Expression for the id that bounds the slice: going down, ids below it; going up, from it on. */
  readonly edge: string;
  readonly bound: MessageCondition;
  readonly order: 'ASC' | 'DESC';
  /** Expression for the number of messages. */
  readonly limit: string;
};

/** Whether the user may read the whole history of a stream (reference facts, messages 6.5 and 7). */
export function historyReadableSql(stream: string, user: string): string {
  return `EXISTS (SELECT 1 FROM streams past JOIN users reader ON reader.id = ${user}
    WHERE past.id = ${stream} AND NOT past.is_deactivated AND ((NOT past.invite_only AND reader.role <> 'guest')
      OR ((NOT past.invite_only OR past.history_public_to_subscribers) AND EXISTS (SELECT 1 FROM membership_periods present
        WHERE present.stream_id = past.id AND present.user_id = reader.id AND present.until_change_id IS NULL))))`;
}

type Walk = { readonly ranges: string; readonly key: string };

const user = readerSql;
const inRange = 'm.stream_id = range.stream_id AND m.id > range.above AND m.id <= range.upto';

function periodRanges(hints: ListHints): Walk {
  const stream = hints.stream === undefined ? '' : `AND held.stream_id = ${hints.stream}`;
  if (hints.topic === undefined) {
    return {
      ranges: `SELECT held.* FROM (${periodsSql(user)}) held WHERE ${canHoldSql(user)} ${stream}`,
      key: inRange,
    };
  }
  return {
    ranges: `SELECT held.*, c.id AS conversation_id FROM (${periodsSql(user)}) held
      JOIN conversations c ON c.stream_id = held.stream_id AND c.topic_folded = ${hints.topic} WHERE ${canHoldSql(user)} ${stream}`,
    key: 'm.conversation_id = range.conversation_id AND m.id > range.above AND m.id <= range.upto',
  };
}

function privateRanges(hints: ListHints): Walk {
  const among =
    hints.conversations === undefined
      ? ''
      : `AND taking.conversation_id = ANY (${hints.conversations})`;
  return {
    ranges: `SELECT taking.conversation_id FROM conversation_participants taking
      WHERE taking.user_id = ${user} AND ${canHoldSql(user)} ${among}`,
    key: 'm.conversation_id = range.conversation_id',
  };
}

// A guest finds what he holds, even where he could read the whole history stream by stream.
const openStreamsSql = `SELECT open.id AS stream_id FROM streams open WHERE NOT open.invite_only AND ${historyReadableSql('open.id', user)}
  AND NOT EXISTS (SELECT 1 FROM users guest WHERE guest.id = ${user} AND guest.role = 'guest')`;

function historyRanges(hints: ListHints): Walk | undefined {
  if (hints.stream !== undefined) {
    const readable = historyReadableSql(hints.stream, user);
    if (hints.topic === undefined)
      return {
        ranges: `SELECT ${hints.stream} AS stream_id WHERE ${readable}`,
        key: 'm.stream_id = range.stream_id',
      };
    return {
      ranges: `SELECT c.id AS conversation_id FROM conversations c
        WHERE c.stream_id = ${hints.stream} AND c.topic_folded = ${hints.topic} AND ${readable}`,
      key: 'm.conversation_id = range.conversation_id',
    };
  }
  if (hints.publicStreams !== true) return undefined;
  return { ranges: openStreamsSql, key: 'm.stream_id = range.stream_id' };
}

/** Whether the user may find the message: he holds it, or the list goes beyond that. */
function visibleSql({ hints, withHistory }: MessageList, message: string): string {
  const held = heldSql(message, user);
  const stream = hints.stream;
  if (!withHistory || (stream === undefined && hints.publicStreams !== true)) return held;
  const past =
    stream === undefined
      ? `EXISTS (SELECT 1 FROM (${openStreamsSql}) open WHERE open.stream_id = ${message}.stream_id)`
      : `(${message}.stream_id = ${stream} AND ${historyReadableSql(stream, user)})`;
  return `(${past} OR ${held})`;
}

/** @returns a query with the column `id`; the first `limit` ids of the list in the slice's order are among its rows, each once */
export function listIdsSql(list: MessageList, slice: ListSlice): string {
  const { hints } = list;
  // The walks over unread messages give nothing else.
  const conditions = list.withHistory
    ? list.conditions
    : list.conditions.filter((condition) => condition !== hints.unread);
  const wanted = (message: string): string =>
    [slice.bound, ...conditions].map((condition) => `(${condition(message)})`).join(' AND ');
  const cut = `ORDER BY m.id ${slice.order} LIMIT ${slice.limit}`;
  if (hints.starred === true && hints.unread === undefined && !list.withHistory) {
    return `(SELECT m.id FROM message_flags f JOIN messages m ON m.id = f.message_id
      WHERE f.user_id = ${user} AND f.set_bits & ${flagBits.starred} <> 0 AND ${heldSql('m', user)} AND ${wanted('m')} ${cut})`;
  }
  if (hints.words !== undefined) {
    return searchIdsSql(
      {
        words: hints.words,
        user,
        hints,
        withHistory: list.withHistory,
        wanted: (message) =>
          list.conditions.map((condition) => `(${condition(message)})`).join(' AND '),
        visible: (message) => visibleSql(list, message),
      },
      slice,
    );
  }
  if (hints.unread !== undefined && !list.withHistory) {
    return unreadIdsSql({
      user,
      ...(hints.stream === undefined ? {} : { stream: hints.stream }),
      ...(hints.privateOnly === true ? { privateOnly: true } : {}),
      filter: wanted,
      order: slice.order,
      limit: slice.limit,
    });
  }
  const isAboutStreams =
    hints.stream !== undefined || hints.topic !== undefined || hints.publicStreams === true;
  const isPrivate = hints.privateOnly === true || hints.conversations !== undefined;
  const walks: Walk[] = [];
  if (hints.sender !== undefined && !isAboutStreams && !isPrivate) {
    return `(SELECT m.id FROM messages m WHERE m.sender_id = ${hints.sender} AND ${heldSql('m', user)} AND ${wanted('m')} ${cut})`;
  }
  if (!isPrivate) walks.push(periodRanges(hints));
  if (!isAboutStreams) walks.push(privateRanges(hints));
  const history = list.withHistory ? historyRanges(hints) : undefined;
  if (history !== undefined) walks.push(history);
  const parts = walks.map(
    ({ ranges, key }) => `SELECT found.id FROM (${ranges}) range CROSS JOIN LATERAL (
      SELECT m.id FROM messages m WHERE ${key} AND ${wanted('m')} ${cut}) found`,
  );
  parts.push(`(SELECT m.id FROM late_receipts l JOIN messages m ON m.id = l.message_id
    WHERE l.user_id = ${user} AND ${canHoldSql(user)} AND ${wanted('m')} ${cut})`);
  return parts.join(' UNION ');
}

/** Whether the topic or stream of a message is muted by the user. */
export function mutedSql(
  message: string,
  scope: { readonly streams: boolean; readonly stream?: string },
): string {
  const topic = `EXISTS (SELECT 1 FROM conversations quiet JOIN muted_topics t ON t.user_id = ${user}
      AND t.stream_id = quiet.stream_id AND t.topic_folded = quiet.topic_folded
    WHERE quiet.id = ${message}.conversation_id${scope.stream === undefined ? '' : ` AND quiet.stream_id = ${scope.stream}`})`;
  const stream = `EXISTS (SELECT 1 FROM subscriptions s
    WHERE s.user_id = ${user} AND s.stream_id = ${message}.stream_id AND s.is_muted)`;
  return scope.streams ? `(${topic} OR ${stream})` : topic;
}
