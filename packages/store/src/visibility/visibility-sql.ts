/**
 * Who may see what, as SQL: the one place of these rules among statements. `visibility.ts` has them for what is judged in memory, and
 * `tests/integration/visibility.property.test.ts` compares the two. Statements that walk indexes only narrow down what these judge.
 *
 * Each is true of the snapshot of the statement that it stands in. `s` and `u` are aliases of rows of `streams` and `users`, `message`
 * is one of `messages`; `stream` and `user` are expressions for an id.
 */
import { botTypes, roles } from '@parley/api';

/** Above every message id; stands for a period that has not ended. */
export const beyondAllMessages = '9000000000000000000';

/** A private stream is seen by its members alone, and by administrators from outside. */
export function isPrivateSql(s: string): string {
  return `${s}.invite_only`;
}

/** A stream that is not private is public. */
export function isPublicSql(s: string): string {
  return `NOT ${s}.invite_only`;
}

/** Members of a public stream, and of a private one that says so, may read what was sent before they joined. */
export function sharesHistorySql(s: string): string {
  return `(${isPublicSql(s)} OR ${s}.history_public_to_subscribers)`;
}

/** A public stream is open to everybody but guests, without joining it. */
export function isOpenToSql(s: string, u: string): string {
  return `(${isPublicSql(s)} AND ${u}.role <> '${roles.guest}')`;
}

/** The live public streams: `id`. */
export const publicStreamsSql = `SELECT open.id FROM streams open WHERE ${isPublicSql('open')} AND NOT open.is_deactivated`;

/** Beyond what they hold, guests find nothing without naming a stream of theirs. */
export function isGuestSql(user: string): string {
  return `EXISTS (SELECT 1 FROM users guest WHERE guest.id = ${user} AND guest.role = '${roles.guest}')`;
}

/** The live streams that are open to the user: `stream_id`. */
export function streamsOpenToSql(user: string): string {
  return `SELECT open.id AS stream_id FROM streams open WHERE ${isPublicSql('open')} AND NOT open.is_deactivated
  AND NOT ${isGuestSql(user)}`;
}

/** A user is a member of a stream while a period of his membership is open: while he is subscribed and his account is active. */
export function isMemberSql(stream: string, user: string): string {
  return `EXISTS (SELECT 1 FROM membership_periods present
    WHERE present.stream_id = ${stream} AND present.user_id = ${user} AND present.until_change_id IS NULL)`;
}

/**
 * The streams of which a user is a member: `stream_id`.
 *
 * @param user an id, or `ANY (…)` of several
 */
export function memberStreamsSql(user: string): string {
  return `SELECT present.stream_id FROM membership_periods present
    WHERE present.user_id = ${user} AND present.until_change_id IS NULL`;
}

/** A user was a member of a stream if any period of his membership is on record, an open one included. */
export function wasMemberSql(stream: string, user: string): string {
  return `EXISTS (SELECT 1 FROM membership_periods past_period
    WHERE past_period.user_id = ${user} AND past_period.stream_id = ${stream})`;
}

/**
 * The membership periods of a user as ranges of message ids: `stream_id`, `above`, `upto`. A period whose end has a change
 * without a position yet belongs to the transaction that is ending it, for which it still goes on.
 */
export function periodsSql(user: string): string {
  return `SELECT period.stream_id, opened.message_id AS above, coalesce(closed.message_id, ${beyondAllMessages}) AS upto
    FROM membership_periods period
    JOIN changes opened ON opened.id = period.from_change_id
    LEFT JOIN changes closed ON closed.id = period.until_change_id
    WHERE period.user_id = ${user}`;
}

/** The streams of which a user is or was a member, some of them twice: `stream_id`. */
export function everMemberStreamsSql(user: string): string {
  return `SELECT period.stream_id FROM membership_periods period WHERE period.user_id = ${user}`;
}

/** Outgoing-webhook and embedded bots get events and hold nothing (architecture, Read state). */
export function isReactingBotSql(u: string): string {
  // As the index of these bots has it.
  return `${u}.bot_type IN (${botTypes.outgoingWebhook}, ${botTypes.embedded})`;
}

/** Everybody holds messages but bots that only react to them. */
export function canHoldSql(user: string): string {
  return `NOT EXISTS (SELECT 1 FROM users holder WHERE holder.id = ${user} AND ${isReactingBotSql('holder')})`;
}

/**
 * A user holds a message when he was a member of its stream, or took part in its conversation, when it was sent, or got it late:
 * by starring it, by reacting to it, or as a bot that is named in it. He goes on holding it when he leaves.
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
 * The whole history of a live stream is read by those to whom it is open, and by its members where it shares its history with them
 * (reference facts, messages 6.5 and 7).
 */
export function mayReadHistorySql(stream: string, user: string): string {
  return `EXISTS (SELECT 1 FROM streams past JOIN users reader ON reader.id = ${user}
    WHERE past.id = ${stream} AND NOT past.is_deactivated AND (${isOpenToSql('past', 'reader')}
      OR (${sharesHistorySql('past')} AND ${isMemberSql('past.id', 'reader.id')})))`;
}

/**
 * A user may see the messages that he holds, and those of streams whose whole history he may read (reference facts, messages 7).
 *
 * @param stream the stream of all messages in question, where there is one: then its history is judged once
 */
export function maySeeMessageSql(
  message: string,
  user: string,
  stream = `${message}.stream_id`,
): string {
  return `(${mayReadHistorySql(stream, user)} OR ${holdsMessageSql(message, user)})`;
}

/** A live stream is read by its members, and by everybody to whom it is open (reference facts, streams 10.1). */
export function mayReadStreamSql(s: string, u: string): string {
  return `(NOT ${s}.is_deactivated AND (${isOpenToSql(s, u)} OR ${isMemberSql(`${s}.id`, `${u}.id`)}))`;
}

/**
 * Of a stream, live or not, administrators are told, everybody to whom it is open, and whoever is or was its member: they have it in a
 * list of register and hear what becomes of its name.
 */
export function getsStreamEventsSql(s: string, u: string): string {
  return `(${u}.role = '${roles.administrator}' OR ${isOpenToSql(s, u)} OR ${wasMemberSql(`${s}.id`, `${u}.id`)})`;
}

/** Who is told of a stream may learn that it exists or existed, and so may who holds a message of it, which bears its name. */
export function knowsOfStreamSql(s: string, u: string): string {
  return `(${getsStreamEventsSql(s, u)}
  OR EXISTS (SELECT 1 FROM late_receipts l JOIN messages m ON m.id = l.message_id
    WHERE l.user_id = ${u}.id AND m.stream_id = ${s}.id))`;
}
