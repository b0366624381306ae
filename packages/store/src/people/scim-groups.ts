/** User groups as programs that keep them by SCIM see them (with `user-groups.ts` the owner of `user_groups`; decision 0052). */
import type { Client, Queryable } from '@parley/database';

import { searchStatements } from './scim-filters.ts';
import type { ScimSearch, SearchedAttribute, SearchedAttributes } from './scim-filters.ts';
import { isSeenByScim } from './scim-users.ts';

export type ScimGroup = {
  readonly id: number;
  readonly name: string;
  readonly externalId: string | null;
};

export type ScimMember = { readonly id: number; readonly fullName: string };

const columns = `g.id, g.name, g.external_id AS "externalId"`;

const seenMembers = `user_group_members m JOIN users u ON u.id = m.user_id AND ${isSeenByScim}`;
const memberIds: SearchedAttribute = {
  sql: `SELECT 1 FROM ${seenMembers} WHERE m.group_id = g.id`,
  kind: 'ids',
  element: 'm.user_id',
};

const attributes: SearchedAttributes = new Map<string, SearchedAttribute>([
  ['id', { sql: 'g.id', kind: 'id' }],
  ['displayname', { sql: 'g.name', kind: 'exact text' }],
  ['externalid', { sql: 'g.external_id', kind: 'exact text' }],
  ['members', memberIds],
  ['members.value', memberIds],
]);

/** @param groupId any integer */
export async function findScimGroup(
  db: Queryable,
  groupId: number,
): Promise<ScimGroup | undefined> {
  const { rows } = await db.query<ScimGroup>({
    name: 'store-find-scim-group',
    text: `SELECT ${columns} FROM user_groups g WHERE g.id = $1::bigint`,
    values: [groupId],
  });
  return rows[0];
}

/**
 * @returns the groups of a page, and how many there are in all
 * @throws ApiError `invalidFilter` for an attribute that is not searched
 */
export async function searchScimGroups(
  db: Queryable,
  search: ScimSearch,
): Promise<{ readonly total: number; readonly groups: ScimGroup[] }> {
  const { count, page } = searchStatements(search, {
    columns,
    from: 'user_groups g',
    isSeen: 'true',
    attributes,
    id: 'g.id',
  });
  const counted = await db.query<{ total: number }>(count);
  const { rows } = await db.query<ScimGroup>(page);
  return { total: counted.rows[0]?.total ?? 0, groups: rows };
}

/** @returns how many members groups have, by group; those that SCIM does not show are counted too */
export async function countGroupMembers(
  db: Queryable,
  groupIds: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await db.query<{ readonly groupId: number; readonly members: number }>({
    name: 'store-count-group-members',
    text: `SELECT group_id AS "groupId", count(*)::int AS members FROM user_group_members
      WHERE group_id = ANY ($1::int[]) GROUP BY group_id`,
    values: [groupIds],
  });
  return new Map(rows.map(({ groupId, members }) => [groupId, members]));
}

/** @returns the people of groups, by group, each by ascending id */
export async function listScimMembers(
  db: Queryable,
  groupIds: readonly number[],
): Promise<Map<number, ScimMember[]>> {
  const { rows } = await db.query<ScimMember & { readonly groupId: number }>({
    name: 'store-list-scim-members',
    text: `SELECT m.group_id AS "groupId", u.id, u.full_name AS "fullName"
      FROM ${seenMembers} WHERE m.group_id = ANY ($1::int[]) ORDER BY m.group_id, u.id`,
    values: [groupIds],
  });
  return Map.groupBy(rows, ({ groupId }) => groupId);
}

/** Stores what the program calls a group that the transaction has locked. */
export async function setGroupExternalId(
  client: Client,
  groupId: number,
  externalId: string | null,
): Promise<void> {
  await client.query({
    text: 'UPDATE user_groups SET external_id = $2 WHERE id = $1',
    values: [groupId, externalId],
  });
}
