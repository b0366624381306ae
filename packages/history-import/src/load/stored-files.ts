/** Stores files of the archive. Each is noted for removal until the transaction that names it commits. */
import { Readable } from 'node:stream';

import type { Client, Pool } from '@parley/database';
import type { FileStore } from '@parley/files';
import { claimNewFiles, noteNewFiles } from '@parley/store';

import { ImportFault } from '../import-fault.ts';

/** Longer than any import takes. */
const noteSecs = 7 * 86_400;

export class StoredFiles {
  readonly #pool: Pool;
  readonly #client: Client;
  readonly #files: FileStore;
  readonly #isDryRun: boolean;

  /** @param options.client in the transaction of the import */
  constructor(options: {
    readonly pool: Pool;
    readonly client: Client;
    readonly files: FileStore;
    readonly isDryRun: boolean;
  }) {
    this.#pool = options.pool;
    this.#client = options.client;
    this.#files = options.files;
    this.#isDryRun = options.isDryRun;
  }

  /** Stores a file under a key; a dry run stores nothing. */
  async store(key: string, content: Readable | Buffer): Promise<void> {
    const stream = content instanceof Readable ? content : Readable.from([content]);
    if (this.#isDryRun) {
      stream.destroy();
      return;
    }
    const taken = await noteNewFiles(this.#pool, [key], noteSecs);
    if (taken.length > 0)
      throw new ImportFault(
        'Files of an interrupted import are being removed at this moment: try again in ten minutes',
      );
    // A killed import may have left a file of this name.
    await this.#files.remove(key);
    await this.#files.write(key, stream);
    if ((await claimNewFiles(this.#client, [key])) !== 1)
      throw new ImportFault('A file was removed while it was imported: something else works here');
  }
}
