/** Custom emoji (owner of `realm_emoji`). */
import type { Queryable } from '@parley/database';

/** A custom emoji; a deactivated one keeps its id and frees its name. */
export type RealmEmoji = {
  readonly id: number;
  readonly name: string;
  readonly isDeactivated: boolean;
};

/** What a reaction can name a custom emoji by. */
export type RealmEmojiFacts = {
  /** The active one of the name. */
  readonly named: RealmEmoji | undefined;
  /** The one with the code, deactivated or not. */
  readonly coded: RealmEmoji | undefined;
};

// As text the id of a custom emoji is its code; longer numbers are no ids.
const code = /^[1-9]\d{0,8}$/;

/**
 * Finds custom emoji by name and by code in one statement.
 *
 * @param emojiCode the id as decimal text; any other text finds nothing
 */
export async function findRealmEmoji(
  db: Queryable,
  emojiName: string | undefined,
  emojiCode: string | undefined,
): Promise<RealmEmojiFacts> {
  const id = emojiCode !== undefined && code.test(emojiCode) ? Number(emojiCode) : undefined;
  const { rows } = await db.query<RealmEmoji>({
    name: 'realm-emoji-find',
    text: `SELECT e.id, e.name, e.is_deactivated AS "isDeactivated" FROM realm_emoji e
      WHERE (e.name = $1::text AND NOT e.is_deactivated) OR e.id = $2::integer`,
    values: [emojiName ?? null, id ?? null],
  });
  return {
    named: rows.find((emoji) => emoji.name === emojiName && !emoji.isDeactivated),
    coded: rows.find((emoji) => emoji.id === id),
  };
}

/**
 * Adds a custom emoji.
 *
 * @param emoji.fileName the name under which its picture is kept
 * @returns its id, or undefined when an active one has the name
 */
export async function addRealmEmoji(
  db: Queryable,
  emoji: {
    readonly name: string;
    readonly authorId: number | undefined;
    readonly fileName: string;
  },
): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>({
    text: `INSERT INTO realm_emoji (name, author_id, file_name) VALUES ($1, $2, $3)
      ON CONFLICT (name) WHERE NOT is_deactivated DO NOTHING RETURNING id`,
    values: [emoji.name, emoji.authorId ?? null, emoji.fileName],
  });
  return rows[0]?.id;
}

/** @returns whether an active custom emoji had the name; it is deactivated then */
export async function deactivateRealmEmoji(db: Queryable, emojiName: string): Promise<boolean> {
  const { rowCount } = await db.query({
    text: 'UPDATE realm_emoji SET is_deactivated = true WHERE name = $1 AND NOT is_deactivated',
    values: [emojiName],
  });
  return rowCount !== 0;
}
