import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { Client, Pool } from '@parley/database';
import type { FileStore } from '@parley/files';
import { claimNewFiles, noteNewFiles } from '@parley/store';

import { CommandFault } from '../faults.ts';
import type { Progress } from '../progress.ts';
import { contentPath } from './manifest.ts';
import type { FileFacts, ListedFile, Manifest } from './manifest.ts';
import { checkFacts, readListedFiles } from './verify-export.ts';

/** Longer than any import takes; files of a killed import are removed by then, or by the next import. */
const noteSecs = 7 * 86_400;
const filesPerStep = 500;

type PresentFile = { readonly key: string } & FileFacts;

/**
 * The files of an import. Each is noted before it is stored, and the transaction of the rows deletes the notes. So after any failure every
 * stored file without a row is found and removed.
 */
export class ImportedFiles {
  readonly #pool: Pool;
  readonly #files: FileStore;
  readonly #folder: string;
  readonly #manifest: Manifest;

  constructor(options: {
    readonly pool: Pool;
    readonly files: FileStore;
    readonly folder: string;
    readonly manifest: Manifest;
  }) {
    this.#pool = options.pool;
    this.#files = options.files;
    this.#folder = options.folder;
    this.#manifest = options.manifest;
  }

  /** @throws CommandFault if a file has changed since its check */
  async store(progress: Progress, signal: AbortSignal): Promise<void> {
    const bar = progress.start('Files', this.#manifest.files.count);
    try {
      for await (const present of this.#steps()) {
        const keys = present.map(({ key }) => key);
        const [taken] = await noteNewFiles(this.#pool, keys, noteSecs);
        if (taken !== undefined)
          throw new CommandFault(
            'Files of an interrupted import are being removed at this moment: try again in ten minutes',
          );
        for (const file of present) {
          signal.throwIfAborted();
          await this.#storeOne(file);
          bar.advance(1);
        }
      }
    } finally {
      bar.finish();
    }
  }

  async #storeOne({ key, ...expected }: PresentFile): Promise<void> {
    const path = join(this.#folder, contentPath(key));
    const hash = createHash('sha256');
    let bytes = 0;
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        bytes += chunk.length;
        done(null, chunk);
      },
    });
    // A copy of this file that a killed import left would be in the way.
    await this.#files.remove(key);
    await Promise.all([pipeline(createReadStream(path), counted), this.#files.write(key, counted)]);
    checkFacts(path, expected, { bytes, sha256: hash.digest('hex') });
  }

  /**
   * Deletes the notes, in the transaction of the rows.
   *
   * @throws Error if a file was removed meanwhile
   */
  async claim(client: Client): Promise<void> {
    for await (const present of this.#steps()) {
      const keys = present.map(({ key }) => key);
      if ((await claimNewFiles(client, keys)) !== keys.length)
        throw new CommandFault(
          'Files were removed while they were imported: something else works on this installation',
        );
    }
  }

  async *#steps(): AsyncGenerator<readonly PresentFile[]> {
    let step: PresentFile[] = [];
    for await (const listed of readListedFiles(this.#folder, this.#manifest)) {
      if (isPresent(listed)) step.push(listed);
      if (step.length < filesPerStep) continue;
      yield step;
      step = [];
    }
    if (step.length > 0) yield step;
  }
}

function isPresent(listed: ListedFile): listed is PresentFile {
  return !('missing' in listed);
}
