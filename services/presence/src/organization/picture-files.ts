import { Readable } from 'node:stream';

import { serviceUnavailable } from '@parley/contracts';
import type { Client, Pool } from '@parley/database';
import { FileStoreFault } from '@parley/files';
import type { FileStore, StoredFile } from '@parley/files';
import type { Logger } from '@parley/logging';
import { claimNewFile, forgetRemovedFile, noteNewFile } from '@parley/store';

/** Far longer than storing a picture and naming it takes; what nobody names by then is removed. */
const claimMaxSecs = 3600;

/**
 * The organization's pictures as files. Each is noted before it is stored, and the note is taken back by the transaction that names it:
 * whoever dies in between leaves nothing behind for good.
 */
export class PictureFiles {
  readonly #pool: Pool;
  readonly #files: FileStore;
  readonly #log: Logger;

  constructor(options: { readonly pool: Pool; readonly files: FileStore; readonly log: Logger }) {
    this.#pool = options.pool;
    this.#files = options.files;
    this.#log = options.log;
  }

  /**
   * Stores a picture under a key that was never used. The transaction that names it calls `claim`; if there is none after all, `remove`
   * clears up at once.
   *
   * @throws ApiError 503 when it cannot be stored
   */
  async store(key: string, content: Buffer): Promise<void> {
    await noteNewFile(this.#pool, key, claimMaxSecs);
    try {
      await this.#files.write(key, Readable.from([content]));
    } catch (error) {
      await this.remove(key);
      throw this.#refusalOf(error);
    }
  }

  /**
   * Keeps a stored picture, in the transaction that names it.
   *
   * @throws ApiError 503 when it was removed meanwhile
   */
  async claim(client: Client, key: string): Promise<void> {
    if (!(await claimNewFile(client, key))) throw serviceUnavailable();
  }

  /** Removes a picture that is noted for removal. What does not succeed is done later. */
  async remove(key: string | undefined): Promise<void> {
    if (key === undefined) return;
    try {
      await this.#files.remove(key);
      await forgetRemovedFile(this.#pool, key);
    } catch (error) {
      this.#log.warn({ err: error }, 'a picture was not removed; it is tried again');
    }
  }

  /**
   * Opens a picture.
   *
   * @returns undefined when there is none
   * @throws ApiError 503 when it cannot be read
   */
  async read(key: string): Promise<StoredFile | undefined> {
    try {
      return await this.#files.read(key);
    } catch (error) {
      throw this.#refusalOf(error);
    }
  }

  #refusalOf(error: unknown): unknown {
    if (!(error instanceof FileStoreFault)) return error;
    this.#log.error({ err: error }, 'the store of files failed');
    return serviceUnavailable();
  }
}
