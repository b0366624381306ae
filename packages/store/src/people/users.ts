import { botTypes, foldName } from '@parley/api';
import type { BotType, Role } from '@parley/api';
import type { Queryable } from '@parley/database';

import type { UserSettings } from '@parley/api/people';

/**
 * People and bots, their activity and role over time (owner of `users` and `account_periods`, with `new-users.ts`).
 *
 * A change of role or activity locks the account FOR UPDATE. A transaction that relies on an account being active (subscribing it, for
 * instance) locks it FOR KEY SHARE. So each waits for the other.
 */

export type User = {
  readonly id: number;
  /** The address that others see and that identifies the account (reference facts, people 7.7). */
  readonly email: string;
  /** The real address, for sign-in; if it differs, only the account itself and administrators see it. */
  readonly deliveryEmail: string;
  readonly fullName: string;
  readonly shortName: string;
  readonly role: Role;
  readonly isActive: boolean;
  /** System bots send notices; they have no owner and are not in lists of people. */
  readonly isSystem: boolean;
  readonly botType: BotType | null;
  readonly botOwnerId: number | null;
  readonly recipientId: number;
  readonly avatarSource: 'G' | 'U';
  readonly avatarVersion: number;
  readonly timezone: string;
  /** The stored settings; `userSettings` applies them over the defaults. */
  readonly settings: Partial<UserSettings>;
  readonly pointer: number;
  readonly defaultSendingStreamId: number | null;
  readonly defaultEventsRegisterStreamId: number | null;
  readonly defaultAllPublicStreams: boolean;
  /** ISO 8601 with microseconds and `+00:00` (reference facts, people 7.1). */
  readonly dateJoined: string;
};

/** The columns of a User, from a table with the alias `u`. */
export const userColumns = `u.id, u.email, coalesce(u.delivery_email, u.email) AS "deliveryEmail", u.full_name AS "fullName", u.short_name AS "shortName", u.role, u.is_active AS "isActive",
  u.is_system AS "isSystem", u.bot_type AS "botType", u.bot_owner_id AS "botOwnerId", u.recipient_id AS "recipientId",
  u.avatar_source AS "avatarSource", u.avatar_version AS "avatarVersion", u.timezone, u.settings, u.pointer,
  u.default_sending_stream_id AS "defaultSendingStreamId",
  u.default_events_register_stream_id AS "defaultEventsRegisterStreamId",
  u.default_all_public_streams AS "defaultAllPublicStreams",
  to_char(u.date_joined AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"') AS "dateJoined"`;

/** @returns the user, active or not, or undefined */
export async function findUserById(db: Queryable, userId: number): Promise<User | undefined> {
  const { rows } = await db.query<User>({
    name: 'store-find-user-by-id',
    text: `SELECT ${userColumns} FROM users u WHERE u.id = $1::bigint`,
    values: [userId],
  });
  return rows[0];
}

/**
 * @returns the user, active or not
 * @throws Error if there is none: the caller knows the id from a row or a signed identity
 */
export async function getUser(db: Queryable, userId: number): Promise<User> {
  const user = await findUserById(db, userId);
  if (user === undefined) throw new Error(`there is no user ${userId}`);
  return user;
}

/** @returns the existing users with these ids, active or not, by ascending id */
export async function findUsersByIds(db: Queryable, userIds: readonly number[]): Promise<User[]> {
  const { rows } = await db.query<User>({
    name: 'store-find-users-by-ids',
    text: `SELECT ${userColumns} FROM users u WHERE u.id = ANY ($1::int[]) ORDER BY u.id`,
    values: [userIds],
  });
  return rows;
}

/** @returns the user with this address in any letter case, active or not, or undefined */
export async function findUserByEmail(db: Queryable, email: string): Promise<User | undefined> {
  const { rows } = await db.query<User>({
    name: 'store-find-user-by-email',
    text: `SELECT ${userColumns} FROM users u WHERE u.email_folded = $1`,
    values: [foldName(email)],
  });
  return rows[0];
}

/** @returns the existing users with these addresses (any letter case), active or not, by ascending id */
export async function findUsersByEmails(db: Queryable, emails: readonly string[]): Promise<User[]> {
  const { rows } = await db.query<User>({
    name: 'store-find-users-by-emails',
    text: `SELECT ${userColumns} FROM users u WHERE u.email_folded = ANY ($1::text[]) ORDER BY u.id`,
    values: [emails.map(foldName)],
  });
  return rows;
}

