import { join } from 'node:path';

import { CommandFault } from '../faults.ts';
import type { Progress } from '../progress.ts';
import { LineFile, hashFile } from './hashed-file.ts';
import { contentPath } from './manifest.ts';
import type { FileFacts, ListedFile, Manifest } from './manifest.ts';

/** @throws CommandFault if a file differs from the manifest */
export function checkFacts(path: string, expected: FileFacts, found: FileFacts): void {
  if (expected.bytes !== found.bytes)
    throw new CommandFault(
      `${path} has ${found.bytes} bytes and not ${expected.bytes}: the export was cut off or altered`,
    );
  if (expected.sha256 !== found.sha256)
    throw new CommandFault(`${path} was altered after the export (its SHA-256 is another one)`);
}

async function hash(path: string, advance: (bytes: number) => void): Promise<FileFacts> {
  return hashFile(path, advance).catch((error: unknown) => {
    throw new CommandFault(`${path} cannot be read: the export is not complete`, { cause: error });
  });
}

/**
 * Reads the whole export before any of it is used.
 *
 * @throws CommandFault with the first file that is missing, cut off or altered
 */
export async function verifyExport(
  folder: string,
  manifest: Manifest,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const { tables, files } = manifest;
  const total = [...tables, files].reduce((sum, { bytes }) => sum + bytes, files.content_bytes);
  const bar = progress.start('Check', total);
  const advance = (bytes: number): void => {
    signal.throwIfAborted();
    bar.advance(bytes);
  };
  try {
    for (const { path, ...facts } of [...tables, files])
      checkFacts(join(folder, path), facts, await hash(join(folder, path), advance));
    for await (const listed of readListedFiles(folder, manifest)) {
      if ('missing' in listed) continue;
      const path = join(folder, contentPath(listed.key));
      checkFacts(path, listed, await hash(path, advance));
    }
  } finally {
    bar.finish();
  }
}

/** The files of an export, whose list has been checked. */
export async function* readListedFiles(
  folder: string,
  manifest: Manifest,
): AsyncGenerator<ListedFile> {
  for await (const lines of new LineFile(join(folder, manifest.files.path)).batches()) {
    for (const line of lines) yield JSON.parse(line) as ListedFile;
  }
}
