import { createHash } from 'node:crypto';

import type { Knex } from 'knex';

import { readFunctions } from './sql-files.ts';

/** Knex reads question marks as values, even in a text of several statements, which cannot have values. */
export function escapedForKnex(sql: string): string {
  return sql.replaceAll('?', String.raw`\?`);
}

/** The comment of a function in the database: which content of its file was installed. */
function commentOf(sql: string): string {
  return `sha256 ${createHash('sha256').update(sql).digest('hex')} of its file in packages/database/functions`;
}

/**
 * Installs the functions whose files differ from the installed content. Their bodies are not checked against the tables, which may be
 * created later in the same transaction, because indexes and triggers of migrations use functions.
 *
 * @param holder a transaction
 * @returns the names of those that were installed
 */
export async function installFunctions(holder: Knex): Promise<string[]> {
  const { rows } = await holder.raw<{ rows: { name: string; comment: string | null }[] }>(
    `SELECT p.proname AS name, obj_description(p.oid, 'pg_proc') AS comment
     FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace`,
  );
  const installed = new Map(rows.map(({ name, comment }) => [name, comment]));
  const changed = readFunctions().filter(({ name, sql }) => installed.get(name) !== commentOf(sql));
  await holder.raw('SET LOCAL check_function_bodies = off');
  for (const { name, sql } of changed) {
    await holder.raw(escapedForKnex(sql));
    await holder.raw(`COMMENT ON FUNCTION ${name} IS '${commentOf(sql)}'`);
  }
  return changed.map(({ name }) => name);
}
