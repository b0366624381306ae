import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { systemClock } from '@parley/clock';
import {
  callsOf,
  readEntriesWithSideEffects,
  readHead,
  readSideEffectCursor,
  sideEffectsOf,
} from '@parley/event-log';
import type { LogEntry } from '@parley/event-log';
import { readSchemaVersion } from '@parley/database';
import type { Client, Pool } from '@parley/database';
import type { FileStore } from '@parley/files';
import { parleyVersion } from '@parley/server';
import { getRealm } from '@parley/store';
import type { KeySecrets } from '@parley/auth/secrets';

import { CommandFault } from '../faults.ts';
import type { Progress } from '../progress.ts';
import { checkIdentifier, checkTablesKnown, findTableShape, readSequences } from './catalog.ts';
import { withDedicatedConnection } from './dedicated-connection.ts';
import { HashedFile, syncFolder } from './hashed-file.ts';
import {
  contentPath,
  fileListPath,
  formatName,
  formatVersion,
  macPath,
  manifestPath,
  tablePath,
} from './manifest.ts';
import type { FileFacts, ListedFile, Manifest, TableFacts } from './manifest.ts';
import { createExportCipher } from './export-cipher.ts';
import type { ExportCipher } from './export-cipher.ts';
import { countStoredFiles, readStoredFiles } from './stored-files.ts';
import { exportedTables } from './tables.ts';
import type { ExportedTable, Row } from './tables.ts';

export type ExportOptions = {
  readonly pool: Pool;
  readonly files: FileStore;
  readonly keySecrets: KeySecrets;
  readonly passphrase: string;
  readonly folder: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/** A row may take 60 KB, with a message of the greatest length and its words. */
const rowsPerFetch = 500;
const entriesPerPage = 500;

/** @throws CommandFault if the folder is not empty */
async function takeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw new CommandFault(`${folder} is not empty: an export needs a folder of its own`);
}

class Exporter {
  readonly #client: Client;
  readonly #options: ExportOptions;
  readonly #cipher: ExportCipher;

  constructor(client: Client, options: ExportOptions, cipher: ExportCipher) {
    this.#client = client;
    this.#options = options;
    this.#cipher = cipher;
  }

  async writeTables(): Promise<TableFacts[]> {
    const counts = new Map<string, number>();
    for (const { name } of exportedTables) {
      const { rows } = await this.#client.query<{ count: number }>(
        `SELECT count(*) AS count FROM ${checkIdentifier(name)}`,
      );
      counts.set(name, rows[0]?.count ?? 0);
    }
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const bar = this.#options.progress.start('Rows ', total);
    const facts: TableFacts[] = [];
    for (const table of exportedTables)
      facts.push(await this.#writeTable(table, (rows) => bar.advance(rows)));
    bar.finish();
    return facts;
  }

