import type { Queryable } from './queryable.ts';
import { migrationNames } from './sql-files.ts';

/** The schema this code was written for, and the oldest on which it works: the number of its migrations. */
export const codeSchemaVersion = migrationNames.length;

/**
 * The oldest code, by its schema version, that may use the schema after this code's migrations. Raised when a migration
 * removes what older code still uses (add, switch, remove: three releases).
 */
export const oldestAdmittedCodeVersion = 1;

export class UnusableSchema extends Error {}

type Schema = { readonly version: number; readonly oldest_code_version: number };

async function readSchema(database: Queryable): Promise<Schema | undefined> {
  const { rows: tables } = await database.query<{ found: string | null }>({
    text: `SELECT to_regclass('knex_migrations')::text AS found`,
  });
  if (tables[0]?.found === null) return undefined;
  const { rows: migrations } = await database.query<{ name: string }>({
    text: 'SELECT name FROM knex_migrations ORDER BY id LIMIT 1',
  });
  const first = migrations[0]?.name;
  if (first !== migrationNames[0])
    throw new UnusableSchema(
      `the database's first migration is ${first} and not ${migrationNames[0]}: it was made before the first release, and nothing brings it forward. It was left as it is, use another one`,
    );
  const { rows } = await database.query<Schema>({
    text: 'SELECT version, oldest_code_version FROM schema_version',
  });
  return rows[0];
}

/**
 * @returns the version of the schema, or undefined if no migration ran yet
 * @throws UnusableSchema when the schema does not begin with this release's first
 */
export async function readSchemaVersion(database: Queryable): Promise<number | undefined> {
  return (await readSchema(database))?.version;
}

/**
 * Refuses a schema that is older than this code needs, or that no longer supports this code. A newer schema that supports it is accepted,
 * so that old and new replicas run together during a rolling upgrade.
 *
 * @throws UnusableSchema with a sentence that says what to do
 */
export async function checkSchemaVersion(database: Queryable): Promise<void> {
  const found = await readSchema(database);
  if (found === undefined)
    throw new UnusableSchema(
      'the database has no schema yet: run the migrations first (parley migrate)',
    );
  if (found.version < codeSchemaVersion) {
    throw new UnusableSchema(
      `the database's schema is version ${found.version}, this release needs ${codeSchemaVersion}: run the migrations first (parley migrate)`,
    );
  }
  if (codeSchemaVersion < found.oldest_code_version) {
    throw new UnusableSchema(
      `the database's schema admits releases from schema version ${found.oldest_code_version} on, this one is ${codeSchemaVersion}: use a newer release`,
    );
  }
}
