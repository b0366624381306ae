/**
 * The sources of a list of messages. A list covers ranges of ids (`reach`: a stream within a period of membership, a private conversation,
 * or a whole stream whose history is open to the user). Each of its messages lies in one of them or is held by a late receipt. Rare
 * properties (a flag, a sender, a link) have indexes of their own, which are walked instead of the ranges.
 */
import { listSizes } from './list-sizes.ts';
import { flagBits, matchedSetsSql } from '../messages/message-sql.ts';
import {
  beyondAllMessages,
  canHoldSql,
  mayReadHistorySql,
  memberStreamsSql,
  streamsOpenToSql,
  periodsSql,
  publicStreamsSql,
} from '../visibility/visibility-sql.ts';

/** A condition on the `messages` row of the given alias; null counts as false. */
export type MessageCondition = (message: string) => string;

/** What is known of the messages in a list, as bound expressions. Hints affect only the speed. */
export type ListHints = {
  /** The only message. */
  id?: string;
  /** The ids of all messages are at least this. */
  from?: string;
  /** The ids of all messages are below this. */
  below?: string;
  stream?: string;
  /** The folded topic. */
  topic?: string;
  /** The ids of private conversations, as an array. */
  conversations?: string;
  /** Group conversations with this user. */
  groupWith?: string;
  privateOnly?: boolean;
  publicStreams?: boolean;
  notPublicStreams?: boolean;
  /** Excludes muted streams and muted topics. */
  notMuted?: boolean;
  sender?: string;
  flag?: 'starred' | 'mentioned' | 'alerted';
  carrying?: 'has_link' | 'has_image' | 'has_attachment';
  /** The tsquery of words that the messages contain, as text. */
  words?: string;
  unread?: boolean;
  /** Excludes streams that the user has left. */
  subscribed?: boolean;
};

export type MessageList = {
  readonly conditions: readonly MessageCondition[];
  readonly hints: ListHints;
  /** The condition that each hint represents. */
  readonly hinted: ReadonlyMap<keyof ListHints, MessageCondition>;
  /** Adds messages that the user does not hold, from streams whose whole history the user may read (reference facts, messages 6.5). */
  readonly withHistory: boolean;
};

export type ListSlice = {
  /** Expression for the id that bounds the slice: ids below it if descending, from it on if ascending. */
  readonly edge: string;
  /** Expression for the id at which the slice ends, the last one if descending, behind the last one if ascending. */
  readonly end?: string | undefined;
  readonly bound: MessageCondition;
  readonly order: 'ASC' | 'DESC';
  /** Expression for the number of messages. */
  readonly limit: string;
};

/** @returns the slice of a list below an id if descending, from it on if ascending */
export function sliceOf(
  { hints: { from, below } }: Pick<MessageList, 'hints'>,
  order: 'ASC' | 'DESC',
  anchor: string,
  limit: string,
): ListSlice {
  const isDown = order === 'DESC';
  const [near, end] = isDown ? [below, from] : [from, below];
  const edge = near === undefined ? anchor : `${isDown ? 'least' : 'greatest'}(${anchor}, ${near})`;
  const [within, upTo] = isDown ? ['<', '>='] : ['>=', '<'];
  return {
    edge,
    end,
    bound: (message) =>
      `${message}.id ${within} ${edge}${end === undefined ? '' : ` AND ${message}.id ${upTo} ${end}`}`,
    order,
    limit,
  };
}

/** The user's id in all these statements. */
export const readerSql = '$1::integer';

const user = readerSql;

/**
 * Makes the planner read an `IN` with a query once and keep the result; otherwise it would look each message up in the query.
 *
 * @param condition `… IN (SELECT …)`
 */
export function asList(condition: string): string {
  return `(${condition}) IS TRUE`;
}

