/**
 * The read state of each user: a watermark per conversation, a floor per stream and per user for marking in bulk, and exceptions for
 * messages read or unread out of order (architecture, Read state).
 *
 * An exception decides whether a held message is read. Without one, the message is read if it lies at or below the user's floor, the floor
 * of its stream or the watermark of the conversation it was first sent to, or else if the user sent it with a client that marks it read.
 * Floors and watermarks also cover messages that the user does not hold. None of these can later become held and unread, because
 * memberships begin above all existing messages and a late receipt for an old message is read. Only a new account, which has read nothing,
 * gets periods that begin earlier (`openBacklog`).
 *
 * Every change first locks the user's row of `read_users`, so that changes of one user run one at a time.
 */
import type { Client } from '@parley/database';

import { idPieces } from '../lists/id-pieces.ts';
import {
  readSql,
  readWithoutExceptionSql,
  streamFloorSql,
  userFloorSql,
  watermarkSql,
} from '../messages/message-sql.ts';
import { unreadIdsSql } from './unread-sql.ts';
import {
  beyondAllMessages,
  holdsMessageSql,
  mayChangeMessageSql,
  periodsSql,
} from '../visibility/visibility-sql.ts';

/** The most unread messages in one answer or event: the newest ones (reference facts, events 4.1). */
export const unreadListedMax = 50_000;

/**
 * Locks the read state of users, in the order of their ids, until the transaction ends. A later statement sees the changes of earlier
 * holders of the locks.
 */
export async function lockReadState(client: Client, userIds: readonly number[]): Promise<void> {
  const ordered = [...new Set(userIds)].toSorted((a, b) => a - b);
  await client.query({
    name: 'read-state-rows',
    text: 'INSERT INTO read_users (user_id) SELECT u FROM unnest($1::integer[]) u ORDER BY u ON CONFLICT DO NOTHING',
    values: [ordered],
  });
  await client.query({
    name: 'read-state-lock',
    text: 'SELECT user_id FROM read_users WHERE user_id = ANY ($1::integer[]) ORDER BY user_id FOR UPDATE',
    values: [ordered],
  });
}

const markText = `WITH wanted AS MATERIALIZED (
    SELECT m.id, m.read_conversation_id, m.stream_id, ${readWithoutExceptionSql('m', '$1')} AS otherwise
    FROM messages m WHERE m.id = ANY ($2::bigint[]) AND ${holdsMessageSql('m', '$1')} AND ($3 OR ${mayChangeMessageSql('m', '$1')})
  ), gone AS (
    DELETE FROM read_exceptions x USING wanted w
    WHERE x.user_id = $1 AND x.message_id = w.id AND w.otherwise = $3
  ), excepted AS (
    INSERT INTO read_exceptions (user_id, message_id, conversation_id, stream_id, is_read)
    SELECT $1, w.id, w.read_conversation_id, w.stream_id, $3 FROM wanted w WHERE w.otherwise <> $3
    ON CONFLICT (user_id, message_id) DO UPDATE SET is_read = excluded.is_read
  )
  SELECT w.id, w.read_conversation_id FROM wanted w`;

// A watermark may rise up to the first unread message, and no further than the newest message that this statement sees.
const walkSql = (condition: string): string => `SELECT m.id FROM messages m
  WHERE ${condition} AND m.id > greatest(b.above, b.held_above) AND ${holdsMessageSql('m', '$1')} AND NOT ${readSql('m', '$1')}
  ORDER BY m.id LIMIT 1`;
const newestSql = (condition: string): string => `SELECT m.id FROM messages m
  WHERE ${condition} AND m.id > f.above AND m.id < f.first_unread ORDER BY m.id DESC LIMIT 1`;
const stayed = (row: string): string =>
  `m.conversation_id = ${row}.id AND m.read_conversation_id = ${row}.id`;
const movedAway = (row: string): string =>
  `m.read_conversation_id = ${row}.id AND m.read_conversation_id <> m.conversation_id`;

