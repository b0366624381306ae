/**
 * Reactions (owner of `reactions`). All writes expect the message's row to be locked (`lockSeenMessage`). So the ids of the rows are in the
 * order of the log, a code has only one name on a message, and no reaction outlives its message.
 */
import type { Client } from '@parley/database';

/** The interface's names for the kinds of emoji (reference facts, messages 15). */
const reactionTypes = ['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'] as const;
export type ReactionType = (typeof reactionTypes)[number];

/** @throws TypeError for an unknown type, because the emoji was looked up by its type before */
export function reactionTypeOf(name: string): ReactionType {
  const found = reactionTypes.find((type) => type === name);
  if (found === undefined) throw new TypeError(`there is no type of reactions ${name}`);
  return found;
}

/** What identifies an emoji. */
export type EmojiKey = { readonly reactionType: string; readonly emojiCode: string };

/** An emoji with the name under which its reaction is stored. */
export type ReactedEmoji = EmojiKey & { readonly emojiName: string };

/** The user, the message and the emoji. */
export type Reacting = { readonly messageId: number; readonly userId: number };

export type AddedReaction =
  /** With the name that the first user of the code on this message gave it. */
  | { readonly outcome: 'added'; readonly emojiName: string }
  /** The user has already used that code or that name on the message. */
  | { readonly outcome: 'exists' }
  /** Nobody uses the code on the message, and it must not be the first. */
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
 * Adds a reaction. If the code was used on the message before, its earlier name is used again.
 *
 * @param emoji with the name for a code that is new on the message
 * @param mayBeFirst whether name and code are valid, so that a code that is new on the message may be added
 */
export async function addReaction(
  client: Client,
  { messageId, userId }: Reacting,
  { reactionType, emojiCode, emojiName }: ReactedEmoji,
  mayBeFirst: boolean,
): Promise<AddedReaction> {
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

/** The identity of a stored reaction; without a type, any type matches. */
export type StoredUnder = {
  readonly emojiName: string;
  readonly reactionType: string | undefined;
};

/**
 * Removes a reaction: one with this name, otherwise the one with this emoji.
 *
 * @returns undefined if the user has no such reaction on the message
 */
export async function removeReaction(
  client: Client,
  { messageId, userId }: Reacting,
  emoji: EmojiKey | undefined,
  stored: StoredUnder | undefined,
): Promise<ReactedEmoji | undefined> {
  const { rows } = await client.query<ReactedEmoji>({
    name: 'reactions-remove',
    text: `DELETE FROM reactions WHERE message_id = $1 AND user_id = $2 AND emoji_name = (
        SELECT r.emoji_name FROM reactions r WHERE r.message_id = $1 AND r.user_id = $2
          AND (r.reaction_type = $3 AND r.emoji_code = $4
            OR r.emoji_name = $5 AND r.reaction_type = coalesce($6, r.reaction_type))
        ORDER BY r.emoji_name IS DISTINCT FROM $5 LIMIT 1)
      RETURNING reaction_type AS "reactionType", emoji_code AS "emojiCode", emoji_name AS "emojiName"`,
    values: [
      messageId,
      userId,
      emoji?.reactionType ?? null,
      emoji?.emojiCode ?? null,
      stored?.emojiName ?? null,
      stored?.reactionType ?? null,
    ],
  });
  return rows[0];
}

/** Deletes all reactions to messages that are being deleted. */
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
