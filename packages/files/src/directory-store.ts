import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';

import { FileStoreFault, checkKey } from './file-store.ts';
import type { ByteRange, FileStore, StoredFile } from './file-store.ts';

/**
 * Files in a folder. A write goes to a separate file in `incoming`, which is synced and then renamed to its place, so that nobody sees an
 * incomplete file. The name in `incoming` follows from the key, so removing the key also removes what a killed writer left.
 */
export class DirectoryStore implements FileStore {
  readonly #root: string;

  private constructor(root: string) {
    this.#root = root;
  }

  /**
   * Opens a folder, and makes it if needed.
   *
   * @throws FileStoreFault if this process may not write there
   */
  static async open(root: string): Promise<DirectoryStore> {
    try {
      await mkdir(join(root, 'incoming'), { recursive: true, mode: 0o700 });
      await access(join(root, 'incoming'), constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new FileStoreFault(`the folder of files ${root} cannot be used`, { cause: error });
    }
    return new DirectoryStore(root);
  }

  async write(key: string, content: Readable): Promise<number> {
    const incoming = this.#incomingPath(key);
    const place = this.#path(key);
    // A stream that fails before it is read would otherwise end the process.
    content.on('error', () => undefined);
    const file = await guarded(() => open(incoming, 'wx', 0o600));
    try {
      const size = await this.#fill(file, content);
      await guarded(async () => {
        await this.#makeFolders(dirname(place));
        await rename(incoming, place);
        await syncFolder(dirname(place));
      });
      return size;
    } catch (error) {
      await rm(incoming, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  async #fill(file: FileHandle, content: Readable): Promise<number> {
    let size = 0;
    try {
      for await (const chunk of content as AsyncIterable<Buffer>) {
        await guarded(() => writeAll(file, chunk));
        size += chunk.length;
      }
      await guarded(() => file.sync());
    } finally {
      content.destroy();
      await guarded(() => file.close());
    }
    return size;
  }

  async read(key: string, range?: ByteRange): Promise<StoredFile | undefined> {
    const place = this.#path(key);
    const file = await undefinedIfMissing(() => open(place, 'r'));
    if (file === undefined) return undefined;
    const { size } = await guarded(() => file.stat());
    const content = file.createReadStream(
      range === undefined ? {} : { start: range.first, end: range.last },
    );
    return { sizeBytes: size, content };
  }

  async remove(key: string): Promise<void> {
    const place = this.#path(key);
    const incoming = this.#incomingPath(key);
    await guarded(async () => {
      await rm(incoming, { force: true });
      await rm(place, { force: true });
    });
  }

  close(): void {
    // A folder has no connections.
  }

  #path(key: string): string {
    checkKey(key);
    return join(this.#root, 'stored', key);
  }

  #incomingPath(key: string): string {
    checkKey(key);
    return join(this.#root, 'incoming', createHash('sha256').update(key).digest('hex'));
  }

  /** The name of a folder is durable once the folder above it was synced. */
  async #makeFolders(folder: string): Promise<void> {
    const first = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    for (let made = folder; made.length >= first.length; made = dirname(made)) {
      await syncFolder(dirname(made));
    }
  }
}

async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    const { bytesWritten } = await file.write(chunk, written);
    written += bytesWritten;
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function faultOf(error: unknown): FileStoreFault {
  return new FileStoreFault('the folder of files failed', {
    cause: error,
  });
}

/** Runs file work, and turns a fault of the system into one of the store. */
async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw faultOf(error);
  }
}

/** Runs work on a file that may not exist. */
async function undefinedIfMissing<Result>(
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw faultOf(error);
  }
}
