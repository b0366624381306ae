import type { Queryable } from '@parley/database';

/** Groups of people that messages can mention (owner of `user_groups` and `user_group_members`). */

export type UserGroup = {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** Ascending; deactivated people stay members. */
  readonly memberIds: readonly number[];
};

const columns = `g.id, g.name, g.description, ARRAY(
    SELECT m.user_id FROM user_group_members m WHERE m.group_id = g.id ORDER BY m.user_id) AS "memberIds"`;

/** @returns all groups by ascending id */
export async function listUserGroups(db: Queryable): Promise<UserGroup[]> {
  const { rows } = await db.query<UserGroup>({
    name: 'store-list-user-groups',
    text: `SELECT ${columns} FROM user_groups g ORDER BY g.id`,
  });
  return rows;
}

/**
 * Locks a group for a change of the group or of its members; people are locked before.
 *
 * @param groupId any integer
 * @returns the group, or undefined when there is none
 */
export async function lockUserGroup(
  db: Queryable,
  groupId: number,
): Promise<UserGroup | undefined> {
  await db.query({
    text: 'SELECT 1 FROM user_groups WHERE id = $1::bigint FOR UPDATE',
    values: [groupId],
  });
  // A statement of its own, so that it sees the members that the previous holder of the lock left.
  const { rows } = await db.query<UserGroup>({
    text: `SELECT ${columns} FROM user_groups g WHERE g.id = $1::bigint`,
    values: [groupId],
  });
  return rows[0];
}

/** Groups and members are added one at a time, under an advisory lock with this number. */
const additionsLock = 7_217_009;

/** The number of groups, and of members in all groups together. */
export type GroupCounts = { readonly groups: number; readonly members: number };

/** Blocks the addition of groups or members until the transaction ends; called before a group is locked. */
export async function lockGroupCounts(db: Queryable): Promise<GroupCounts> {
  await db.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [additionsLock] });
  const { rows } = await db.query<GroupCounts>({
    text: `SELECT (SELECT count(*)::int FROM user_groups) AS groups,
      (SELECT count(*)::int FROM user_group_members) AS members`,
  });
  return rows[0] ?? { groups: 0, members: 0 };
}

/** @returns undefined if the name is taken */
export async function insertUserGroup(
  db: Queryable,
  group: Omit<UserGroup, 'id'>,
): Promise<UserGroup | undefined> {
  const { rows } = await db.query<{ id: number }>({
    text: 'INSERT INTO user_groups (name, description) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING id',
    values: [group.name, group.description],
  });
  const id = rows[0]?.id;
  if (id === undefined) return undefined;
  await addGroupMembers(db, id, group.memberIds);
  return { ...group, id };
}

/**
 * Changes the name or description of a group that the caller has locked; absent members stay unchanged.
 *
 * @throws the database's unique violation if the name is taken
 */
export async function updateUserGroup(
  db: Queryable,
  groupId: number,
  change: { readonly name?: string; readonly description?: string },
): Promise<void> {
  await db.query({
    text: `UPDATE user_groups SET name = coalesce($2, name), description = coalesce($3, description) WHERE id = $1`,
    values: [groupId, change.name ?? null, change.description ?? null],
  });
}

/** Removes a group that the caller has locked, with its members. */
export async function deleteUserGroup(db: Queryable, groupId: number): Promise<void> {
  await db.query({ text: 'DELETE FROM user_groups WHERE id = $1', values: [groupId] });
}

/** Adds people who are not yet members to a group that the caller has locked. */
export async function addGroupMembers(
  db: Queryable,
  groupId: number,
  userIds: readonly number[],
): Promise<void> {
  await db.query({
    text: 'INSERT INTO user_group_members (group_id, user_id) SELECT $1, u FROM unnest($2::int[]) u',
    values: [groupId, userIds],
  });
}

/** Removes members from a group that the caller has locked. */
export async function removeGroupMembers(
  db: Queryable,
  groupId: number,
  userIds: readonly number[],
): Promise<void> {
  await db.query({
    text: 'DELETE FROM user_group_members WHERE group_id = $1 AND user_id = ANY ($2::int[])',
    values: [groupId, userIds],
  });
}
