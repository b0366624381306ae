/**
 * SQL expressions for the state of a message for a user who sees it: read, flagged. Each takes the alias of a `messages` row and an
 * expression for the user's id, and holds for the snapshot of its statement. These are the only definitions; statements that walk indexes
 * only reduce the rows for which these decide. `visibility-sql.ts` decides whether the user may see a message.
 */
import { holdsMessageSql } from '../visibility/visibility-sql.ts';

/** Bits of `message_flags`, lowest first as the interface lists them (reference facts, messages 4.2). `read` is never stored. */
export const flagBits = {
  read: 1,
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  wildcard_mentioned: 16,
  summarize_in_home: 32,
  summarize_in_stream: 64,
  force_expand: 128,
  force_collapse: 256,
  has_alert_word: 512,
  historical: 1024,
} as const;

export type FlagName = keyof typeof flagBits;

/** All flags of the contract's list, lowest bit first. */
export const flagNames = Object.keys(flagBits) as readonly FlagName[];

/** @returns the names of the flags set in `bits`, lowest bit first */
export function namesOfFlags(bits: number): FlagName[] {
  return flagNames.filter((name) => (bits & flagBits[name]) !== 0);
}

/** The sets of users to which the user belongs and that messages can store instead of single users: `id`. */
export function matchedSetsSql(user: string): string {
  return `SELECT DISTINCT matched.id FROM matched_user_sets matched WHERE matched.user_ids @> ARRAY[${user}]`;
}

/** The message id up to which the user has read everything. */
export function userFloorSql(user: string): string {
  return `coalesce((SELECT floor_change.message_id FROM read_users floor_user
    JOIN changes floor_change ON floor_change.id = floor_user.floor_change_id WHERE floor_user.user_id = ${user}), 0)`;
}

/** The message id up to which the user has read the stream in bulk. */
export function streamFloorSql(stream: string, user: string): string {
  return `coalesce((SELECT greatest(stream_floor.message_id, stream_change.message_id) FROM read_stream_floors stream_floor
    LEFT JOIN changes stream_change ON stream_change.id = stream_floor.change_id
    WHERE stream_floor.user_id = ${user} AND stream_floor.stream_id = ${stream}), 0)`;
}

/** The message id up to which the user has read the conversation. */
export function watermarkSql(conversation: string, user: string): string {
  return `coalesce((SELECT mark.message_id FROM read_watermarks mark
    WHERE mark.user_id = ${user} AND mark.conversation_id = ${conversation}), 0)`;
}

/** Whether the user has read a message that the user holds, without regard to exceptions. */
export function readWithoutExceptionSql(message: string, user: string): string {
  return `(${message}.id <= greatest(${userFloorSql(user)}, ${streamFloorSql(`${message}.stream_id`, user)},
      ${watermarkSql(`${message}.read_conversation_id`, user)})
    OR (${message}.sender_id = ${user} AND ${message}.read_by_sender))`;
}

/** Whether the user has read a message that the user holds. */
export function readSql(message: string, user: string): string {
  return `coalesce((SELECT exception.is_read FROM read_exceptions exception
      WHERE exception.user_id = ${user} AND exception.message_id = ${message}.id),
    ${readWithoutExceptionSql(message, user)})`;
}

/** The flags of a message that the user holds, without `read`, as bits. */
export function flagBitsSql(message: string, user: string): string {
  return `((CASE WHEN ${user} = ANY (${message}.group_mentioned_ids) THEN ${flagBits.mentioned} ELSE 0 END
      | CASE WHEN ${message}.mentions_wildcard THEN ${flagBits.wildcard_mentioned} ELSE 0 END
      | CASE WHEN ${user} = ANY (${message}.alert_word_ids) THEN ${flagBits.has_alert_word} ELSE 0 END
      | coalesce((SELECT own.set_bits FROM message_flags own WHERE own.user_id = ${user} AND own.message_id = ${message}.id), 0))
    & ~coalesce((SELECT own.cleared_bits FROM message_flags own WHERE own.user_id = ${user} AND own.message_id = ${message}.id), 0))`;
}

/**
 * The flags of any message that the user may see, including `read`, as bits. A message that the user does not hold is read and historical
 * (reference facts, messages 6.5).
 */
export function shownFlagBitsSql(message: string, user: string): string {
  return `(CASE WHEN ${holdsMessageSql(message, user)}
    THEN ${flagBitsSql(message, user)} | CASE WHEN ${readSql(message, user)} THEN ${flagBits.read} ELSE 0 END
    ELSE ${flagBits.read | flagBits.historical} END)`;
}
