import { join } from 'node:path';

import { codeSchemaVersion, readSchemaVersion } from '@parley/database';
import { migrate } from '@parley/database/migrate';
import type { Client, Pool } from '@parley/database';
import { openImportedLog, planImportedLog } from '@parley/event-log';
import type { FileStore } from '@parley/files';
import { findRealm, moveSideEffectCursor } from '@parley/store';
import type { KeySecrets } from '@parley/auth/secrets';

import { CommandFault } from '../faults.ts';
import type { Progress } from '../progress.ts';
import { advanceSequences, checkIdentifier, findTableShape } from './catalog.ts';
import { beginImport, checkEmpty, removeLeftFiles, withImportLock } from './empty-installation.ts';
import { LineFile } from './hashed-file.ts';
import { ImportedFiles } from './import-files.ts';
import { readManifest } from './manifest.ts';
import type { Manifest, TableFacts } from './manifest.ts';
import type { ExportCipher } from './export-cipher.ts';
import { exportedTables } from './tables.ts';
import type { Row } from './tables.ts';
import { checkFacts, verifyExport } from './verify-export.ts';

export type ImportOptions = {
  readonly databaseUrl: string;
  readonly pool: Pool;
  readonly files: FileStore;
  readonly keySecrets: KeySecrets;
  readonly passphrase: string;
  readonly folder: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

function isAfterExport(schemaVersion: number, found: number): boolean {
  return found > schemaVersion;
}

/**
 * Migrates an installation without a schema to the schema of the export. Later migrations run after the import, on its rows.
 *
 * @throws CommandFault if the export is from a newer release, or the installation is ahead of it
 */
async function prepareSchema(
  { databaseUrl, pool }: ImportOptions,
  { schema_version: wanted, parley_version: release }: Manifest,
): Promise<void> {
  if (isAfterExport(codeSchemaVersion, wanted))
    throw new CommandFault(
      `The export was made by a newer release (${release}, schema version ${wanted}; this one has ${codeSchemaVersion}): use that or a later one`,
    );
  const found = await readSchemaVersion(pool);
  if (found !== undefined && isAfterExport(wanted, found))
    throw new CommandFault(
      `The export has schema version ${wanted}, and this database is migrated to ${found} already. Give the import a new, empty database: it brings the schema forward by itself`,
    );
  await migrate(databaseUrl, wanted);
}

class RowImporter {
  readonly #client: Client;
  readonly #options: ImportOptions;
  readonly #cipher: ExportCipher;

  constructor(client: Client, options: ImportOptions, cipher: ExportCipher) {
    this.#client = client;
    this.#options = options;
    this.#cipher = cipher;
  }

  async importTable(table: TableFacts, advance: (rows: number) => void): Promise<void> {
    const name = checkIdentifier(table.name);
    const shape = await findTableShape(this.#client, name);
    const missing = table.columns.filter((column) => shape?.columns.includes(column) !== true);
    if (shape === undefined || missing.length > 0)
      throw new CommandFault(
        `The export has ${name} with ${missing.join(', ')}, which this database does not know`,
      );
    const columns = table.columns.map(checkIdentifier).join(', ');
    const carried = exportedTables.find((candidate) => candidate.name === name);
    if (carried?.hasSeed === true) await this.#client.query(`DELETE FROM ${name}`);
    const file = new LineFile(join(this.#options.folder, table.path));
    let rows = 0;
    for await (const lines of file.batches()) {
      this.#options.signal.throwIfAborted();
      const written = lines.map((line) =>
        carried?.secrets === undefined
          ? line
          : JSON.stringify(
              carried.secrets.toTable(
                JSON.parse(line) as Row,
                this.#options.keySecrets,
                this.#cipher,
              ),
            ),
      );
      await this.#client.query({
        text: `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${name}, $1::json)`,
        values: [`[${written.join(',')}]`],
      });
      rows += lines.length;
      advance(lines.length);
    }
    // The rows are the checked ones; the transaction is not committed yet.
    checkFacts(table.path, table, file.facts());
    if (rows !== table.rows)
      throw new CommandFault(`${table.path} has ${rows} rows, not ${table.rows}`);
  }
}

/** Rows, log and notes of files in one transaction: all of them or none. */
async function importRows(
  client: Client,
  options: ImportOptions,
  opened: {
    readonly manifest: Manifest;
    readonly cipher: ExportCipher;
    readonly files: ImportedFiles;
  },
): Promise<void> {
  const { manifest, cipher, files } = opened;
  const startPosition = await planImportedLog(options.pool, manifest.log);
  try {
    await beginImport(client);
    const total = manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
    const bar = options.progress.start('Rows ', total);
    const importer = new RowImporter(client, options, cipher);
    try {
      for (const table of manifest.tables)
        await importer.importTable(table, (rows) => bar.advance(rows));
    } finally {
      bar.finish();
    }
    await files.claim(client);
    await advanceSequences(client, manifest.sequences);
    await openImportedLog(client, manifest.log, startPosition);
    // The pending side effects of the exported log were imported as rows.
    await moveSideEffectCursor(client, { changes: startPosition, messages: startPosition });
    options.signal.throwIfAborted();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * Imports an organization into an empty installation, all of it or nothing. The whole export is read and checked before anything is
 * written.
 *
 * @returns the manifest
 * @throws CommandFault, or errors of the stores
 */
export async function importOrganization(options: ImportOptions): Promise<Manifest> {
  const { folder, passphrase, pool, progress, signal } = options;
  const { manifest, cipher } = await readManifest(folder, passphrase);
  await verifyExport(folder, manifest, progress, signal);
  await withImportLock(pool, async (client) => {
    await prepareSchema(options, manifest);
    await checkEmpty(client);
    const files = new ImportedFiles({ pool, files: options.files, folder, manifest });
    await removeLeftFiles(pool, options.files);
    try {
      await files.store(progress, signal);
      await importRows(client, options, { manifest, cipher, files });
    } catch (error) {
      // If the outcome of the commit is unknown, the rows may exist and need their files.
      if ((await findRealm(pool).catch(() => undefined)) === undefined)
        await removeLeftFiles(pool, options.files).catch(() => undefined);
      throw error;
    }
  });
  await migrate(options.databaseUrl);
  for (const { name } of manifest.tables) await pool.query(`ANALYZE ${checkIdentifier(name)}`);
  return manifest;
}
