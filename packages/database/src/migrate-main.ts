/** Command: brings the schema of DATABASE_URL (or DATABASE_URL_FILE) forward and says which migrations ran. */
import { readFileSync } from 'node:fs';
import process from 'node:process';

import { migrate } from './migrate.ts';

function databaseUrl(): string {
  const file = process.env['DATABASE_URL_FILE'];
  const url =
    process.env['DATABASE_URL'] ??
    (file === undefined ? undefined : readFileSync(file, 'utf8').trim());
  if (url === undefined || url === '')
    throw new Error('DATABASE_URL is not set: it names the database to migrate');
  return url;
}

try {
  const ran = await migrate(databaseUrl());
  process.stdout.write(
    ran.length === 0
      ? 'The schema is up to date.\n'
      : ran.map((name) => `Migrated: ${name}\n`).join(''),
  );
} catch (error) {
  process.stderr.write(
    `The schema could not be migrated: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = 1;
}
