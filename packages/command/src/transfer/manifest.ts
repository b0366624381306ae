/** The list of an export's contents. It is written last, so an export without it is incomplete. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { ImportedLog } from '@parley/event-log';

import { CommandFault } from '../faults.ts';
import { openExportCipher } from './export-cipher.ts';
import type { CipherParameters, ExportCipher } from './export-cipher.ts';

export const formatName = 'parley-export';
/** Formats before 2 counted schema versions from another first schema. */
export const formatVersion = 2;

export type FileFacts = { readonly bytes: number; readonly sha256: string };

export type TableFacts = FileFacts & {
  readonly name: string;
  /** Path below the export. */
  readonly path: string;
  readonly rows: number;
  /** The columns of the rows, except for tables with secrets, whose import fills some columns itself. */
  readonly columns: readonly string[];
};

export type Manifest = {
  readonly format: typeof formatName;
  readonly format_version: typeof formatVersion;
  readonly parley_version: string;
  readonly schema_version: number;
  readonly exported_at: string;
  readonly organization: { readonly name: string; readonly string_id: string };
  /** The head of the log in the export's snapshot. */
  readonly log: ImportedLog;
  readonly tables: readonly TableFacts[];
  /** Last values of sequences, by name. */
  readonly sequences: Readonly<Record<string, number>>;
  /** The list of uploaded files and pictures, and their number. */
  readonly files: FileFacts & {
    readonly path: string;
    readonly count: number;
    readonly content_bytes: number;
    /** Files that the database names but the store does not have. */
    readonly missing: number;
  };
  readonly sealing: CipherParameters;
};

/** A line of the list of files. */
export type ListedFile =
  | ({ readonly key: string } & FileFacts)
  | { readonly key: string; readonly missing: true };

export const manifestPath = 'manifest.json';
export const macPath = 'manifest.hmac';
export const fileListPath = 'files.jsonl';

export function tablePath(table: string): string {
  return join('tables', `${table}.jsonl`);
}

/** @param key of the store of files, which has no dots */
export function contentPath(key: string): string {
  return join('files', key);
}

async function read(folder: string, path: string): Promise<Buffer> {
  try {
    return await readFile(join(folder, path));
  } catch (error) {
    throw new CommandFault(
      `${join(folder, path)} cannot be read: this is no export, or one that was cut off before its end`,
      { cause: error },
    );
  }
}

function parse(text: Buffer): Partial<Manifest> {
  try {
    const value: unknown = JSON.parse(text.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // A text that is not JSON is not a manifest either.
  }
  return {};
}

/**
 * Reads the manifest of an export, and verifies with the passphrase that it is unchanged.
 *
 * @throws CommandFault if it is missing, altered, of another format, or the passphrase is wrong
 */
export async function readManifest(
  folder: string,
  passphrase: string,
): Promise<{ readonly manifest: Manifest; readonly cipher: ExportCipher }> {
  const text = await read(folder, manifestPath);
  const mac = await read(folder, macPath);
  const found = parse(text);
  if (found.format !== formatName || found.sealing === undefined)
    throw new CommandFault(`${join(folder, manifestPath)} is not the manifest of an export`);
  const version: number | undefined = found.format_version;
  if (version === 1)
    throw new CommandFault(
      `The export has format version 1: it was made before the first release, and nothing brings it to format version ${formatVersion}. Nothing was imported`,
    );
  if (version !== formatVersion)
    throw new CommandFault(
      `The export has format version ${String(version)}, this release reads ${formatVersion}: use the release that wrote it`,
    );
  const cipher = await openExportCipher(passphrase, found.sealing);
  if (!cipher.isAuthentic(text, mac.toString('utf8').trim()))
    throw new CommandFault('The manifest of the export was altered after it was written');
  // A verified manifest was written by this command, so it is complete.
  return { manifest: found as Manifest, cipher };
}