/** The streams and the conversations that the user has muted. */
const mutedStreamsSql = `SELECT s.stream_id FROM subscriptions s WHERE s.user_id = ${user} AND s.is_muted`;
// All topics of these streams are read, because they lie together; each topic by itself would cost a look-up.
export const mutedTopicsSql = `SELECT quiet.id FROM conversations quiet
  WHERE quiet.stream_id = ANY (ARRAY(SELECT t.stream_id FROM muted_topics t WHERE t.user_id = ${user}))
    AND ((quiet.stream_id, quiet.topic_folded) IN (
      SELECT t.stream_id, t.topic_folded FROM muted_topics t WHERE t.user_id = ${user})) IS TRUE`;

/** Whether the user has muted the topic or stream of a message. */
export function mutedSql(
  message: string,
  scope: { readonly streams: boolean; readonly stream?: string },
): string {
  const topic = `${message}.conversation_id IN (${mutedTopicsSql}${scope.stream === undefined ? '' : ` AND quiet.stream_id = ${scope.stream}`})`;
  return scope.streams ? `(${topic} OR ${message}.scope IN (${mutedStreamsSql}))` : topic;
}

/** Group conversations of the user with another one. */
export function groupsWithSql(other: string): string {
  return `SELECT mine.conversation_id FROM conversation_participants mine
    JOIN conversation_participants theirs ON theirs.conversation_id = mine.conversation_id AND theirs.user_id = ${other}
    JOIN conversations c ON c.id = mine.conversation_id AND cardinality(c.participant_ids) > 2
    WHERE mine.user_id = ${user}`;
}

const clearedSql = (bits: number): string =>
  `SELECT c.message_id FROM message_flags c WHERE c.user_id = ${user} AND c.cleared_bits <> 0 AND c.cleared_bits & ${bits} <> 0`;
const ownSql = (bits: number): string =>
  `SELECT f.message_id FROM message_flags f WHERE f.user_id = ${user} AND f.set_bits & ${bits} <> 0`;

const mentionedBits = flagBits.mentioned | flagBits.wildcard_mentioned;

/** Whether the user, who holds the message, has the flag on it. */
export function flaggedSql(flag: NonNullable<ListHints['flag']>, message: string): string {
  if (flag === 'starred') return asList(`${message}.id IN (${ownSql(flagBits.starred)})`);
  const implied = (property: string, bits: number): string =>
    `(${property} AND ${message}.id NOT IN (${clearedSql(bits)}))`;
  if (flag === 'alerted') {
    return `(${message}.id IN (${ownSql(flagBits.has_alert_word)})
      OR ${implied(`coalesce(${user} = ANY (${message}.alert_word_ids), false)`, flagBits.has_alert_word)})`;
  }
  return `(${message}.id IN (${ownSql(mentionedBits)}) OR ${implied(`${message}.mentions_wildcard`, flagBits.wildcard_mentioned)}
    OR ${implied(`coalesce(${user} = ANY (${message}.group_mentioned_ids), false)`, flagBits.mentioned)})`;
}

/** Everything in the user's reach that has the flag: `id`, `scope`, partly twice. */
export function flagHitsSql(
  flag: NonNullable<ListHints['flag']>,
  within: (alias: string) => string,
): string {
  const own = (bits: number): string => `SELECT f.message_id AS id,
      coalesce(f.scope, (SELECT stray.scope FROM messages stray WHERE stray.id = f.message_id)) AS scope
    FROM message_flags f WHERE f.user_id = ${user} AND f.set_bits & ${bits} <> 0 AND ${within('f').replaceAll('f.id', 'f.message_id')}`;
  const matched = (
    column: string,
    bits: number,
  ): string => `SELECT m.id, m.scope FROM (${matchedSetsSql(user)}) s
    JOIN messages m ON m.${column} = s.id AND ${within('m')} WHERE m.id NOT IN (${clearedSql(bits)})`;
  if (flag === 'starred') return own(flagBits.starred);
  if (flag === 'alerted')
    return `${own(flagBits.has_alert_word)} UNION ALL ${matched('alert_word_set', flagBits.has_alert_word)}`;
  return `${own(mentionedBits)} UNION ALL ${matched('group_mention_set', flagBits.mentioned)}
    UNION ALL SELECT m.id, m.scope FROM messages m
    WHERE m.mentions_wildcard AND ${within('m')} AND m.id NOT IN (${clearedSql(flagBits.wildcard_mentioned)})`;
}

