import type { Queryable } from '@parley/database';

/**
 * Tables of the organization with few rows that change rarely and that every register reads.
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

/** By table, the transactions that wrote the rows in a snapshot; null for an empty table. */
export type RowVersions = Readonly<Record<VersionedTable, string | null>>;

const versionsSql = versionedTables
  .map((table) => `(SELECT string_agg(r.xmin::text, ' ') FROM ${table} r) AS ${table}`)
  .join(', ');

/**
 * Two snapshots of one database see the same rows of a table if the same transactions wrote the rows that they see. Of two snapshots, one
 * sees everything committed that the other sees. So a row that the later one sees, written by a transaction that both see, is in the
 * earlier one too; and if both have the same number of rows, there are no others. (A transaction's number repeats only after four thousand
 * million transactions, and a restored database begins another epoch of the log.)
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
