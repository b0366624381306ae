import { createHash } from 'node:crypto';

import createKnex from 'knex';
import type { Knex } from 'knex';

import {
  codeSchemaVersion,
  oldestAdmittedCodeVersion,
  readSchemaVersion,
  UnusableSchema,
} from './schema-version.ts';
import { migrationNames, readFunctions, readMigration } from './sql-files.ts';

/** Knex reads question marks as values, even in a text of several statements, which cannot have values. */
function escapedForKnex(sql: string): string {
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
async function installFunctions(holder: Knex): Promise<string[]> {
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

/** The session lock that allows one migration run at a time. */
const migrationLock = 7_217_001;

class MigrationList implements Knex.MigrationSource<string> {
  readonly #version: number;

  constructor(version: number) {
    this.#version = version;
  }
  async getMigrations(): Promise<string[]> {
    return migrationNames.slice(0, this.#version);
  }
  getMigrationName(name: string): string {
    return name;
  }
  async getMigration(name: string): Promise<Knex.Migration> {
    return {
      up: async (knex) => {
        await knex.raw(escapedForKnex(readMigration(name)));
      },
      down: async () => {
        throw new Error('migrations only go forward');
      },
    };
  }
}

/** The names of the applied migrations and functions. */
export type Migrated = {
  readonly migrations: readonly string[];
  readonly functions: readonly string[];
};

/**
 * Migrates the schema and updates functions to the content of their files, under a lock that all migrating processes share; all of it or
 * nothing. A schema from a newer release is left unchanged.
 *
 * @param version where to stop; by default this release's
 * @throws UnusableSchema when the database's encoding is not UTF-8, or its schema does not begin with this release's first
 */
export async function migrate(
  databaseUrl: string,
  version: number = codeSchemaVersion,
): Promise<Migrated> {
  const knex = createKnex({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 2 } });
  try {
    const encoding = await knex.raw<{ rows: { server_encoding: string }[] }>(
      'SHOW server_encoding',
    );
    if (encoding.rows[0]?.server_encoding !== 'UTF8')
      throw new UnusableSchema('the database must be encoded in UTF-8');
    return await knex.transaction(async (holder) => {
      await holder.raw('SELECT pg_advisory_xact_lock(?)', [migrationLock]);
      const found = (await readSchemaVersion({ query: ({ text }) => holder.raw(text) })) ?? 0;
      if (found > version) return { migrations: [], functions: [] };
      const functions = await installFunctions(holder);
      if (found === version) return { migrations: [], functions };
      await holder.raw(`CREATE TABLE IF NOT EXISTS schema_version (
        only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
        version integer NOT NULL,
        oldest_code_version integer NOT NULL)`);
      const [, migrations] = (await holder.migrate.latest({
        migrationSource: new MigrationList(version),
        disableMigrationsListValidation: true,
        disableTransactions: true,
      })) as [number, string[]];
      await holder.raw(
        `INSERT INTO schema_version (version, oldest_code_version) VALUES (?, ?)
         ON CONFLICT (only_row) DO UPDATE SET version = excluded.version, oldest_code_version = excluded.oldest_code_version`,
        [version, oldestAdmittedCodeVersion],
      );
      return { migrations, functions };
    });
  } finally {
    await knex.destroy();
  }
}
