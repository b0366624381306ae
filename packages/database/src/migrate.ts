import createKnex from 'knex';
import type { Knex } from 'knex';

import type { Migration } from './migrations/index.ts';
import { migrations } from './migrations/index.ts';
import { codeSchemaVersion, oldestAdmittedCodeVersion, UnusableSchema } from './schema-version.ts';

/** One migration run at a time, whatever starts it: a session lock of Postgres under this number. */
const migrationLock = 7_217_001;

class MigrationList implements Knex.MigrationSource<Migration> {
  readonly #version: number;

  constructor(version: number) {
    this.#version = version;
  }
  async getMigrations(): Promise<Migration[]> {
    return migrations.slice(0, this.#version);
  }
  getMigrationName(migration: Migration): string {
    return migration.name;
  }
  async getMigration(migration: Migration): Promise<Knex.Migration> {
    return {
      up: async (knex) => {
        await knex.raw(migration.sql);
      },
      down: async () => {
        throw new Error('migrations only go forward');
      },
    };
  }
}

/**
 * Brings the schema forward from whatever it is, once, under a lock that all migrating processes share. A schema from a newer
 * release is left as it is.
 *
 * @param version where to stop; by default this release's
 * @returns the names of the migrations that ran
 * @throws UnusableSchema when the database's encoding is not UTF-8
 */
export async function migrate(
  databaseUrl: string,
  version: number = codeSchemaVersion,
): Promise<string[]> {
  const knex = createKnex({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 2 } });
  try {
    const encoding = await knex.raw<{ rows: { server_encoding: string }[] }>(
      'SHOW server_encoding',
    );
    if (encoding.rows[0]?.server_encoding !== 'UTF8')
      throw new UnusableSchema('the database must be encoded in UTF-8');
    return await knex.transaction(async (holder) => {
      await holder.raw('SELECT pg_advisory_xact_lock(?)', [migrationLock]);
      await holder.raw(`CREATE TABLE IF NOT EXISTS schema_version (
        only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
        version integer NOT NULL,
        oldest_code_version integer NOT NULL)`);
      const { rows } = await holder.raw<{ rows: { version: number }[] }>(
        'SELECT version FROM schema_version',
      );
      if ((rows[0]?.version ?? 0) >= version) return [];
      const [, ran] = (await holder.migrate.latest({
        migrationSource: new MigrationList(version),
        disableMigrationsListValidation: true,
        disableTransactions: true,
      })) as [number, string[]];
      await holder.raw(
        `INSERT INTO schema_version (version, oldest_code_version) VALUES (?, ?)
         ON CONFLICT (only_row) DO UPDATE SET version = excluded.version, oldest_code_version = excluded.oldest_code_version`,
        [version, oldestAdmittedCodeVersion],
      );
      return ran;
    });
  } finally {
    await knex.destroy();
  }
}
