/** Messages that are sent at a later time (owner of `deferred_messages`). */
import { limits } from '@parley/api';
import type { Client, Queryable } from '@parley/database';

/** A message to send. */
export type NewDeferredMessage = {
  /** The idempotency key of its send. */
  readonly sendKey: string;
  /** In hex digits. */
  readonly contentHash: string;
  readonly senderId: number;
  readonly isReminder: boolean;
  readonly streamId: number | null;
  /** Of a private message: all participants, including the sender. */
  readonly participantIds: readonly number[] | null;
  readonly topic: string;
  readonly content: string;
  /** The HTML that was made when it was checked. */
  readonly renderedContent: string;
  readonly widgetContent: string | null;
  readonly clientName: string;
};

/** A message to send, with its id. Its HTML is made again when it is sent. */
export type DeferredMessage = Omit<NewDeferredMessage, 'renderedContent'> & { readonly id: number };

/** A message as its sender sees it until it is sent. */
export type WaitingMessage = Pick<
  NewDeferredMessage & DeferredMessage,
  | 'id'
  | 'senderId'
  | 'isReminder'
  | 'streamId'
  | 'participantIds'
  | 'topic'
  | 'content'
  | 'renderedContent'
> & {
  /** Unix time. */
  readonly deliverAtSecs: number;
};

/** The first claim of a message lasts this long, and each further one twice as long as the one before. */
const claimSecs = 10;
const claimMaxSecs = 600;

/**
 * @returns whether a deferred message that waits, or was sent within the last day, has this key: `same` content or `other`
 */
export async function findDeferredMessage(
  db: Queryable,
  send: { readonly key: string; readonly contentHash: string },
): Promise<'same' | 'other' | undefined> {
  const { rows } = await db.query<{ isSame: boolean }>({
    name: 'deferred-message-find',
    // In one statement, because a message is sent before its row is deleted.
    text: `SELECT k.content_hash = decode($2, 'hex') AS "isSame" FROM (
        SELECT content_hash FROM deferred_messages WHERE send_key = $1
        UNION ALL SELECT content_hash FROM send_keys WHERE send_key = $1
      ) k LIMIT 1`,
    values: [send.key, send.contentHash],
  });
  if (rows[0] === undefined) return undefined;
  return rows[0].isSame ? 'same' : 'other';
}

/** @returns how many deferred messages of an account wait, and the bytes of their texts and HTML */
export async function measureDeferredMessages(
  db: Queryable,
  senderId: number,
): Promise<{ readonly waiting: number; readonly bytes: number }> {
  const { rows } = await db.query<{ waiting: number; bytes: number }>({
    name: 'deferred-messages-measure',
    text: `SELECT count(*) AS waiting, coalesce(sum(octet_length(content) + octet_length(rendered_content)), 0)::float8 AS bytes
      FROM deferred_messages WHERE sender_id = $1`,
    values: [senderId],
  });
  return rows[0] ?? { waiting: 0, bytes: 0 };
}

const waitingColumns = `id, sender_id AS "senderId", is_reminder AS "isReminder", stream_id AS "streamId",
  participant_ids AS "participantIds", topic, content, rendered_content AS "renderedContent",
  floor(extract(epoch FROM deliver_at))::bigint AS "deliverAtSecs"`;

/** @returns the waiting messages of an account, in the order of their times */
export async function listDeferredMessages(
  db: Queryable,
  senderId: number,
): Promise<WaitingMessage[]> {
  const { rows } = await db.query<WaitingMessage>({
    name: 'deferred-messages-list',
    text: `SELECT ${waitingColumns} FROM deferred_messages WHERE sender_id = $1 ORDER BY deliver_at, id
      LIMIT ${limits.deferredMessagesMax}`,
    values: [senderId],
  });
  return rows;
}

