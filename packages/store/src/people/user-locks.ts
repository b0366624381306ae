import { foldName, roles } from '@parley/api';
import type { Queryable } from '@parley/database';

import { userColumns } from './users.ts';
import type { User } from './users.ts';

/**
 * Locks on accounts (with `users.ts` the owner of `users`), in the order in which a transaction takes them: names of bots, who are
 * administrators, accounts by id.
 */

/** Names of bots are given out one at a time, under an advisory lock of this number, so that no two requests take the same. */
const botNamesLock = 7_217_003;

/**
 * Looks whether a bot may have a name (reference facts, people 8): no active account has it. No other bot gets a name until the
 * transaction ends; called before anything else is locked.
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
 * Locks accounts so that their role and activity stay as they are until the transaction ends.
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

/** Who are administrators is changed under an advisory lock of this number, and stays as it is under a shared one. */
const administratorsLock = 7_217_005;

/**
 * Keeps the administrators the same until the transaction ends, so that an event for them reaches those whom its place in the log
 * finds as such. Called before anything else is locked.
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
 * Locks, for a change of activity, role or owner, an account, its bots, others whom the change concerns and every active human
 * administrator: no two requests can then each take away what the other counts on as the last administrator. Nobody makes, gives or
 * reactivates a bot meanwhile.
 *
 * @param otherIds who asks for it, among them
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
  // The first pass may have waited for a transaction that gave the account a bot; from then on nobody can. The second finds it.
  await db.query(lock);
  const { rows } = await db.query<User>(lock);
  return rows;
}
