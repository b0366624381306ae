/** What an import needs: an installation without an organization, which nothing else uses meanwhile. */
import type { Client, Pool } from '@parley/database';
import type { FileStore } from '@parley/files';
import { listLiveServices } from '@parley/cluster/placement';
import { forgetRemovedFile, listNotedFiles } from '@parley/store';

import { CommandFault } from '../faults.ts';
import { checkIdentifier, findTableShape } from './catalog.ts';
import { withDedicatedConnection } from './dedicated-connection.ts';
import { exportedTables } from './tables.ts';

/** One import at a time: a session lock of Postgres with this number. */
const importLock = 7_217_010;
/** Postgres notices a moment later that the process of an earlier import is gone. */
const lockTimeoutMs = 10_000;
/** Postgres' code for a lock that was not available within `lock_timeout`. */
const lockNotAvailable = '55P03';
const filesPerStep = 500;

/** @throws CommandFault if the database contains anything beside the rows of the migrations */
export async function checkEmpty(client: Client): Promise<void> {
  const realm = await client.query<{ name: string }>('SELECT name FROM realm');
  const name = realm.rows[0]?.name;
  if (name !== undefined)
    throw new CommandFault(
      `This installation has an organization, ${name}: an import needs an empty one. Give it a database of its own`,
    );
  for (const { name: table, hasSeed = false } of exportedTables) {
    if (hasSeed || (await findTableShape(client, table)) === undefined) continue;
    const { rows } = await client.query<{ found: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM ${checkIdentifier(table)}) AS found`,
    );
    if (rows[0]?.found === true)
      throw new CommandFault(
        `This installation is not empty, there are rows in ${table}: give the import a database of its own`,
      );
  }
  const services = await listLiveServices(client);
  if (services.length > 0)
    throw new CommandFault(
      `Services run on this installation (${services.join(', ')}): stop them for the import, they would take what they know for true`,
    );
}

async function lockImports(client: Client): Promise<void> {
  await client.query(`SET lock_timeout = '${lockTimeoutMs}ms'`);
  try {
    await client.query('SELECT pg_advisory_lock($1)', [importLock]);
  } catch (error) {
    const isHeld = error instanceof Error && 'code' in error && error.code === lockNotAvailable;
    if (!isHeld) throw error;
    throw new CommandFault('Another import into this installation is under way', { cause: error });
  }
  await client.query('RESET lock_timeout');
}

/**
 * Runs work on a connection that holds the lock of imports.
 *
 * @throws CommandFault if another import goes on
 */
export function withImportLock<Result>(
  pool: Pool,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  return withDedicatedConnection(pool, async (client) => {
    await lockImports(client);
    return work(client);
  });
}

/** Begins the transaction of an import. From here on, nobody can create an organization or an account. */
export async function beginImport(client: Client): Promise<void> {
  await client.query('BEGIN');
  await client.query('LOCK TABLE realm, users IN SHARE ROW EXCLUSIVE MODE');
  await checkEmpty(client);
}

/** Removes the noted files without rows, which in an empty installation are all files that an import left. */
export async function removeLeftFiles(pool: Pool, files: FileStore): Promise<void> {
  for (;;) {
    const keys = await listNotedFiles(pool, filesPerStep);
    for (const key of keys) {
      await files.remove(key);
      await forgetRemovedFile(pool, key);
    }
    if (keys.length < filesPerStep) return;
  }
}