/** @returns all accounts of the organization, active or not, by ascending id; system bots only on request */
export async function listUsers(
  db: Queryable,
  options: { readonly system?: 'without' | 'only' } = {},
): Promise<User[]> {
  const { rows } = await db.query<User>({
    name: 'store-list-users',
    text: `SELECT ${userColumns} FROM users u WHERE u.is_system = $1 ORDER BY u.id`,
    values: [options.system === 'only'],
  });
  return rows;
}

/** The data for a sign-in. */
export type SignInAccount = User & { readonly passwordHash: string | null };

/** @returns the account with this real address in any letter case, with the hash of its password */
export async function findSignInAccount(
  db: Queryable,
  email: string,
): Promise<SignInAccount | undefined> {
  const { rows } = await db.query<SignInAccount>({
    name: 'store-find-sign-in-account',
    text: `SELECT ${userColumns}, u.password_hash AS "passwordHash" FROM users u
      WHERE coalesce(u.delivery_email_folded, u.email_folded) = $1`,
    values: [foldName(email)],
  });
  return rows[0];
}

/** @returns whether an account, active or not, has this address (any letter case), as the real or the shown one */
export async function isEmailTaken(db: Queryable, email: string): Promise<boolean> {
  const { rows } = await db.query<{ taken: boolean }>({
    text: `SELECT EXISTS (SELECT 1 FROM users WHERE email_folded = $1)
      OR EXISTS (SELECT 1 FROM users WHERE coalesce(delivery_email_folded, email_folded) = $1) AS taken`,
    values: [foldName(email)],
  });
  return rows[0]?.taken ?? false;
}

/** Stores where the account last read (reference facts, events 15.5); the caller has locked the account. */
export async function setPointer(db: Queryable, userId: number, messageId: number): Promise<void> {
  await db.query({
    text: 'UPDATE users SET pointer = $2 WHERE id = $1',
    values: [userId, messageId],
  });
}

/** The part before the `@` in the address of the notification bot, by which clients know it. */
const notificationBotName = 'notification-bot';

/** @returns the notification bot, or undefined if the organization has none */
export async function findNotificationBot(db: Queryable): Promise<User | undefined> {
  const { rows } = await db.query<User>({
    name: 'store-find-notification-bot',
    text: `SELECT ${userColumns} FROM users u WHERE u.is_system AND u.is_active AND split_part(u.email, '@', 1) = $1
      ORDER BY u.id LIMIT 1`,
    values: [notificationBotName],
  });
  return rows[0];
}

/** The role of an account, and whether it is active. */
export type AccountState = Pick<User, 'id' | 'role' | 'isActive'>;

/**
 * Sets roles and activity and begins a new account period for each account; the caller has locked the accounts FOR UPDATE.
 * `closeAccountMemberships` and `openAccountMemberships` close and open membership periods in the same transaction.
 *
 * @param states each account once
 */
export async function setAccountStates(
  db: Queryable,
  states: readonly AccountState[],
  changeId: number,
): Promise<void> {
  if (states.length === 0) return;
  const userIds = states.map(({ id }) => id);
  await db.query({
    text: `UPDATE users AS u SET role = s.role, is_active = s.is_active, deleted_by_scim = u.deleted_by_scim AND NOT s.is_active
      FROM unnest($1::int[], $2::text[], $3::boolean[]) AS s (id, role, is_active) WHERE u.id = s.id`,
    values: [userIds, states.map(({ role }) => role), states.map(({ isActive }) => isActive)],
  });
  await db.query({
    text: 'UPDATE account_periods SET until_change_id = $2 WHERE user_id = ANY ($1::int[]) AND until_change_id IS NULL',
    values: [userIds, changeId],
  });
  await db.query({
    text: `INSERT INTO account_periods (user_id, role, is_active, from_change_id)
      SELECT u.id, u.role, u.is_active, $2 FROM users u WHERE u.id = ANY ($1::int[])`,
    values: [userIds, changeId],
  });
}

/** Role and activity of an account from a position up to (but not including) another; null means no end. */
export type AccountPeriod = {
  readonly userId: number;
  readonly role: Role;
  readonly isActive: boolean;
  readonly fromPosition: number;
  readonly untilPosition: number | null;
};

/** @returns the account periods of the users, by user and position */
export async function accountPeriodsOf(
  db: Queryable,
  userIds: readonly number[],
): Promise<AccountPeriod[]> {
  const { rows } = await db.query<AccountPeriod>({
    name: 'store-account-periods',
    text: `SELECT p.user_id AS "userId", p.role, p.is_active AS "isActive", f.position AS "fromPosition",
        t.position AS "untilPosition"
      FROM account_periods p JOIN changes f ON f.id = p.from_change_id LEFT JOIN changes t ON t.id = p.until_change_id
      WHERE p.user_id = ANY ($1::int[]) ORDER BY p.user_id, f.position`,
    values: [userIds],
  });
  return rows;
}

