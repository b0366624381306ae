import { foldName } from '@parley/contracts';
import type { Role } from '@parley/contracts';
import type { Queryable } from '@parley/database';

import { setApiKey } from './api-keys.ts';
import type { KeySecrets } from './api-keys.ts';
import type { UserSettings } from './user-settings.ts';

/**
 * People and bots, their activity and role over time (owner of `users` and `account_periods`).
 *
 * Whoever alters role or activity locks the account FOR UPDATE; whoever acts on an account's being active (subscribing it,
 * for instance) locks it FOR KEY SHARE. So neither can pass the other unnoticed.
 */

export type User = {
  readonly id: number;
  readonly email: string;
  readonly fullName: string;
  readonly shortName: string;
  readonly role: Role;
  readonly isActive: boolean;
  /** System bots send notices; they are nobody's and are left out of lists of people. */
  readonly isSystem: boolean;
  readonly botType: number | null;
  readonly botOwnerId: number | null;
  readonly recipientId: number;
  readonly avatarSource: 'G' | 'U';
  readonly avatarVersion: number;
  readonly timezone: string;
  /** What was set; `userSettings` lays it over the defaults. */
  readonly settings: Partial<UserSettings>;
  readonly pointer: number;
  readonly defaultSendingStreamId: number | null;
  readonly defaultEventsRegisterStreamId: number | null;
  readonly defaultAllPublicStreams: boolean;
  /** ISO 8601 with microseconds and `+00:00` (reference facts, people 7.1). */
  readonly dateJoined: string;
};

