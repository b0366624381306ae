/** People as programs that keep accounts by SCIM see them (with `users.ts` the owner of `users`; decision 0052). */
import type { Client, Queryable } from '@parley/database';

import { searchStatements } from './scim-filters.ts';
import type { ScimSearch, SearchedAttributes } from './scim-filters.ts';
import { userColumns } from './users.ts';
import type { User } from './users.ts';

export type ScimUser = User & { readonly externalId: string | null };

const scimUserColumns = `${userColumns}, u.external_id AS "externalId"`;

/** A person, not a bot, whom no such program deleted. A reactivation takes that back, whoever makes it. */
export const isSeenByScim = `u.bot_type IS NULL AND NOT u.is_system AND NOT u.deleted_by_scim`;

const address = {
  sql: 'coalesce(u.delivery_email_folded, u.email_folded)',
  kind: 'folded text',
} as const;
const fullName = { sql: 'u.full_name_folded', kind: 'folded text' } as const;

const attributes: SearchedAttributes = new Map([
  ['id', { sql: 'u.id', kind: 'id' }],
  ['externalid', { sql: 'u.external_id', kind: 'exact text' }],
  ['username', address],
  ['emails', address],
  ['emails.value', address],
  // There is one address, and this is what is said of it.
  ['emails.type', { sql: "'WORK'::text", kind: 'folded text' }],
  ['emails.primary', { sql: 'true', kind: 'boolean' }],
  ['displayname', fullName],
  ['name.formatted', fullName],
  ['active', { sql: 'u.is_active', kind: 'boolean' }],
]);

/**
 * @param userId any integer
 * @returns undefined also for a bot
 */
export async function findScimUser(db: Queryable, userId: number): Promise<ScimUser | undefined> {
  const { rows } = await db.query<ScimUser>({
    name: 'store-find-scim-user',
    text: `SELECT ${scimUserColumns} FROM users u WHERE u.id = $1::bigint AND ${isSeenByScim}`,
    values: [userId],
  });
  return rows[0];
}

/** @returns the people among these ids, by ascending id */
export async function findScimUsers(db: Queryable, userIds: readonly number[]): Promise<User[]> {
  const { rows } = await db.query<User>({
    name: 'store-find-scim-users',
    text: `SELECT ${userColumns} FROM users u WHERE u.id = ANY ($1::int[]) AND ${isSeenByScim} ORDER BY u.id`,
    values: [userIds],
  });
  return rows;
}

/**
 * @returns the people of a page, and how many there are in all
 * @throws ApiError `invalidFilter` for an attribute that is not searched
 */
export async function searchScimUsers(
  db: Queryable,
  search: ScimSearch,
): Promise<{ readonly total: number; readonly users: ScimUser[] }> {
  const { count, page } = searchStatements(search, {
    columns: scimUserColumns,
    from: 'users u',
    isSeen: isSeenByScim,
    attributes,
    id: 'u.id',
  });
  const counted = await db.query<{ total: number }>(count);
  const { rows } = await db.query<ScimUser>(page);
  return { total: counted.rows[0]?.total ?? 0, users: rows };
}

/** Stores what the program calls an account that the transaction has locked, and whether it deleted the account. */
export async function setScimFacts(
  client: Client,
  userId: number,
  facts: { readonly externalId?: string | null; readonly isDeleted?: boolean },
): Promise<void> {
  const { externalId, isDeleted } = facts;
  await client.query({
    text: `UPDATE users SET external_id = CASE WHEN $2 THEN $3 ELSE external_id END,
      deleted_by_scim = coalesce($4, deleted_by_scim) WHERE id = $1`,
    values: [userId, externalId !== undefined, externalId ?? null, isDeleted ?? null],
  });
}

/** @returns the locked person with this real address in any letter case, whom such a program deleted; undefined otherwise */
export async function findDeletedByScim(
  db: Queryable,
  emailFolded: string,
): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>({
    name: 'store-find-deleted-by-scim',
    text: `SELECT u.id FROM users u WHERE ${address.sql} = $1 AND u.deleted_by_scim
      AND u.bot_type IS NULL AND NOT u.is_system`,
    values: [emailFolded],
  });
  return rows[0]?.id;
}
