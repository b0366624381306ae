import type { Queryable } from '@parley/database';

/**
 * Tables of the organization whose rows are few, change rarely and are read by everybody who registers.
 */
const versionedTables = [
  'realm',
  'realm_domains',
  'realm_emoji',
  'linkifiers',
  'users',
  'user_status',
  'user_groups',
  'user_group_members',
  'custom_profile_fields',
  'custom_profile_values',
  'streams',
  'stream_first_messages',
  'default_stream_groups',
] as const;

export type VersionedTable = (typeof versionedTables)[number];

/** By table, the transactions that wrote the rows which a snapshot sees; null of a table without rows. */
export type RowVersions = Readonly<Record<VersionedTable, string | null>>;

const versionsSql = versionedTables
  .map((table) => `(SELECT string_agg(r.xmin::text, ' ') FROM ${table} r) AS ${table}`)
  .join(', ');

/**
 * Two snapshots of one database to which the rows of a table were written by the same transactions see the same rows. Of two
 * snapshots one sees all that the other sees committed; so what was written by transactions that both see, and is left in the later
 * one, is in the earlier one too, and where it has as many rows, nothing else is. (That a transaction's number comes again takes four
 * thousand million of them, and a database that was restored begins another epoch of the log.)
 *
 * @param db of a REPEATABLE READ transaction
 */
export async function readRowVersions(db: Queryable): Promise<RowVersions> {
  const { rows } = await db.query<RowVersions>({
    name: 'store-read-row-versions',
    text: `SELECT ${versionsSql}`,
  });
  const [versions] = rows;
  if (versions === undefined) throw new Error('a query of one row gave none');
  return versions;
}
