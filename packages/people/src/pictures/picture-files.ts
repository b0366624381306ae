import { Readable } from 'node:stream';

import { ApiError, serviceUnavailable } from '@parley/api';
import type { Client, Pool } from '@parley/database';
import { FileStoreFault } from '@parley/files';
import type { FileStore, StoredFile } from '@parley/files';
import type { Logger } from '@parley/telemetry/logging';
import { claimNewFiles, forgetRemovedFile, noteNewFiles, noteUnusedFile } from '@parley/store';

/** Far longer than storing and naming a picture takes; unnamed pictures are then removed. */
const claimMaxSecs = 3600;

/** A picture under a new key. */
export type NewPicture = { readonly key: string; readonly content: Buffer };

/**
 * Pictures as files. Each is noted for removal before it is stored, and the transaction that names it deletes the note. So a process that
 * dies in between leaves nothing permanently.
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
   * Stores pictures that are named together, then calls `name`. If that refuses, they are removed.
   *
   * @param name its transaction calls `claim`
   * @throws ApiError 503 when they cannot be stored
   * @throws whatever `name` throws
   */
  async keep<Result>(
    pictures: readonly NewPicture[],
    name: () => Promise<Result>,
  ): Promise<Result> {
    const keys = pictures.map(({ key }) => key);
    await noteNewFiles(this.#pool, keys, claimMaxSecs);
    try {
      for (const { key, content } of pictures)
        await this.#files.write(key, Readable.from([content]));
    } catch (error) {
      await this.remove(keys);
      throw this.#refusalOf(error);
    }
    try {
      return await name();
    } catch (error) {
      // After a lost connection they may be named. The clean-up decides by the notes.
      if (error instanceof ApiError) await this.remove(keys);
      throw error;
    }
  }

  /**
   * Deletes the notes of stored pictures, in the transaction that names them.
   *
   * @throws ApiError 503 if one was removed in the meantime
   */
  async claim(client: Client, keys: readonly string[]): Promise<void> {
    if ((await claimNewFiles(client, keys)) !== keys.length) throw serviceUnavailable();
  }

  /** Notes pictures for removal, in the transaction that drops the last reference; `remove` may follow its commit. */
  async giveUp(client: Client, keys: readonly string[]): Promise<void> {
    for (const key of keys) await noteUnusedFile(client, key);
  }

  /** Removes pictures that are noted for removal. Failed removals are repeated later. */
  async remove(keys: readonly string[]): Promise<void> {
    try {
      for (const key of keys) {
        await this.#files.remove(key);
        await forgetRemovedFile(this.#pool, key);
      }
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
    this.#log.error({ err: error }, 'the file store failed');
    return serviceUnavailable();
  }
}