  async #writeTable(table: ExportedTable, advance: (rows: number) => void): Promise<TableFacts> {
    const name = checkIdentifier(table.name);
    const shape = await findTableShape(this.#client, name);
    if (shape === undefined) throw new Error(`the table ${name} is carried and not there`);
    const columns = shape.columns.map(checkIdentifier).join(', ');
    const order = table.orderBy ?? shape.primaryKey.map(checkIdentifier).join(', ');
    const path = tablePath(name);
    const { secrets } = table;
    let count = 0;
    const written = await this.#writeFile(path, async (write) => {
      const writeLines = async (lines: readonly string[]): Promise<void> => {
        if (lines.length > 0) await write(Buffer.from(`${lines.join('\n')}\n`));
        count += lines.length;
        advance(lines.length);
      };
      await this.#client.query(
        `DECLARE carried NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS line FROM (SELECT ${columns} FROM ${name} ORDER BY ${order}) t`,
      );
      for (;;) {
        this.#options.signal.throwIfAborted();
        const { rows } = await this.#client.query<{ line: string }>(
          `FETCH FORWARD ${rowsPerFetch} FROM carried`,
        );
        if (rows.length === 0) break;
        await writeLines(
          rows.map(({ line }) =>
            secrets === undefined
              ? line
              : JSON.stringify(
                  secrets.toExport(JSON.parse(line) as Row, this.#options.keySecrets, this.#cipher),
                ),
          ),
        );
      }
      await this.#client.query('CLOSE carried');
      if (name === 'side_effects') await this.#writeComingEffects(writeLines);
    });
    return { name, path, rows: count, columns: shape.columns, ...written };
  }

  /** The pending side effects of log entries, in the form of their later rows. */
  async #writeComingEffects(
    writeLines: (lines: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const cursor = await readSideEffectCursor(this.#client);
    await this.#writeComingEffectsOf('changes', cursor.changes, writeLines);
    await this.#writeComingEffectsOf('messages', cursor.messages, writeLines);
  }

  async #writeComingEffectsOf(
    source: 'changes' | 'messages',
    cursor: number,
    writeLines: (lines: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const { endPosition } = await readHead(this.#client);
    let after = cursor;
    const dueAt = new Date(systemClock.nowMs()).toISOString();
    for (;;) {
      const entries = await readEntriesWithSideEffects(
        this.#client,
        source,
        { after, upTo: endPosition },
        entriesPerPage,
      );
      const effects = entries.flatMap(({ position, messageId, payload }) => {
        const entry = JSON.parse(payload) as LogEntry;
        const brought = source === 'changes' ? sideEffectsOf(entry) : callsOf(entry, messageId);
        return brought.map((effect) => ({ position, effect }));
      });
      await writeLines(
        effects.map(({ position, effect }) =>
          JSON.stringify({
            position,
            kind: effect.kind,
            target: effect.target,
            effect,
            attempts: 0,
            due_at: dueAt,
            claimed_until: '-infinity',
            last_error: null,
            delivery_key: randomUUID(),
            progress: null,
          }),
        ),
      );
      if (entries.length < entriesPerPage) return;
      after = entries.at(-1)?.position ?? endPosition;
    }
  }

  async writeFiles(): Promise<Manifest['files']> {
    const bar = this.#options.progress.start('Files', await countStoredFiles(this.#client));
    const totals = { count: 0, content_bytes: 0, missing: 0 };
    const written = await this.#writeFile(fileListPath, async (write) => {
      for await (const keys of readStoredFiles(this.#client)) {
        for (const key of keys) {
          this.#options.signal.throwIfAborted();
          const listed = await this.#copyFile(key);
          if ('missing' in listed) totals.missing += 1;
          else {
            totals.count += 1;
            totals.content_bytes += listed.bytes;
          }
          await write(Buffer.from(`${JSON.stringify(listed)}\n`));
          bar.advance(1);
        }
      }
    });
    bar.finish();
    return { path: fileListPath, ...totals, ...written };
  }

  /** A file in the snapshot may be missing: deleted since, or lost long ago. The export reports it and continues. */
  async #copyFile(key: string): Promise<ListedFile> {
    const stored = await this.#options.files.read(key);
    if (stored === undefined) return { key, missing: true };
    const written = await this.#writeFile(contentPath(key), async (write) => {
      for await (const chunk of stored.content as AsyncIterable<Buffer>) await write(chunk);
    });
    return { key, ...written };
  }

  async #writeFile(
    path: string,
    fill: (write: (chunk: Buffer) => Promise<void>) => Promise<void>,
  ): Promise<FileFacts> {
    const file = await HashedFile.create(join(this.#options.folder, path));
    try {
      await fill((chunk) => file.write(chunk));
      return await file.finish();
    } catch (error) {
      await file.abandon();
      throw error;
    }
  }
}

/** Everything is read in one snapshot, which blocks nobody and may last as long as needed. */
function inSnapshot<Result>(
  pool: Pool,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  return withDedicatedConnection(pool, async (client) => {
    await client.query('SET extra_float_digits = 1');
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    return work(client);
  });
}

/**
 * Writes the organization into a new folder, as JSON Lines and files, in one consistent snapshot and constant memory. The manifest is
 * written last. A fault leaves the folder empty.
 *
 * @returns the manifest
 * @throws CommandFault, or errors of the stores
 */
export async function exportOrganization(options: ExportOptions): Promise<Manifest> {
  const { folder, passphrase, pool } = options;
  const { cipher, parameters } = await createExportCipher(passphrase);
  await takeFolder(folder);
  try {
    return await inSnapshot(pool, async (client) => {
      // The first statement takes the snapshot, so the snapshot is as of this head.
      const head = await readHead(client);
      const realm = await getRealm(client);
      await checkTablesKnown(client);
      const exporter = new Exporter(client, options, cipher);
      const schemaVersion = await readSchemaVersion(client);
      if (schemaVersion === undefined) throw new Error('a database with a realm has a schema');
      const tables = await exporter.writeTables();
      const manifest: Manifest = {
        format: formatName,
        format_version: formatVersion,
        parley_version: parleyVersion,
        schema_version: schemaVersion,
        exported_at: new Date(systemClock.nowMs()).toISOString(),
        organization: { name: realm.name, string_id: realm.stringId },
        log: { epoch: head.epoch, endPosition: head.endPosition, messageId: head.messageId },
        tables,
        // Sequences are outside of snapshots, and never behind them.
        sequences: await readSequences(client),
        files: await exporter.writeFiles(),
        sealing: parameters,
      };
      await writeManifest(folder, manifest, cipher);
      return manifest;
    });
  } catch (error) {
    for (const entry of await readdir(folder))
      await rm(join(folder, entry), { recursive: true, force: true });
    throw error;
  }
}

async function writeManifest(
  folder: string,
  manifest: Manifest,
  cipher: ExportCipher,
): Promise<void> {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  const mac = Buffer.from(`${cipher.authenticate(text)}\n`);
  for (const [path, content] of [
    [macPath, mac],
    [manifestPath, text],
  ] as const) {
    const file = await HashedFile.create(join(folder, path));
    await file.write(content);
    await file.finish();
  }
  await syncFolder(folder);
}
