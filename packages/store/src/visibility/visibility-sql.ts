/**
 * The rules of visibility as SQL, the only place of these rules among statements. `visibility.ts` has them for decisions in memory, and
 * `tests/integration/visibility.property.test.ts` compares the two. Statements that walk indexes only reduce the rows for which these rules
 * decide.
 *
 * Each expression holds for the snapshot of its statement. `s` and `u` are aliases of rows of `streams` and `users`, `message` is one of
 * `messages`; `stream` and `user` are expressions for an id.
 */
import { botTypes, roles } from '@parley/api';

/** Above every message id; represents a period that has not ended. */
export const beyondAllMessages = '9000000000000000000';

/** Only members see a private stream, and administrators from outside. */
export function isPrivateSql(s: string): string {
  return `${s}.invite_only`;
}

/** A stream that is not private is public. */
export function isPublicSql(s: string): string {
  return `NOT ${s}.invite_only`;
}

/** Members of a public stream, and of a private one with shared history, may read messages from before they joined. */
export function sharesHistorySql(s: string): string {
  return `(${isPublicSql(s)} OR ${s}.history_public_to_subscribers)`;
}

/** A public stream is open to everybody except guests, without joining it. */
export function isOpenToSql(s: string, u: string): string {
  return `(${isPublicSql(s)} AND ${u}.role <> '${roles.guest}')`;
}

/** The live public streams: `id`. */
export const publicStreamsSql = `SELECT open.id FROM streams open WHERE ${isPublicSql('open')} AND NOT open.is_deactivated`;

/** Guests find no messages beyond those that they hold unless they name one of their streams. */
export function isGuestSql(user: string): string {
  return `EXISTS (SELECT 1 FROM users guest WHERE guest.id = ${user} AND guest.role = '${roles.guest}')`;
}

/** The live streams that are open to the user: `stream_id`. */
export function streamsOpenToSql(user: string): string {
  return `SELECT open.id AS stream_id FROM streams open WHERE ${isPublicSql('open')} AND NOT open.is_deactivated
  AND NOT ${isGuestSql(user)}`;
}

/** A user is a member of a stream while a membership period is open: while the user is subscribed and the account is active. */
export function isMemberSql(stream: string, user: string): string {
  return `EXISTS (SELECT 1 FROM membership_periods present
    WHERE present.stream_id = ${stream} AND present.user_id = ${user} AND present.until_change_id IS NULL)`;
}

/**
 * The streams with a user as a member: `stream_id`.
 *
 * @param user an id, or `ANY (…)` of several
 */
export function memberStreamsSql(user: string): string {
  return `SELECT present.stream_id FROM membership_periods present
    WHERE present.user_id = ${user} AND present.until_change_id IS NULL`;
}

/** A user was a member of a stream if the user has any membership period in it, open or not. */
export function wasMemberSql(stream: string, user: string): string {
  return `EXISTS (SELECT 1 FROM membership_periods past_period
    WHERE past_period.user_id = ${user} AND past_period.stream_id = ${stream})`;
}

/**
 * The membership periods of a user as ranges of message ids: `stream_id`, `above`, `upto`. A period whose end is a change without a
 * position yet belongs to the transaction that is ending it, for which it still continues.
 */
export function periodsSql(user: string): string {
  return `SELECT period.stream_id, opened.message_id AS above, coalesce(closed.message_id, ${beyondAllMessages}) AS upto
    FROM membership_periods period
    JOIN changes opened ON opened.id = period.from_change_id
    LEFT JOIN changes closed ON closed.id = period.until_change_id
    WHERE period.user_id = ${user}`;
}

/** The ended membership periods of a stream, in the same form: `user_id`, `above`, `upto`. */
export function endedPeriodsSql(stream: string): string {
  return `SELECT ended.user_id, opened.message_id AS above, closed.message_id AS upto FROM membership_periods ended
    JOIN changes opened ON opened.id = ended.from_change_id JOIN changes closed ON closed.id = ended.until_change_id
    WHERE ended.stream_id = ${stream}`;
}

/** The streams that a user is or was a member of, some of them twice: `stream_id`. */
export function everMemberStreamsSql(user: string): string {
  return `SELECT period.stream_id FROM membership_periods period WHERE period.user_id = ${user}`;
}