/** Whether the list lies in one stream, or in named private conversations. */
export function isNarrow({ hints }: MessageList): boolean {
  return (
    hints.stream !== undefined || hints.conversations !== undefined || hints.groupWith !== undefined
  );
}

function isPrivate({ hints }: MessageList): boolean {
  return (
    hints.privateOnly === true || hints.conversations !== undefined || hints.groupWith !== undefined
  );
}

/**
 * @returns the query of `past`: the streams (`stream_id`) whose whole history is in the list; undefined if the list adds none. The
 *   statement has it as a common table expression
 */
export function pastSql(list: MessageList): string | undefined {
  const { stream, publicStreams } = list.hints;
  if (!list.withHistory || isPrivate(list)) return undefined;
  if (stream !== undefined)
    return `SELECT ${stream} AS stream_id WHERE ${mayReadHistorySql(stream, user)}
      ${publicStreams === true ? `AND ${stream} IN (${publicStreamsSql})` : ''}`;
  return publicStreams === true ? streamsOpenToSql(user) : undefined;
}

/** Whether the list has the whole history of its only stream, below `past`; then no other source is needed. */
export const wholeStreamSql = 'EXISTS (SELECT 1 FROM past)';

/**
 * @returns the query of `reach`, below `past`: `scope`, `above`, `upto`; ranges do not overlap. The statement has it as a common table
 *   expression
 */
export function reachSql(list: MessageList): string {
  const { hints } = list;
  const parts: string[] = [];
  if (!isPrivate(list)) {
    const { stream } = hints;
    const conditions = [canHoldSql(user)];
    const hasPast = pastSql(list) !== undefined;
    if (stream !== undefined) conditions.push(`held.stream_id = ${stream}`);
    if (hints.publicStreams === true) conditions.push(`held.stream_id IN (${publicStreamsSql})`);
    if (hints.notPublicStreams === true)
      conditions.push(`held.stream_id NOT IN (${publicStreamsSql})`);
    if (hints.subscribed === true) {
      conditions.push(`held.stream_id IN (${memberStreamsSql(user)})`);
    }
    if (hasPast) {
      conditions.push(
        stream === undefined
          ? 'held.stream_id NOT IN (SELECT past.stream_id FROM past)'
          : `NOT ${wholeStreamSql}`,
      );
    }
    if (hints.notMuted === true) conditions.push(`held.stream_id NOT IN (${mutedStreamsSql})`);
    parts.push(`SELECT held.stream_id::bigint AS scope, held.above, held.upto
      FROM (${periodsSql(user)}) held WHERE ${conditions.join(' AND ')}`);
    if (hasPast) parts.push(`SELECT past.stream_id::bigint, 0, ${beyondAllMessages} FROM past`);
  }
  if (hints.stream === undefined && hints.topic === undefined && hints.publicStreams !== true) {
    const among = [
      hints.conversations === undefined
        ? ''
        : `AND taking.conversation_id = ANY (${hints.conversations})`,
      hints.groupWith === undefined
        ? ''
        : `AND taking.conversation_id IN (${groupsWithSql(hints.groupWith)})`,
    ].join(' ');
    parts.push(`SELECT -taking.conversation_id AS scope, 0::bigint AS above, ${beyondAllMessages} AS upto
      FROM conversation_participants taking WHERE taking.user_id = ${user} AND ${canHoldSql(user)} ${among}`);
  }
  return parts.length === 0
    ? 'SELECT 0::bigint AS scope, 0::bigint AS above, 0::bigint AS upto WHERE false'
    : parts.join(' UNION ALL ');
}

/** The hints that the ranges of a list already cover. */
export const reachHints: readonly (keyof ListHints)[] = [
  'stream',
  'privateOnly',
  'conversations',
  'groupWith',
  'publicStreams',
  'subscribed',
];