/** Stores a message until its time. */
export async function addDeferredMessage(
  client: Client,
  message: NewDeferredMessage,
  deliverAtMs: number,
): Promise<WaitingMessage> {
  const { rows } = await client.query<WaitingMessage>({
    name: 'deferred-message-add',
    text: `INSERT INTO deferred_messages (send_key, content_hash, sender_id, is_reminder, stream_id, participant_ids, topic, content,
        rendered_content, widget_content, client, deliver_at, due_at)
      VALUES ($1, decode($2, 'hex'), $3, $4, $5, $6, $7, $8, $9, $10, $11, to_timestamp($12::double precision / 1000),
        to_timestamp($12::double precision / 1000))
      RETURNING ${waitingColumns}`,
    values: [
      message.sendKey,
      message.contentHash,
      message.senderId,
      message.isReminder,
      message.streamId,
      message.participantIds,
      message.topic,
      message.content,
      message.renderedContent,
      message.widgetContent,
      message.clientName,
      deliverAtMs,
    ],
  });
  const [added] = rows;
  if (added === undefined) throw new Error('the insertion of a deferred message returned no row');
  return added;
}

/**
 * Deletes a message that no process has taken, so that it is never sent. Once it was taken it can only be sent or refused, because the
 * process that took it may send it at any time. The row's lock decides between the two.
 *
 * @returns `unknown` also for a message of another account
 */
export async function cancelDeferredMessage(
  client: Client,
  { id, senderId }: { readonly id: number; readonly senderId: number },
): Promise<'cancelled' | 'taken' | 'unknown'> {
  const own = [id, senderId];
  const { rowCount } = await client.query({
    name: 'deferred-message-cancel',
    text: 'DELETE FROM deferred_messages WHERE id = $1 AND sender_id = $2 AND attempts = 0',
    values: own,
  });
  if (rowCount === 1) return 'cancelled';
  const { rows } = await client.query({
    name: 'deferred-message-is-there',
    text: 'SELECT FROM deferred_messages WHERE id = $1 AND sender_id = $2',
    values: own,
  });
  return rows.length === 0 ? 'unknown' : 'taken';
}

/**
 * Claims a due message; no other process gets it for some seconds, and then any process may. Messages of one account are claimed in order:
 * one with fewer than two attempts delays the later ones. None is claimed while the organization is deactivated.
 *
 * @returns undefined when there is none
 */
export async function takeDueDeferredMessage(db: Queryable): Promise<DeferredMessage | undefined> {
  const { rows } = await db.query<DeferredMessage>({
    name: 'deferred-message-take',
    text: `UPDATE deferred_messages t SET attempts = attempts + 1,
        due_at = parley_now() + make_interval(secs => least(${claimMaxSecs}, ${claimSecs} * 2 ^ least(attempts, 10)))
      WHERE t.id = (
        SELECT d.id FROM deferred_messages d
        WHERE d.due_at <= parley_now() AND NOT EXISTS (SELECT FROM realm r WHERE r.is_deactivated)
          AND NOT EXISTS (SELECT FROM deferred_messages e
            WHERE e.sender_id = d.sender_id AND e.attempts < 2 AND (e.deliver_at, e.id) < (d.deliver_at, d.id))
        ORDER BY d.due_at, d.id LIMIT 1 FOR UPDATE OF d SKIP LOCKED)
      RETURNING id, send_key AS "sendKey", encode(content_hash, 'hex') AS "contentHash", sender_id AS "senderId",
        is_reminder AS "isReminder", stream_id AS "streamId", participant_ids AS "participantIds", topic, content,
        widget_content AS "widgetContent", client AS "clientName"`,
  });
  return rows[0];
}

/**
 * Deletes a message that was sent or refused.
 *
 * @returns false if another process did so before
 */
export async function removeDeferredMessage(client: Client, id: number): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'deferred-message-remove',
    text: 'DELETE FROM deferred_messages WHERE id = $1',
    values: [id],
  });
  return rowCount === 1;
}