/** Outgoing-webhook and embedded bots get events and never hold messages (architecture, Read state). */
export function isReactingBotSql(u: string): string {
  // In the form of the index of these bots.
  return `${u}.bot_type IN (${botTypes.outgoingWebhook}, ${botTypes.embedded})`;
}

/** All accounts can hold messages except bots that only react to them. */
export function canHoldSql(user: string): string {
  return `NOT EXISTS (SELECT 1 FROM users holder WHERE holder.id = ${user} AND ${isReactingBotSql('holder')})`;
}

/**
 * A user holds a message if the user was a member of its stream or took part in its conversation when it was sent, or got it late: by
 * starring it, by reacting to it, or as a bot that is named in it. The user still holds it after leaving.
 */
export function holdsMessageSql(message: string, user: string): string {
  return `((CASE WHEN ${message}.stream_id IS NULL
      THEN EXISTS (SELECT 1 FROM conversation_participants taking
        WHERE taking.user_id = ${user} AND taking.conversation_id = ${message}.conversation_id)
      ELSE EXISTS (${periodsSql(user)} AND period.stream_id = ${message}.stream_id
        AND ${message}.id > opened.message_id AND ${message}.id <= coalesce(closed.message_id, ${beyondAllMessages})) END
      OR EXISTS (SELECT 1 FROM late_receipts late WHERE late.user_id = ${user} AND late.message_id = ${message}.id))
    AND ${canHoldSql(user)})`;
}

/**
 * The whole history of a live stream is readable for those to whom the stream is open, and for its members if they share its history
 * (reference facts, messages 6.5 and 7).
 */
export function mayReadHistorySql(stream: string, user: string): string {
  return `EXISTS (SELECT 1 FROM streams past JOIN users reader ON reader.id = ${user}
    WHERE past.id = ${stream} AND NOT past.is_deactivated AND (${isOpenToSql('past', 'reader')}
      OR (${sharesHistorySql('past')} AND ${isMemberSql('past.id', 'reader.id')})))`;
}

/**
 * A user may see held messages, and messages of streams whose whole history the user may read (reference facts, messages 7).
 *
 * @param stream the stream of all messages in question, if there is one: then its history is checked once
 */
export function maySeeMessageSql(
  message: string,
  user: string,
  stream = `${message}.stream_id`,
): string {
  return `(${mayReadHistorySql(stream, user)} OR ${holdsMessageSql(message, user)})`;
}

/** Members, and everybody to whom it is open, may read a live stream (reference facts, streams 10.1). */
export function mayReadStreamSql(s: string, u: string): string {
  return `(NOT ${s}.is_deactivated AND (${isOpenToSql(s, u)} OR ${isMemberSql(`${s}.id`, `${u}.id`)}))`;
}

/**
 * A stream's events, live or not, go to administrators, to everybody to whom it is open, and to everybody who is or was its member:
 * register lists it for them, and they learn of changes of its name.
 */
export function getsStreamEventsSql(s: string, u: string): string {
  return `(${u}.role = '${roles.administrator}' OR ${isOpenToSql(s, u)} OR ${wasMemberSql(`${s}.id`, `${u}.id`)})`;
}

/** A user who gets a stream's events may learn that it exists or existed; so may one who holds a message of it, which contains its name. */
export function knowsOfStreamSql(s: string, u: string): string {
  return `(${getsStreamEventsSql(s, u)}
  OR EXISTS (SELECT 1 FROM late_receipts l JOIN messages m ON m.id = l.message_id
    WHERE l.user_id = ${u}.id AND m.stream_id = ${s}.id))`;
}

/** The kept message (a row of `kept_messages`) that a user sees in place of one that was changed after the user had left its private stream. */
export function keptForSql(message: string, user: string): string {
  return `SELECT kept.* FROM kept_messages kept WHERE kept.message_id = ${message}.id AND kept.user_ids @> ARRAY[${user}::integer]`;
}

/** Whether a user sees a message only as it was kept. */
export function isKeptForSql(message: string, user: string): string {
  return `EXISTS (${keptForSql(message, user)})`;
}

/** A user who sees a message may change it, or what is shown with it, unless its stream is private and the user is no member. */
export function mayChangeMessageSql(message: string, user: string): string {
  return `(${message}.stream_id IS NULL OR EXISTS (SELECT 1 FROM streams around
    WHERE around.id = ${message}.stream_id AND (${isPublicSql('around')} OR ${isMemberSql('around.id', user)})))`;
}