/** @returns the query of `mostly_muted`, below `reach`: the streams (`scope`) to read topic by topic if muted messages are excluded */
export function mostlyMutedSql(): string {
  const withMuted = `SELECT t.stream_id FROM muted_topics t WHERE t.user_id = ${user} OFFSET 0`;
  return `SELECT reach.scope FROM reach WHERE reach.scope IN (${withMuted})
    EXCEPT SELECT c.stream_id::bigint FROM conversations c
    WHERE c.stream_id IN (${withMuted}) AND c.id NOT IN (${mutedTopicsSql}) GROUP BY 1 HAVING count(*) > ${listSizes.unmutedTopicsMax}`;
}

/** Ranges of one index: rows of `key`, `above`, `upto`, and the condition of range `r` on a message. */
export type Walk = { readonly ranges: string; readonly on: MessageCondition };

const byConversation: MessageCondition = (message) => `${message}.conversation_id = r.key`;

/** @returns the walks that together find every message of the list, except late receipts */
export function walksOf(list: MessageList): Walk[] {
  const { hints } = list;
  if (hints.topic !== undefined) {
    const stream = hints.stream === undefined ? '' : `AND c.stream_id = ${hints.stream}`;
    return [
      {
        ranges: `SELECT c.id AS key, reach.above, reach.upto FROM conversations c JOIN reach ON reach.scope = c.stream_id
          WHERE c.topic_folded = ${hints.topic} ${stream}`,
        on: byConversation,
      },
    ];
  }
  if (hints.carrying !== undefined) {
    const { carrying } = hints;
    return [
      {
        ranges: 'SELECT reach.scope AS key, reach.above, reach.upto FROM reach',
        on: (message) => `${message}.scope = r.key AND ${message}.${carrying}`,
      },
    ];
  }
  const walks: Walk[] = [];
  if (!isPrivate(list)) {
    walks.push({
      ranges: `SELECT reach.scope::integer AS key, reach.above, reach.upto FROM reach
        WHERE reach.scope > 0 ${hints.notMuted === true ? 'AND reach.scope NOT IN (SELECT mostly_muted.scope FROM mostly_muted)' : ''}`,
      on: (message) =>
        `${message}.stream_id = r.key${hints.notMuted === true ? ` AND ${message}.conversation_id NOT IN (${mutedTopicsSql})` : ''}`,
    });
    if (hints.notMuted === true) {
      walks.push({
        ranges: `SELECT c.id AS key, reach.above, reach.upto FROM reach JOIN conversations c ON c.stream_id = reach.scope
          WHERE reach.scope IN (SELECT mostly_muted.scope FROM mostly_muted) AND c.id NOT IN (${mutedTopicsSql})`,
        on: byConversation,
      });
    }
  }
  if (hints.stream === undefined && hints.publicStreams !== true) {
    walks.push({
      ranges:
        'SELECT -reach.scope AS key, reach.above, reach.upto FROM reach WHERE reach.scope < 0',
      on: byConversation,
    });
  }
  return walks;
}

/** An index over a property that is rare everywhere. */
export type RareIndex = {
  /** Rows with `id` and `scope`; if `isMessages`, rows of `messages`. */
  readonly rows: (within: (alias: string) => string, order: 'ASC' | 'DESC') => string;
  readonly isMessages: boolean;
  readonly hint: keyof ListHints;
};

/** @returns the index that finds the list without a walk over its ranges, if there is one */
export function rareIndexOf({ hints }: MessageList): RareIndex | undefined {
  const { flag, id, sender } = hints;
  if (id !== undefined) {
    return {
      rows: (within) => `SELECT m.* FROM messages m WHERE m.id = ${id} AND ${within('m')}`,
      isMessages: true,
      hint: 'id',
    };
  }
  if (flag !== undefined)
    return {
      rows: (within) => flagHitsSql(flag, within),
      isMessages: false,
      hint: 'flag',
    };
  if (sender !== undefined) {
    return {
      rows: (within) =>
        `SELECT m.* FROM messages m WHERE m.sender_id = ${sender} AND ${within('m')}`,
      isMessages: true,
      hint: 'sender',
    };
  }
  return undefined;
}