const compactText = `WITH bounds AS MATERIALIZED (
    SELECT c.id, greatest(${userFloorSql('$1')}, ${streamFloorSql('c.stream_id', '$1')}, ${watermarkSql('c.id', '$1')}) AS above,
      CASE WHEN c.stream_id IS NULL THEN 0 ELSE coalesce((SELECT min(p.above) FROM (${periodsSql('$1')}) p WHERE p.stream_id = c.stream_id), ${beyondAllMessages}) END AS held_above
    FROM conversations c WHERE c.id = ANY ($2::bigint[])
  ), firsts AS MATERIALIZED (
    SELECT b.id, b.above, coalesce(least(
      (${walkSql(stayed('b'))}),
      (${walkSql(movedAway('b'))}),
      (SELECT min(m.id) FROM late_receipts l JOIN messages m ON m.id = l.message_id
        WHERE l.user_id = $1 AND l.message_id > b.above AND m.read_conversation_id = b.id AND NOT ${readSql('m', '$1')})
      ), ${beyondAllMessages}) AS first_unread
    FROM bounds b
  ), tops AS MATERIALIZED (
    SELECT f.id, f.above, greatest((${newestSql(stayed('f'))}), (${newestSql(movedAway('f'))})) AS top FROM firsts f
  ), raised AS (
    INSERT INTO read_watermarks (user_id, conversation_id, message_id)
    SELECT $1, t.id, t.top FROM tops t WHERE t.top > t.above
    ON CONFLICT (user_id, conversation_id) DO UPDATE SET message_id = excluded.message_id
    RETURNING conversation_id, message_id
  )
  DELETE FROM read_exceptions x USING raised r
  WHERE x.user_id = $1 AND x.conversation_id = r.conversation_id AND x.message_id <= r.message_id AND x.is_read`;

async function mark(
  client: Client,
  userId: number,
  messageIds: readonly number[],
  isRead: boolean,
): Promise<number[]> {
  await lockReadState(client, [userId]);
  const held: number[] = [];
  const conversations = new Set<number>();
  for (const piece of idPieces(messageIds)) {
    const { rows } = await client.query<{ id: number; read_conversation_id: number }>({
      name: 'read-state-mark',
      text: markText,
      values: [userId, piece, isRead],
    });
    for (const row of rows) {
      held.push(row.id);
      conversations.add(row.read_conversation_id);
    }
  }
  for (const piece of isRead ? idPieces([...conversations]) : []) {
    await client.query({
      name: 'read-state-compact',
      text: compactText,
      values: [userId, piece],
    });
  }
  return held;
}

/**
 * Marks messages read for one user, except those that the user does not hold.
 *
 * @returns the ids among `messageIds` that the user holds, in no particular order
 */
export async function markRead(
  client: Client,
  userId: number,
  messageIds: readonly number[],
): Promise<number[]> {
  return mark(client, userId, messageIds, true);
}

/**
 * Marks messages unread for one user, except those of private streams that the user has left: a stream that was left, or has ended, keeps
 * nothing unread. See `markRead`.
 */
export async function markUnread(
  client: Client,
  userId: number,
  messageIds: readonly number[],
): Promise<number[]> {
  return mark(client, userId, messageIds, false);
}

const listedDescending = (ids: string, limit: string): string =>
  `SELECT listed.id FROM (${ids}) listed ORDER BY listed.id DESC LIMIT ${limit}`;

const markStreamText = `WITH unread AS MATERIALIZED (
    ${listedDescending(unreadIdsSql({ user: '$1', stream: '$2', order: 'DESC', limit: String(unreadListedMax) }), String(unreadListedMax))}
  ), newest AS MATERIALIZED (
    SELECT m.id FROM messages m WHERE m.stream_id = $2 ORDER BY m.id DESC LIMIT 1
  ), floor AS (
    INSERT INTO read_stream_floors (user_id, stream_id, message_id) SELECT $1, $2, n.id FROM newest n
    ON CONFLICT (user_id, stream_id) DO UPDATE SET message_id = excluded.message_id
  ), gone AS (
    DELETE FROM read_exceptions x USING newest n WHERE x.user_id = $1 AND x.stream_id = $2 AND x.message_id <= n.id
  )
  SELECT u.id FROM unread u ORDER BY u.id`;

/**
 * Marks all messages of a stream read that the user holds. The floor is the newest message that the statement itself sees, so a message
 * that commits meanwhile stays unread.
 *
 * @returns the ids that were unread, ascending, the newest `unreadListedMax` at most
 */
