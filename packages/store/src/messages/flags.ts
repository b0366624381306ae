/**
 * Flags other than `read`, as sparse rows, and late receipts (owner of `message_flags` and `late_receipts`). A row stores only the
 * difference from the flags that follow from the message itself; it counts only for those who hold the message.
 */
import type { Client, Queryable } from '@parley/database';

import { idPieces } from '../lists/id-pieces.ts';
import { flagBits, flagBitsSql, readWithoutExceptionSql, shownFlagBitsSql } from './message-sql.ts';
import type { FlagName } from './message-sql.ts';
import { lockReadState, markRead, markUnread } from '../read-state/read-state.ts';
import { canHoldSql, holdsMessageSql, isKeptForSql } from '../visibility/visibility-sql.ts';

// Flags that can follow from the message itself, so that their removal must be stored.
const impliedBits = flagBits.mentioned | flagBits.wildcard_mentioned | flagBits.has_alert_word;

const setText = `WITH wanted AS MATERIALIZED (
    SELECT m.id, m.scope FROM messages m WHERE m.id = ANY ($2::bigint[]) AND ${holdsMessageSql('m', '$1')}
  ), written AS (
    INSERT INTO message_flags (user_id, message_id, scope, set_bits, cleared_bits)
    SELECT $1, w.id, w.scope, CASE WHEN $4 THEN $3::integer ELSE 0 END, CASE WHEN $4 THEN 0 ELSE $3 & ${impliedBits} END
    FROM wanted w
    WHERE $4::boolean OR $3 & ${impliedBits} <> 0
      OR EXISTS (SELECT 1 FROM message_flags f WHERE f.user_id = $1 AND f.message_id = w.id)
    ORDER BY w.id
    ON CONFLICT (user_id, message_id) DO UPDATE SET
      set_bits = (message_flags.set_bits & ~$3) | excluded.set_bits,
      cleared_bits = (message_flags.cleared_bits & ~$3) | excluded.cleared_bits
  )
  SELECT w.id FROM wanted w`;

/**
 * Sets or clears a flag of the contract's list, including `read`, on messages that the user holds, and ignores the others. Repeating it
 * changes nothing.
 *
 * @returns the ids among `messageIds` that the user holds, in no particular order
 */
export async function changeFlag(
  client: Client,
  userId: number,
  messageIds: readonly number[],
  flag: FlagName,
  operation: 'add' | 'remove',
): Promise<number[]> {
  if (flag === 'read') {
    return operation === 'add'
      ? markRead(client, userId, messageIds)
      : markUnread(client, userId, messageIds);
  }
  const held: number[] = [];
  for (const piece of idPieces(messageIds)) {
    const { rows } = await client.query<{ id: number }>({
      name: 'flags-change',
      text: setText,
      values: [userId, piece, flagBits[flag], operation === 'add'],
    });
    for (const row of rows) held.push(row.id);
  }
  return held;
}

/**
 * Lets a user hold a message that the user may see but does not hold: read, flagged historical, and nothing else (reference facts, messages
 * 10.1). Nothing follows from its text, because it was not sent to the user: neither a mention nor alert words. The caller has checked that
 * the user may see it and locked it (`lockSeenMessage`), so that simultaneous changes by others reach the user. The receipt outlives the
 * star or reaction that created it. Outgoing-webhook and embedded bots never hold messages.
 */
export async function addLateReceipt(
  client: Client,
  userId: number,
  messageId: number,
): Promise<void> {
  await lockReadState(client, [userId]);
  await client.query({
    name: 'flags-late-receipt',
    text: `WITH target AS (
        SELECT m.* FROM messages m WHERE m.id = $2 AND NOT ${holdsMessageSql('m', '$1::integer')}
          AND ${canHoldSql('$1::integer')}
      ), receipt AS (
        INSERT INTO late_receipts (user_id, message_id) SELECT $1, t.id FROM target t ON CONFLICT DO NOTHING
      ), excepted AS (
        INSERT INTO read_exceptions (user_id, message_id, conversation_id, stream_id, is_read)
        SELECT $1, t.id, t.read_conversation_id, t.stream_id, true FROM target t WHERE NOT ${readWithoutExceptionSql('t', '$1')}
        ON CONFLICT (user_id, message_id) DO UPDATE SET is_read = true
      )
      INSERT INTO message_flags (user_id, message_id, scope, set_bits, cleared_bits)
      SELECT $1, t.id, t.scope, ${flagBits.historical}, ${impliedBits} FROM target t
      ON CONFLICT (user_id, message_id) DO UPDATE SET set_bits = excluded.set_bits, cleared_bits = excluded.cleared_bits`,
    values: [userId, messageId],
  });
}