/** The properties of an account that may change, except role and activity; absent members stay unchanged. */
export type UserChange = {
  readonly fullName?: string;
  readonly timezone?: string;
  /** Applied over the stored ones. */
  readonly settings?: Partial<UserSettings>;
  readonly passwordHash?: string;
  /** Whether the picture is a Gravatar or uploaded; if given, its version increases. */
  readonly avatarSource?: 'G' | 'U';
  readonly botOwnerId?: number;
  readonly defaultSendingStreamId?: number | null;
  readonly defaultEventsRegisterStreamId?: number | null;
  readonly defaultAllPublicStreams?: boolean;
};

/**
 * Changes an account that the caller has locked.
 *
 * @returns the account after the change
 */
export async function updateUser(db: Queryable, userId: number, change: UserChange): Promise<User> {
  const columns: readonly (readonly [string, unknown])[] = [
    ['full_name', change.fullName],
    ['full_name_folded', change.fullName === undefined ? undefined : foldName(change.fullName)],
    ['timezone', change.timezone],
    ['password_hash', change.passwordHash],
    ['avatar_source', change.avatarSource],
    ['bot_owner_id', change.botOwnerId],
    ['default_sending_stream_id', change.defaultSendingStreamId],
    ['default_events_register_stream_id', change.defaultEventsRegisterStreamId],
    ['default_all_public_streams', change.defaultAllPublicStreams],
  ];
  const given = columns.filter(([, value]) => value !== undefined);
  const sets = given.map(([column], n) => `${column} = $${n + 3}`);
  if (change.avatarSource !== undefined) sets.push('avatar_version = avatar_version + 1');
  const { rows } = await db.query<User>({
    text: `UPDATE users AS u SET ${['settings = settings || $2::jsonb', ...sets].join(', ')}
      WHERE u.id = $1 RETURNING ${userColumns}`,
    values: [userId, JSON.stringify(change.settings ?? {}), ...given.map(([, value]) => value)],
  });
  const updated = rows[0];
  if (updated === undefined) throw new Error(`there is no user ${userId}`);
  return updated;
}

/**
 * Changes the real and the shown address of an account that the caller has locked.
 *
 * @param emails.shown from `shownEmail`
 * @throws the database's unique violation if another account has one of them
 */
export async function setUserEmail(
  db: Queryable,
  userId: number,
  emails: { readonly delivery: string; readonly shown: string },
): Promise<void> {
  const isHidden = emails.shown !== emails.delivery;
  await db.query({
    text: `UPDATE users SET email = $2, email_folded = $3, delivery_email = $4, delivery_email_folded = $5 WHERE id = $1`,
    values: [
      userId,
      emails.shown,
      foldName(emails.shown),
      isHidden ? emails.delivery : null,
      isHidden ? foldName(emails.delivery) : null,
    ],
  });
}

/** @returns ids of active accounts, people and bots but no system bots, up to the given number */
export async function listActiveUserIds(db: Queryable, countMax: number): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>({
    text: 'SELECT id FROM users WHERE is_active AND NOT is_system ORDER BY id LIMIT $1',
    values: [countMax],
  });
  return rows.map(({ id }) => id);
}

/**
 * Read before a bot is created, transferred or reactivated. The count stays valid until then: bots are created one at a time
 * (`isBotNameFree`), and neither transferred nor reactivated meanwhile (`lockAdministratorsInUse`, `lockUsersForActivityChange`).
 *
 * @returns how many active bots a person owns
 */
export async function countActiveBots(db: Queryable, ownerId: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    text: 'SELECT count(*)::int AS count FROM users WHERE bot_owner_id = $1 AND is_active',
    values: [ownerId],
  });
  return rows[0]?.count ?? 0;
}

/** In the form of the index of bots. Without statistics `IS NOT NULL` counts as true of nearly everybody. */
function isBotSql(u: string): string {
  return `${u}.bot_type IN (${Object.values(botTypes).join(', ')})`;
}

/** @returns bots, active or not, in the order of their creation: all of the organization, or those of one owner */
export async function listBots(db: Queryable, ownerId?: number): Promise<User[]> {
  const { rows } = await db.query<User>({
    name: 'store-list-bots',
    text: `SELECT ${userColumns} FROM users u
      WHERE ${isBotSql('u')} AND NOT u.is_system AND ($1::int IS NULL OR u.bot_owner_id = $1::int)
      ORDER BY u.date_joined, u.id`,
    values: [ownerId ?? null],
  });
  return rows;
}
