/** Custom emoji (owner of `realm_emoji`). */
import type { Queryable } from '@parley/database';

/** A custom emoji; a deactivated one keeps its id and frees its name. */
export type RealmEmoji = {
  readonly id: number;
  readonly name: string;
  readonly isDeactivated: boolean;
};

/** The fields by which a reaction can name a custom emoji. */
export type RealmEmojiFacts = {
  /** The active one with the name. */
  readonly named: RealmEmoji | undefined;
  /** The one with the code, deactivated or not. */
  readonly coded: RealmEmoji | undefined;
};

// The code of a custom emoji is its id as text; longer numbers are not ids.
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

/** A custom emoji with its author. */
export type AuthoredEmoji = RealmEmoji & {
  readonly fileName: string;
  /** Null if the author is unknown. */
  readonly author: {
    readonly id: number;
    readonly email: string;
    readonly full_name: string;
  } | null;
};

/** @returns all custom emoji, deactivated ones included, by ascending id */
export async function listRealmEmoji(db: Queryable): Promise<AuthoredEmoji[]> {
  const { rows } = await db.query<AuthoredEmoji>({
    name: 'realm-emoji-list',
    text: `SELECT e.id, e.name, e.is_deactivated AS "isDeactivated", e.file_name AS "fileName",
        CASE WHEN u.id IS NOT NULL THEN json_build_object('id', u.id, 'email', u.email, 'full_name', u.full_name) END AS author
      FROM realm_emoji e LEFT JOIN users u ON u.id = e.author_id ORDER BY e.id`,
  });
  return rows;
}

/** Events contain the whole list, so changes run one at a time, under an advisory lock with this number. */
const emojiLock = 7_217_008;

/** Locks the custom emoji for a change; people are locked before. @returns all of them */
export async function lockRealmEmoji(db: Queryable): Promise<AuthoredEmoji[]> {
  await db.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [emojiLock] });
  return listRealmEmoji(db);
}

/** @returns an id for a new emoji */
export async function drawEmojiId(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ id: number }>({
    text: `SELECT nextval(pg_get_serial_sequence('realm_emoji', 'id'))::int AS id`,
  });
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('the sequence of emoji gave nothing');
  return id;
}

/** @returns whether there is a custom emoji, deactivated or not, whose picture is stored under this name */
export async function isEmojiFile(db: Queryable, id: number, fileName: string): Promise<boolean> {
  const { rows } = await db.query({
    name: 'realm-emoji-file',
    text: 'SELECT 1 FROM realm_emoji WHERE id = $1::bigint AND file_name = $2',
    values: [id, fileName],
  });
  return rows.length > 0;
}

/**
 * Adds a custom emoji.
 *
 * @param emoji.id from `drawEmojiId`; by default a new one
 * @param emoji.fileName the name under which its picture is stored
 * @returns its id, or undefined if an active emoji has the name
 */
export async function addRealmEmoji(
  db: Queryable,
  emoji: {
    readonly id?: number;
    readonly name: string;
    readonly authorId: number | undefined;
    readonly fileName: string;
  },
): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>({
    text: `INSERT INTO realm_emoji (id, name, author_id, file_name)
      VALUES (coalesce($4, nextval(pg_get_serial_sequence('realm_emoji', 'id'))), $1, $2, $3)
      ON CONFLICT (name) WHERE NOT is_deactivated DO NOTHING RETURNING id`,
    values: [emoji.name, emoji.authorId ?? null, emoji.fileName, emoji.id ?? null],
  });
  return rows[0]?.id;
}

/** Deactivates an emoji. @returns whether an active custom emoji had the name */
export async function deactivateRealmEmoji(db: Queryable, emojiName: string): Promise<boolean> {
  const { rowCount } = await db.query({
    text: 'UPDATE realm_emoji SET is_deactivated = true WHERE name = $1 AND NOT is_deactivated',
    values: [emojiName],
  });
  return rowCount !== 0;
}
