/** Submessages (owner of `submessages`). The send function writes those that come with a message, under ids drawn here first. */
import type { Client, Queryable } from '@parley/database';

/** @returns a new id */
export async function drawSubmessageId(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ id: number }>({
    name: 'submessages-draw-id',
    text: `SELECT nextval('submessage_ids') AS id`,
  });
  const [row] = rows;
  if (row === undefined) throw new Error('the sequence of submessages gave nothing');
  return row.id;
}

/** A message is always fetched with all its submessages, so their total size is bounded: enough for ten thousand votes. */
const contentBytesMax = 1_000_000;

/**
 * Adds a submessage to a message whose row is locked (`lockSeenMessage`), so that ids on one message are in the order of the log.
 *
 * @returns its id, or undefined if the message has reached the bound
 */
export async function addSubmessage(
  client: Client,
  submessage: {
    readonly messageId: number;
    readonly senderId: number;
    readonly msgType: string;
    readonly content: string;
  },
): Promise<number | undefined> {
  const { rows } = await client.query<{ id: number }>({
    name: 'submessages-add',
    text: `INSERT INTO submessages (message_id, sender_id, msg_type, content) SELECT $1::bigint, $2::integer, $3::text, $4::text
      WHERE octet_length($4::text) + coalesce((SELECT sum(octet_length(b.content)) FROM submessages b WHERE b.message_id = $1), 0) <= ${contentBytesMax}
      RETURNING id`,
    values: [submessage.messageId, submessage.senderId, submessage.msgType, submessage.content],
  });
  return rows[0]?.id;
}

/** Deletes all submessages of messages that are being deleted. */
export async function deleteSubmessages(
  client: Client,
  messageIds: readonly number[],
): Promise<void> {
  await client.query({
    name: 'submessages-delete',
    text: 'DELETE FROM submessages WHERE message_id = ANY ($1::bigint[])',
    values: [messageIds],
  });
}
