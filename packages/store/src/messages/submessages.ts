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
/** What one person adds to one message, so that nobody takes the room of all others: enough for many changes of mind about a long list. */
const ofOnePersonMax = 500;
const bytesOfOnePersonMax = 100_000;

export type AddedSubmessage =
  | { readonly outcome: 'added'; readonly id: number }
  /** Its sender did not send it with a widget. */
  | { readonly outcome: 'no widget' }
  | { readonly outcome: 'too many' };

const addText = `WITH present AS (
    SELECT s.id, s.sender_id, s.msg_type, octet_length(s.content) AS bytes FROM submessages s WHERE s.message_id = $1
  ), sums AS (
    SELECT coalesce(sum(p.bytes), 0) AS bytes, count(*) FILTER (WHERE p.sender_id = $2) AS count_of_person,
      coalesce(sum(p.bytes) FILTER (WHERE p.sender_id = $2), 0) AS bytes_of_person,
      EXISTS (SELECT 1 FROM present f, messages m WHERE m.id = $1 AND f.id = min(p.id) AND f.msg_type = 'widget' AND f.sender_id = m.sender_id)
        AS is_widget
    FROM present p
  ), added AS (
    INSERT INTO submessages (message_id, sender_id, msg_type, content) SELECT $1::bigint, $2::integer, $3::text, $4::text FROM sums s
    WHERE s.is_widget AND s.bytes + octet_length($4) <= ${contentBytesMax}
      AND s.count_of_person < ${ofOnePersonMax} AND s.bytes_of_person + octet_length($4) <= ${bytesOfOnePersonMax}
    RETURNING id
  )
  SELECT s.is_widget AS "isWidget", (SELECT a.id FROM added a) AS id FROM sums s`;

/**
 * Adds a submessage to a message whose row is locked (`lockSeenMessage`), so that ids on one message are in the order of the log. The first
 * one says what clients show in place of the text, in the name of the message's sender; so it comes with the message, and without it there
 * are none.
 */
export async function addSubmessage(
  client: Client,
  submessage: {
    readonly messageId: number;
    readonly senderId: number;
    readonly msgType: string;
    readonly content: string;
  },
): Promise<AddedSubmessage> {
  const { rows } = await client.query<{ isWidget: boolean; id: number | null }>({
    name: 'submessages-add',
    text: addText,
    values: [submessage.messageId, submessage.senderId, submessage.msgType, submessage.content],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('adding a submessage answered nothing');
  if (row.id !== null) return { outcome: 'added', id: row.id };
  return { outcome: row.isWidget ? 'too many' : 'no widget' };
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