export async function markStreamRead(
  client: Client,
  userId: number,
  streamId: number,
): Promise<number[]> {
  await lockReadState(client, [userId]);
  const { rows } = await client.query<{ id: number }>({
    name: 'read-state-mark-stream',
    text: markStreamText,
    values: [userId, streamId],
  });
  return rows.map((row) => row.id);
}

// The watermark of a topic also covers messages that were moved away from it. These keep their state, so those that would change get an
// exception. Messages moved into the topic are marked read by exceptions, because the watermark of their own conversation stays.
const markTopicText = `WITH topic AS MATERIALIZED (
    SELECT c.id, c.stream_id FROM conversations c WHERE c.id = $2
  ), unread AS MATERIALIZED (
    ${listedDescending(
      unreadIdsSql({
        user: '$1',
        stream: '(SELECT t.stream_id FROM topic t)',
        conversation: '$2',
        order: 'DESC',
        limit: String(unreadListedMax),
      }),
      String(unreadListedMax),
    )}
  ), newest AS MATERIALIZED (
    SELECT m.id FROM messages m WHERE m.conversation_id = $2 AND m.read_conversation_id = $2 ORDER BY m.id DESC LIMIT 1
  ), watermark AS (
    INSERT INTO read_watermarks (user_id, conversation_id, message_id) SELECT $1, $2, n.id FROM newest n
    ON CONFLICT (user_id, conversation_id) DO UPDATE SET message_id = greatest(read_watermarks.message_id, excluded.message_id)
  ), moved AS MATERIALIZED (
    SELECT m.id, m.read_conversation_id, m.stream_id, true AS is_read FROM messages m
    WHERE m.conversation_id = $2 AND m.read_conversation_id <> m.conversation_id AND ${holdsMessageSql('m', '$1')} AND NOT ${readSql('m', '$1')}
    UNION ALL
    SELECT m.id, m.read_conversation_id, m.stream_id, false
    FROM newest n JOIN messages m ON m.read_conversation_id = $2 AND m.read_conversation_id <> m.conversation_id AND m.id <= n.id
    WHERE m.id > greatest(${userFloorSql('$1')}, ${streamFloorSql('m.stream_id', '$1')}, ${watermarkSql('$2', '$1')})
      AND ${holdsMessageSql('m', '$1')} AND NOT ${readSql('m', '$1')}
  ), excepted AS (
    INSERT INTO read_exceptions (user_id, message_id, conversation_id, stream_id, is_read)
    SELECT $1, v.id, v.read_conversation_id, v.stream_id, v.is_read FROM moved v
    ON CONFLICT (user_id, message_id) DO UPDATE SET is_read = excluded.is_read
  ), gone AS (
    DELETE FROM read_exceptions x USING newest n, messages m
    WHERE x.user_id = $1 AND x.conversation_id = $2 AND x.message_id <= n.id AND m.id = x.message_id AND m.conversation_id = $2
  )
  SELECT u.id FROM unread u ORDER BY u.id`;

/**
 * Marks all messages read that the user holds in a topic as it is now. Messages that were moved away from it keep their state.
 *
 * @returns the ids that were unread, ascending, the newest `unreadListedMax` at most
 */
export async function markTopicRead(
  client: Client,
  userId: number,
  conversationId: number,
): Promise<number[]> {
  await lockReadState(client, [userId]);
  const { rows } = await client.query<{ id: number }>({
    name: 'read-state-mark-topic',
    text: markTopicText,
    values: [userId, conversationId],
  });
  return rows.map((row) => row.id);
}

/**
 * Marks all messages read that the user holds up to the change's position in the log, in every stream and conversation. It deletes all
 * exceptions, because each is for an existing message and so lies below the position that the change will get under the head.
 *
 * @param changeId drawn in this transaction and appended by it
 */
export async function markAllRead(client: Client, userId: number, changeId: number): Promise<void> {
  await lockReadState(client, [userId]);
  await client.query({
    name: 'read-state-mark-all',
    text: `WITH gone AS (DELETE FROM read_exceptions WHERE user_id = $1)
      UPDATE read_users SET floor_change_id = $2 WHERE user_id = $1`,
    values: [userId, changeId],
  });
}

