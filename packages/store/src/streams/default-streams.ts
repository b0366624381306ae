import type { Queryable } from '@parley/database';

import { listStreams } from './streams.ts';
import type { Stream } from './streams.ts';

/**
 * Default streams, which new people join, and groups of streams (owner of `default_stream_groups`; reference facts, streams 8.4
 * and 8.5).
 */

/** Events contain whole lists of default streams, so they change one at a time, under an advisory lock with this number. */
const defaultsLock = 7_217_006;

export type DefaultStreamGroup = {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly streamIds: readonly number[];
};

/**
 * Blocks other changes of default streams and groups until the transaction ends. Called before streams are locked, if the change is known
 * to concern them.
 */
export async function lockDefaultStreams(db: Queryable): Promise<void> {
  await db.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [defaultsLock] });
}

/** Keeps all properties of streams in these lists unchanged until the transaction ends. */
export async function holdListedStreams(db: Queryable): Promise<void> {
  await db.query({
    text: `SELECT s.id FROM streams s WHERE s.is_default
        OR s.id IN (SELECT unnest(g.stream_ids) FROM default_stream_groups g)
      ORDER BY s.id FOR KEY SHARE`,
  });
}

/** @returns the live default streams, private ones too, by name in code-point order */
export async function listDefaultStreams(db: Queryable): Promise<Stream[]> {
  return listStreams(db, {
    allActive: false,
    public: false,
    subscriberIds: [],
    defaultsOf: null,
    defaults: true,
  });
}

/** @returns the groups by name in code-point order */
export async function listDefaultStreamGroups(db: Queryable): Promise<DefaultStreamGroup[]> {
  const { rows } = await db.query<DefaultStreamGroup>({
    name: 'store-list-default-stream-groups',
    text: `SELECT id, name, description, stream_ids AS "streamIds" FROM default_stream_groups ORDER BY name COLLATE "C"`,
  });
  return rows;
}

/** @returns the group, or undefined */
export async function findDefaultStreamGroup(
  db: Queryable,
  groupId: number,
): Promise<DefaultStreamGroup | undefined> {
  // Ids come from clients and may be larger than the column's type.
  const { rows } = await db.query<DefaultStreamGroup>({
    text: `SELECT id, name, description, stream_ids AS "streamIds" FROM default_stream_groups WHERE id = $1::bigint`,
    values: [groupId],
  });
  return rows[0];
}

/** @returns whether another group has exactly this name */
export async function isDefaultStreamGroupNameTaken(db: Queryable, name: string): Promise<boolean> {
  const { rows } = await db.query<{ taken: boolean }>({
    text: 'SELECT EXISTS (SELECT 1 FROM default_stream_groups WHERE name = $1) AS taken',
    values: [name],
  });
  return rows[0]?.taken === true;
}

/** Creates a group; the caller has locked the lists. */
export async function createDefaultStreamGroup(
  db: Queryable,
  group: Omit<DefaultStreamGroup, 'id'>,
): Promise<void> {
  await db.query({
    text: 'INSERT INTO default_stream_groups (name, description, stream_ids) VALUES ($1, $2, $3)',
    values: [group.name, group.description, group.streamIds],
  });
}

/** Replaces the properties of a group; the caller has locked the lists. */
export async function updateDefaultStreamGroup(
  db: Queryable,
  group: DefaultStreamGroup,
): Promise<void> {
  await db.query({
    text: 'UPDATE default_stream_groups SET name = $2, description = $3, stream_ids = $4 WHERE id = $1',
    values: [group.id, group.name, group.description, group.streamIds],
  });
}

/** Deletes a group; the caller has locked the lists. */
export async function deleteDefaultStreamGroup(db: Queryable, groupId: number): Promise<void> {
  await db.query({ text: 'DELETE FROM default_stream_groups WHERE id = $1', values: [groupId] });
}

/**
 * Removes streams from all groups.
 *
 * @returns whether any of them was in one
 */
export async function removeFromDefaultStreamGroups(
  db: Queryable,
  streamIds: readonly number[],
): Promise<boolean> {
  const { rowCount } = await db.query({
    text: `UPDATE default_stream_groups
      SET stream_ids = ARRAY(SELECT i.id FROM unnest(stream_ids) WITH ORDINALITY i (id, n) WHERE i.id <> ALL ($1::int[]) ORDER BY i.n)
      WHERE stream_ids && $1::int[]`,
    values: [streamIds],
  });
  return (rowCount ?? 0) > 0;
}
