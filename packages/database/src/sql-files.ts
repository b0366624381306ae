/** The SQL of this package: migrations and functions, one file each. */
import { readFileSync, readdirSync } from 'node:fs';

const migrationsFolder = new URL('../migrations/', import.meta.url);
const functionsFolder = new URL('../functions/', import.meta.url);

function listNames(folder: URL): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .toSorted();
}

/** All migrations in the order in which they run, which is that of their names. The schema's version is their number. */
export const migrationNames: readonly string[] = listNames(migrationsFolder);

/** @param name of a migration */
export function readMigration(name: string): string {
  return readFileSync(new URL(`${name}.sql`, migrationsFolder), 'utf8');
}

export type SqlFunction = { readonly name: string; readonly sql: string };

/** @returns all functions, in the order of their names */
export function readFunctions(): SqlFunction[] {
  return listNames(functionsFolder).map((name) => ({
    name,
    sql: readFileSync(new URL(`${name}.sql`, functionsFolder), 'utf8'),
  }));
}