/** Users and the streams that they leave, pair by pair. */
export type Leavings = readonly { readonly userId: number; readonly streamId: number }[];

const leavingSql = 'unnest($1::integer[], $2::integer[]) leaver (user_id, stream_id)';

const unreadOfLeaversText = `SELECT leaver.user_id AS "userId", leaver.stream_id AS "streamId", ARRAY(
    ${listedDescending(
      unreadIdsSql({
        user: 'leaver.user_id',
        stream: 'leaver.stream_id',
        order: 'DESC',
        limit: '$3::bigint',
      }),
      '$3::bigint',
    )}) AS ids, (SELECT coalesce(max(m.id), 0) FROM messages m) AS "upToMessageId"
  FROM ${leavingSql}`;

export type UnreadOfLeaver = {
  readonly userId: number;
  readonly streamId: number;
  /** Descending. */
  readonly ids: readonly number[];
  /** Messages above it were not visible to the list, and may come before the position of the change that ends the subscription. */
  readonly upToMessageId: number;
};

/**
 * Lists the unread messages of users in streams that they leave. Called in the transaction of that change, before or after its membership
 * rows are written, and before `setStreamFloorsAtChange`. It costs a look-up for each pair and topic.
 *
 * @param idsMax the most ids for each pair, the newest
 */
export async function listUnreadOfLeavers(
  client: Client,
  leavings: Leavings,
  idsMax: number,
): Promise<UnreadOfLeaver[]> {
  const { rows } = await client.query<UnreadOfLeaver>({
    name: 'read-state-unread-of-leavers',
    text: unreadOfLeaversText,
    values: [
      leavings.map(({ userId }) => userId),
      leavings.map(({ streamId }) => streamId),
      idsMax,
    ],
  });
  return rows;
}

/**
 * Marks streams read for users who leave them, up to the position of the change that ends their subscriptions (reference facts, events
 * 11.4). The caller has locked the users' read state (`lockReadState`).
 */
export async function setStreamFloorsAtChange(
  client: Client,
  leavings: Leavings,
  changeId: number,
): Promise<void> {
  await client.query({
    name: 'read-state-leave',
    text: `WITH floors AS (
        INSERT INTO read_stream_floors (user_id, stream_id, change_id)
        SELECT leaver.user_id, leaver.stream_id, $3 FROM ${leavingSql}
        ON CONFLICT (user_id, stream_id) DO UPDATE SET change_id = excluded.change_id
      )
      DELETE FROM read_exceptions x USING ${leavingSql}
      WHERE x.user_id = leaver.user_id AND x.stream_id = leaver.stream_id`,
    values: [
      leavings.map(({ userId }) => userId),
      leavings.map(({ streamId }) => streamId),
      changeId,
    ],
  });
}

/** Marks streams read up to a message for a new account, whose read state nobody else can change yet. */
export async function setFirstStreamFloors(
  client: Client,
  userId: number,
  streamIds: readonly number[],
  messageId: number,
): Promise<void> {
  await client.query({
    name: 'read-state-first-floors',
    text: `INSERT INTO read_stream_floors (user_id, stream_id, message_id) SELECT $1, s, $3 FROM unnest($2::integer[]) s`,
    values: [userId, streamIds, messageId],
  });
}

/**
 * Deletes the exceptions of messages that are being deleted. It locks the users' read state first, because otherwise this and a request
 * that marks several messages could wait for each other.
 */
export async function deleteReadExceptions(
  client: Client,
  messageIds: readonly number[],
): Promise<void> {
  const { rows } = await client.query<{ userId: number }>({
    name: 'read-state-excepted-users',
    text: 'SELECT DISTINCT user_id AS "userId" FROM read_exceptions WHERE message_id = ANY ($1::bigint[])',
    values: [messageIds],
  });
  if (rows.length > 0)
    await lockReadState(
      client,
      rows.map((row) => row.userId),
    );
  await client.query({
    name: 'read-state-delete-exceptions',
    text: 'DELETE FROM read_exceptions WHERE message_id = ANY ($1::bigint[])',
    values: [messageIds],
  });
}
