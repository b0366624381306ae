import { foldName, roles } from '@parley/api';
import type { Queryable } from '@parley/database';

import { userColumns } from './users.ts';
import type { User } from './users.ts';

/**
 * Locks on accounts (with `users.ts` the owner of `users`), in the order in which a transaction takes them: names of bots, the set of
 * administrators, accounts by id.
 */

/** Names of bots are assigned one at a time, under an advisory lock with this number, so that no two requests take the same. */
const botNamesLock = 7_217_003;

/**
 * Checks whether a bot may have a name (reference facts, people 8): no active account has it. No other bot gets a name until the
 * transaction ends; called before any other lock.
 *
 * @param exceptUserId the bot itself
 */
export async function isBotNameFree(
  db: Queryable,
  fullName: string,
  exceptUserId?: number,
): Promise<boolean> {
  await db.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [botNamesLock] });
  const { rows } = await db.query<{ taken: boolean }>({
    text: `SELECT EXISTS (SELECT 1 FROM users WHERE full_name_folded = $1 AND full_name = $2 AND is_active
      AND id IS DISTINCT FROM $3::bigint) AS taken`,
    values: [foldName(fullName), fullName, exceptUserId ?? null],
  });
  return rows[0]?.taken !== true;
}

/**
 * Locks accounts so that their role and activity stay unchanged until the transaction ends.
 *
 * @returns the accounts with these ids or addresses, by ascending id
 */
export async function lockUsersInUse(
  db: Queryable,
  who: { readonly userIds: readonly number[]; readonly emails?: readonly string[] },
): Promise<User[]> {
  const { rows } = await db.query<User>({
    text: `SELECT ${userColumns} FROM users u WHERE u.id = ANY ($1::int[]) OR u.email_folded = ANY ($2::text[])
      ORDER BY u.id FOR KEY SHARE`,
    values: [who.userIds, (who.emails ?? []).map(foldName)],
  });
  return rows;
}

/**
 * Locks an account for a change of its own data that its events contain as a whole, so that such changes run one at a time. Role and
 * activity stay unchanged meanwhile.
 *
 * @returns the account, or undefined if there is none
 */
export async function lockUserForOwnChange(
  db: Queryable,
  userId: number,
): Promise<User | undefined> {
  const { rows } = await db.query<User>({
    name: 'store-lock-user-for-own-change',
    text: `SELECT ${userColumns} FROM users u WHERE u.id = $1 FOR NO KEY UPDATE`,
    values: [userId],
  });
  return rows[0];
}

/**
 * Locks accounts as `lockUserForOwnChange` does, in one statement.
 *
 * @returns those that exist, by ascending id
 */
export async function lockUsersForOwnChange(
  db: Queryable,
  userIds: readonly number[],
): Promise<User[]> {
  const { rows } = await db.query<User>({
    text: `SELECT ${userColumns} FROM users u WHERE u.id = ANY ($1::bigint[]) ORDER BY u.id FOR NO KEY UPDATE`,
    values: [userIds],
  });
  return rows;
}

/** The set of administrators changes under an advisory lock with this number, and is kept unchanged by a shared one. */
const administratorsLock = 7_217_005;

/**
 * Keeps the set of administrators unchanged until the transaction ends, so that an event for them reaches those who are administrators at
 * its position. Called before any other lock.
 *
 * @returns the ids of the active human administrators, ascending
 */
export async function lockAdministratorsInUse(db: Queryable): Promise<number[]> {
  await db.query({
    text: 'SELECT pg_advisory_xact_lock_shared($1)',
    values: [administratorsLock],
  });
  return listHumanAdministratorIds(db);
}

/** @returns the ids of the active human administrators, ascending */
export async function listHumanAdministratorIds(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>({
    name: 'store-list-human-administrators',
    text: `SELECT id FROM users WHERE role = '${roles.administrator}' AND is_active AND bot_type IS NULL AND NOT is_system ORDER BY id`,
  });
  return rows.map(({ id }) => id);
}

/**
 * Locks an account, its bots, other accounts that the change concerns, and every active human administrator, for a change of activity, role
 * or owner. So two requests cannot each remove the administrator that the other counts on as the last one. Nobody creates, transfers or
 * reactivates a bot meanwhile.
 *
 * @param otherIds including the account that requests the change
 * @returns the accounts by ascending id
 */
export async function lockUsersForActivityChange(
  db: Queryable,
  userId: number,
  otherIds: readonly number[],
): Promise<User[]> {
  await db.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [administratorsLock] });
  const lock = {
    text: `SELECT ${userColumns} FROM users u WHERE u.id = $1::bigint OR u.id = ANY ($2::bigint[]) OR u.bot_owner_id = $1::bigint
        OR (u.role = '${roles.administrator}' AND u.is_active AND u.bot_type IS NULL AND NOT u.is_system)
      ORDER BY u.id FOR UPDATE`,
    values: [userId, otherIds],
  };
  // The first pass may have waited for a transaction that gave the account a bot. After it no such transaction can start, so the second
  // pass finds all.
  await db.query(lock);
  const { rows } = await db.query<User>(lock);
  return rows;
}