/**
 * Removes the wildcard mentions of a new account from messages that it holds from before its creation.
 *
 * @param firstId the first of these messages in the streams
 */
export async function clearWildcardMentions(
  client: Client,
  userId: number,
  streamIds: readonly number[],
  firstId: number,
): Promise<void> {
  await client.query({
    name: 'flags-clear-wildcards',
    text: `INSERT INTO message_flags (user_id, message_id, scope, cleared_bits)
      SELECT $1, m.id, m.scope, ${flagBits.wildcard_mentioned} FROM messages m
      WHERE m.stream_id = ANY ($2::integer[]) AND m.id >= $3 AND m.mentions_wildcard`,
    values: [userId, streamIds, firstId],
  });
}

/** A message as one user holds it. */
export type MessageOfUser = { readonly userId: number; readonly messageId: number };

/** @returns for each pair the user's flags on the message as bits, `read` included; 0 if there is no such message */
export async function listFlagsOfHolders(
  db: Queryable,
  pairs: readonly MessageOfUser[],
): Promise<number[]> {
  const { rows } = await db.query<{ bits: number | null }>({
    name: 'flags-of-holders',
    text: `SELECT (SELECT ${shownFlagBitsSql('m', 'asked.user_id')} FROM messages m WHERE m.id = asked.message_id) AS bits
      FROM unnest($1::integer[], $2::bigint[]) WITH ORDINALITY AS asked (user_id, message_id, n) ORDER BY asked.n`,
    values: [pairs.map(({ userId }) => userId), pairs.map(({ messageId }) => messageId)],
  });
  return rows.map((row) => row.bits ?? 0);
}

/** The most starred messages that the register answer lists (reference facts, events 4). */
const starredListedMax = 10_000;

/** @returns the ids of the user's starred messages, ascending, the newest `starredListedMax` at most */
export async function listStarred(db: Queryable, userId: number): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>({
    name: 'flags-starred',
    text: `SELECT m.id FROM message_flags f JOIN messages m ON m.id = f.message_id
      WHERE f.user_id = $1 AND f.set_bits & ${flagBits.starred} <> 0 AND ${flagBitsSql('m', '$1')} & ${flagBits.starred} <> 0
        AND ${holdsMessageSql('m', '$1')}
      ORDER BY m.id DESC LIMIT ${starredListedMax}`,
    values: [userId],
  });
  return rows.map((row) => row.id).toReversed();
}

const renewText = `WITH others AS (
    UPDATE message_flags SET set_bits = set_bits & ~${impliedBits}, cleared_bits = cleared_bits & ~${impliedBits}
    WHERE message_id = $1 AND user_id <> ALL ($2::integer[]) AND (set_bits | cleared_bits) & ${impliedBits} <> 0
      AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = message_flags.message_id AND ${isKeptForSql('m', 'message_flags.user_id')})
  )
  INSERT INTO message_flags (user_id, message_id, scope, set_bits)
  SELECT named, m.id, m.scope, ${flagBits.mentioned} FROM unnest($2::integer[]) named JOIN messages m ON m.id = $1::bigint
  WHERE NOT ${isKeptForSql('m', 'named')} ORDER BY named
  ON CONFLICT (user_id, message_id) DO UPDATE SET
    set_bits = (message_flags.set_bits & ~${impliedBits}) | ${flagBits.mentioned},
    cleared_bits = message_flags.cleared_bits & ~${impliedBits}`;

/**
 * Makes the flags that follow from a message's text follow from it alone again, for everybody (reference facts, messages 12: they are
 * recomputed, set and cleared), except for those who see the message only as it was kept. Manual changes of these flags belonged to the earlier text; other flags stay. The caller has locked the
 * message.
 *
 * @param mentionedIds the users that the new text mentions
 */
export async function renewImpliedFlags(
  client: Client,
  messageId: number,
  mentionedIds: readonly number[],
): Promise<void> {
  await client.query({
    name: 'flags-renew',
    text: renewText,
    values: [messageId, [...new Set(mentionedIds)].toSorted((a, b) => a - b)],
  });
}

/** Deletes the flags and late receipts of messages that are being deleted. */
export async function deleteFlags(client: Client, messageIds: readonly number[]): Promise<void> {
  await client.query({
    name: 'flags-delete',
    text: `WITH flags AS (DELETE FROM message_flags WHERE message_id = ANY ($1::bigint[]))
      DELETE FROM late_receipts WHERE message_id = ANY ($1::bigint[])`,
    values: [messageIds],
  });
}