const columns = `u.id, u.email, u.full_name AS "fullName", u.short_name AS "shortName", u.role, u.is_active AS "isActive",
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
    text: `SELECT ${columns} FROM users u WHERE u.id = $1::bigint`,
    values: [userId],
  });
  return rows[0];
}

/**
 * @returns the user, active or not
 * @throws Error when there is none: whoever asks knows the id from a row or a signed identity
 */
export async function getUser(db: Queryable, userId: number): Promise<User> {
  const user = await findUserById(db, userId);
  if (user === undefined) throw new Error(`there is no user ${userId}`);
  return user;
}

/** @returns the users that exist among the ids, active or not, by ascending id */
export async function findUsersByIds(db: Queryable, userIds: readonly number[]): Promise<User[]> {
  const { rows } = await db.query<User>({
    name: 'store-find-users-by-ids',
    text: `SELECT ${columns} FROM users u WHERE u.id = ANY ($1::int[]) ORDER BY u.id`,
    values: [userIds],
  });
  return rows;
}

/** @returns the user with this address in any letter case, active or not, or undefined */
export async function findUserByEmail(db: Queryable, email: string): Promise<User | undefined> {
  const { rows } = await db.query<User>({
    name: 'store-find-user-by-email',
    text: `SELECT ${columns} FROM users u WHERE u.email_folded = $1`,
    values: [foldName(email)],
  });
  return rows[0];
}

/** @returns the users that exist among the addresses (any letter case), active or not, by ascending id */
export async function findUsersByEmails(db: Queryable, emails: readonly string[]): Promise<User[]> {
  const { rows } = await db.query<User>({
    name: 'store-find-users-by-emails',
    text: `SELECT ${columns} FROM users u WHERE u.email_folded = ANY ($1::text[]) ORDER BY u.id`,
    values: [emails.map(foldName)],
  });
  return rows;
}

/** @returns all accounts of the organization, active or not, by ascending id; with system bots only if asked for */
export async function listUsers(
  db: Queryable,
  options: { readonly system?: 'without' | 'only' } = {},
): Promise<User[]> {
  const { rows } = await db.query<User>({
    name: 'store-list-users',
    text: `SELECT ${columns} FROM users u WHERE u.is_system = $1 ORDER BY u.id`,
    values: [options.system === 'only'],
  });
  return rows;
}

/** What a sign-in needs. */
export type SignInAccount = User & { readonly passwordHash: string | null };

/** @returns the account with this address in any letter case, with its password's hash */
export async function findSignInAccount(
  db: Queryable,
  email: string,
): Promise<SignInAccount | undefined> {
  const { rows } = await db.query<SignInAccount>({
    text: `SELECT ${columns}, u.password_hash AS "passwordHash" FROM users u WHERE u.email_folded = $1`,
    values: [foldName(email)],
  });
  return rows[0];
}

export type NewUser = {
  readonly email: string;
  readonly fullName: string;
  /** By default the part of the address before the `@`. */
  readonly shortName?: string;
  readonly role?: Role;
  readonly botType?: number | null;
  readonly botOwnerId?: number | null;
  readonly isSystem?: boolean;
  /** From `hashPassword`; without one the account cannot sign in by password. */
  readonly passwordHash?: string | null;
  /** By default a random one; system bots get none. */
  readonly apiKey?: string;
  readonly timezone?: string;
  readonly settings?: Partial<UserSettings>;
};

/**
 * Creates an active account with its key, its account period and its row of read state. The caller's log entry has to carry
 * the `account` effect and the change; membership in default streams is the caller's to add.
 *
 * @param changeId the change at which the account begins to exist
 * @returns the account and its key (null for system bots)
 * @throws the database's unique violation when the address is taken
 */
export async function createUser(
  db: Queryable,
  secrets: KeySecrets,
  user: NewUser,
  changeId: number,
): Promise<{ user: User; apiKey: string | null }> {
  const role = user.role ?? 'member';
  const { rows } = await db.query<User>({
    text: `INSERT INTO users AS u (email, email_folded, full_name, full_name_folded, short_name, role, is_system, bot_type,
        bot_owner_id, password_hash, timezone, settings)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING ${columns}`,
    values: [
      user.email,
      foldName(user.email),
      user.fullName,
      foldName(user.fullName),
      user.shortName ?? user.email.split('@')[0],
      role,
      user.isSystem ?? false,
      user.botType ?? null,
      user.botOwnerId ?? null,
      user.passwordHash ?? null,
      user.timezone ?? '',
      JSON.stringify(user.settings ?? {}),
    ],
  });
  const created = rows[0];
  if (created === undefined) throw new Error('the insertion of a user returned no row');
  await db.query({
    text: `WITH period AS (
        INSERT INTO account_periods (user_id, role, is_active, from_change_id) VALUES ($1, $2, true, $3))
      INSERT INTO read_users (user_id) VALUES ($1) ON CONFLICT DO NOTHING`,
    values: [created.id, role, changeId],
  });
  const apiKey =
    created.isSystem && user.apiKey === undefined
      ? null
      : await setApiKey(db, secrets, created.id, user.apiKey);
  return { user: created, apiKey };
}

/**
 * Locks accounts so that their role and activity stay as they are until the transaction ends.
 *
 * @returns the accounts with these ids or addresses, by ascending id
 */
export async function lockUsersInUse(
  db: Queryable,
  who: { readonly userIds: readonly number[]; readonly emails?: readonly string[] },
): Promise<User[]> {
  const { rows } = await db.query<User>({
    text: `SELECT ${columns} FROM users u WHERE u.id = ANY ($1::int[]) OR u.email_folded = ANY ($2::text[])
      ORDER BY u.id FOR KEY SHARE`,
    values: [who.userIds, (who.emails ?? []).map(foldName)],
  });
  return rows;
}

/**
 * Locks an account for a change of something of its own that its events tell whole: no two such changes pass one another. Role and
 * activity stay as they are meanwhile.
 *
 * @returns the account, or undefined when there is none
 */
export async function lockUserForOwnChange(
  db: Queryable,
  userId: number,
): Promise<User | undefined> {
  const { rows } = await db.query<User>({
    name: 'store-lock-user-for-own-change',
    text: `SELECT ${columns} FROM users u WHERE u.id = $1 FOR NO KEY UPDATE`,
    values: [userId],
  });
  return rows[0];
}

/** Sets where the account last read (reference facts, events 15.5); the account is locked by the caller. */
export async function setPointer(db: Queryable, userId: number, messageId: number): Promise<void> {
  await db.query({
    text: 'UPDATE users SET pointer = $2 WHERE id = $1',
    values: [userId, messageId],
  });
}

/** The part before the `@` of the address of the system bot that sends notices; clients know it by this. */
const notificationBotName = 'notification-bot';

/** @returns the system bot that sends notices, or undefined where the organization has none */
export async function findNotificationBot(db: Queryable): Promise<User | undefined> {
  const { rows } = await db.query<User>({
    name: 'store-find-notification-bot',
    text: `SELECT ${columns} FROM users u WHERE u.is_system AND u.is_active AND split_part(u.email, '@', 1) = $1
      ORDER BY u.id LIMIT 1`,
    values: [notificationBotName],
  });
  return rows[0];
}

/**
 * Locks, for a change of activity, an account, its bots and every active human administrator: no two requests can then each
 * take away what the other counts on as the last administrator.
 *
 * @returns the accounts by ascending id
 */
export async function lockUsersForActivityChange(db: Queryable, userId: number): Promise<User[]> {
  const { rows } = await db.query<User>({
    text: `SELECT ${columns} FROM users u WHERE u.id = $1::bigint OR u.bot_owner_id = $1::bigint
        OR (u.role = 'administrator' AND u.is_active AND u.bot_type IS NULL AND NOT u.is_system)
      ORDER BY u.id FOR UPDATE`,
    values: [userId],
  });
  return rows;
}

/**
 * Sets activity and begins a new account period for each account; the accounts are locked by the caller. Membership periods
 * are closed and opened by `closeAccountMemberships` and `openAccountMemberships` in the same transaction.
 */
export async function setUsersActive(
  db: Queryable,
  userIds: readonly number[],
  isActive: boolean,
  changeId: number,
): Promise<void> {
  await db.query({
    text: 'UPDATE users SET is_active = $2 WHERE id = ANY ($1::int[])',
    values: [userIds, isActive],
  });
  await beginAccountPeriods(db, userIds, changeId);
}

/** Sets a role and begins a new account period; the account is locked by the caller with FOR UPDATE. */
export async function setUserRole(
  db: Queryable,
  userId: number,
  role: Role,
  changeId: number,
): Promise<void> {
  await db.query({ text: 'UPDATE users SET role = $2 WHERE id = $1', values: [userId, role] });
  await beginAccountPeriods(db, [userId], changeId);
}

async function beginAccountPeriods(
  db: Queryable,
  userIds: readonly number[],
  changeId: number,
): Promise<void> {
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

/** Role and activity of an account from a position on, until (and without) another; null is without end. */
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
