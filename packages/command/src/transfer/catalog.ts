/** The tables of the database, from Postgres' catalogue, so that an export contains a new column without any change here. */
import type { Queryable } from '@parley/database';

import { CommandFault } from '../faults.ts';
import { exportedTables, excludedTables } from './tables.ts';

const identifier = /^[a-z_][a-z0-9_]*$/;

/**
 * @returns the name for use in SQL; ours need no quotes
 * @throws Error for any other name
 */
export function checkIdentifier(name: string): string {
  if (!identifier.test(name))
    throw new Error(`${JSON.stringify(name)} is no name of a table or column`);
  return name;
}

/** @returns the names of all tables, a partitioned one once */
async function listTables(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>({
    text: `SELECT c.relname AS name FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        -- Made ahead of the log or taken off it, and about to be attached or dropped.
        AND c.relname !~ '^log_entries_from_[0-9]+$'
      ORDER BY c.relname`,
  });
  return rows.map(({ name }) => name);
}

/** @throws CommandFault if this release neither exports a table nor excludes it on purpose */
export async function checkTablesKnown(db: Queryable): Promise<void> {
  const known = new Set([
    ...exportedTables.map(({ name }) => name),
    ...Object.keys(excludedTables),
  ]);
  const unknown = (await listTables(db)).filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new CommandFault(
      `The database has tables that this release does not know (${unknown.join(', ')}): use the release that made them`,
    );
}

export type TableShape = {
  /** The writable columns. */
  readonly columns: readonly string[];
  readonly primaryKey: readonly string[];
};

/** @returns undefined if there is no such table */
export async function findTableShape(
  db: Queryable,
  table: string,
): Promise<TableShape | undefined> {
  const { rows } = await db.query<{ columns: string[] | null; primaryKey: string[] | null }>({
    text: `SELECT
        (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
          WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
        (SELECT array_agg(a.attname::text ORDER BY k.n) FROM pg_index i
          CROSS JOIN LATERAL unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
          JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
          WHERE i.indrelid = t.oid AND i.indisprimary AND k.n <= i.indnkeyatts) AS "primaryKey"
      FROM pg_class t WHERE t.oid = to_regclass($1)`,
    values: [table],
  });
  const { columns, primaryKey } = rows[0] ?? {};
  if (columns === undefined || columns === null) return undefined;
  return { columns, primaryKey: primaryKey ?? [] };
}

/** @returns the last value of every used sequence, except those of the migrations' own tables */
export async function readSequences(db: Queryable): Promise<Record<string, number>> {
  const { rows } = await db.query<{ name: string; last: number }>({
    text: `SELECT s.sequencename AS name, s.last_value AS last FROM pg_sequences s
      WHERE s.schemaname = current_schema() AND s.last_value IS NOT NULL AND s.sequencename NOT LIKE 'knex%' ORDER BY 1`,
  });
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

/** Makes sequences continue above their values in the other installation and in this one. */
export async function advanceSequences(
  db: Queryable,
  sequences: Readonly<Record<string, number>>,
): Promise<void> {
  for (const [name, last] of Object.entries(sequences)) {
    const sequence = checkIdentifier(name);
    await db.query({
      text: `SELECT setval('${sequence}'::regclass, greatest($1::bigint,
        (SELECT s.last_value FROM pg_sequences s WHERE s.schemaname = current_schema() AND s.sequencename = '${sequence}')))`,
      values: [last],
    });
  }
}
