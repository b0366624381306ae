/**
 * Reactions (owner of `reactions`). All writes expect the message's row to be locked (`lockSeenMessage`): then the ids of the rows are
 * in the order of the log, a code has one name on a message whoever comes at the same moment, and no reaction outlives its message.
 */
import type { Client } from '@parley/database';

/** The interface's names for the kinds of emoji (reference facts, messages 15). */
export const reactionTypes = ['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'] as const;
export type ReactionType = (typeof reactionTypes)[number];

/** One user's reaction to one message. */
export type ReactionKey = {
  readonly messageId: number;
  readonly userId: number;
  readonly reactionType: string;
  readonly emojiCode: string;
};

export type AddedReaction =
  /** With the name that the first one to use the code on this message gave it. */
  | { readonly outcome: 'added'; readonly emojiName: string }
  /** The user has that code or that name there already. */
  | { readonly outcome: 'exists' }
  /** Nobody uses the code there, and it was not to be made new. */
  | { readonly outcome: 'unused' };

const addText = `WITH same AS (
    SELECT r.emoji_name FROM reactions r WHERE r.message_id = $1 AND r.reaction_type = $3 AND r.emoji_code = $4 ORDER BY r.id LIMIT 1
  ), added AS (
    INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name)
    SELECT $1::bigint, $2::integer, $3::text, $4::text, coalesce((SELECT s.emoji_name FROM same s), $5::text)
    WHERE $6::boolean OR EXISTS (SELECT 1 FROM same)
    ON CONFLICT DO NOTHING RETURNING emoji_name
  )
  SELECT (SELECT a.emoji_name FROM added a) AS "emojiName", EXISTS (SELECT 1 FROM same) AS "isUsed"`;

/**
 * Adds a reaction. Where somebody used the code on the message, his name for it is taken over.
 *
 * @param emojiName the name for a code that nobody used there
 * @param mayBeFirst whether name and code are valid, so that a code that nobody used there may be added
 */
export async function addReaction(
  client: Client,
  reaction: ReactionKey,
  emojiName: string,
  mayBeFirst: boolean,
): Promise<AddedReaction> {
  const { messageId, userId, reactionType, emojiCode } = reaction;
  const { rows } = await client.query<{ emojiName: string | null; isUsed: boolean }>({
    name: 'reactions-add',
    text: addText,
    values: [messageId, userId, reactionType, emojiCode, emojiName, mayBeFirst],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('adding a reaction answered nothing');
  if (row.emojiName !== null) return { outcome: 'added', emojiName: row.emojiName };
  return { outcome: row.isUsed || mayBeFirst ? 'exists' : 'unused' };
}

/** @returns the stored name of the reaction that was taken away, or undefined when the user has none like it there */
export async function removeReaction(
  client: Client,
  reaction: ReactionKey,
): Promise<string | undefined> {
  const { messageId, userId, reactionType, emojiCode } = reaction;
  const { rows } = await client.query<{ emojiName: string }>({
    name: 'reactions-remove',
    text: `DELETE FROM reactions WHERE message_id = $1 AND user_id = $2 AND reaction_type = $3 AND emoji_code = $4
      RETURNING emoji_name AS "emojiName"`,
    values: [messageId, userId, reactionType, emojiCode],
  });
  return rows[0]?.emojiName;
}

/** Takes away all reactions to messages that are being deleted. */
export async function deleteReactions(
  client: Client,
  messageIds: readonly number[],
): Promise<void> {
  await client.query({
    name: 'reactions-delete',
    text: 'DELETE FROM reactions WHERE message_id = ANY ($1::bigint[])',
    values: [messageIds],
  });
}
