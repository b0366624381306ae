import type { Queryable } from './pool.ts';
import { migrations } from './migrations/index.ts';

/** The schema this code was written for: the number of its migrations. */
export const codeSchemaVersion = migrations.length;

/** The oldest schema this code works on. Raised when a service starts to need a migration. */
export const oldestUsableSchemaVersion = 23;

/**
 * The oldest code, by its schema version, that may use the schema after this code's migrations. Raised when a migration
 * removes what older code still uses (add, switch, remove: three releases).
 */
export const oldestAdmittedCodeVersion = 3;

export class UnusableSchema extends Error {}

/** @returns the version of the schema, or undefined where no migration ran yet */
export async function readSchemaVersion(database: Queryable): Promise<number | undefined> {
  const table = await database.query<{ found: string | null }>({
    text: `SELECT to_regclass('schema_version')::text AS found`,
  });
  if (table.rows[0]?.found === null) return undefined;
  const { rows } = await database.query<{ version: number }>({
    text: 'SELECT version FROM schema_version',
  });
  return rows[0]?.version;
}

/**
 * Refuses a schema that is older than this code needs, or one that no longer admits this code; a newer schema that admits it
 * is used, so that old and new replicas run side by side while an upgrade rolls.
 *
 * @throws UnusableSchema with a sentence that says what to do
 */
export async function checkSchemaVersion(database: Queryable): Promise<void> {
  const table = await database.query<{ found: string | null }>({
    text: `SELECT to_regclass('schema_version')::text AS found`,
  });
  if (table.rows[0]?.found === null) {
    throw new UnusableSchema('the database has no schema yet: run the migrations first');
  }
  const { rows } = await database.query<{ version: number; oldest_code_version: number }>({
    text: 'SELECT version, oldest_code_version FROM schema_version',
  });
  const found = rows[0];
  if (found === undefined)
    throw new UnusableSchema('the database has no schema yet: run the migrations first');
  if (found.version < oldestUsableSchemaVersion) {
    throw new UnusableSchema(
      `the database's schema is version ${found.version}, this release needs ${oldestUsableSchemaVersion}: run the migrations first`,
    );
  }
  if (codeSchemaVersion < found.oldest_code_version) {
    throw new UnusableSchema(
      `the database's schema admits releases from schema version ${found.oldest_code_version} on, this one is ${codeSchemaVersion}: use a newer release`,
    );
  }
}
