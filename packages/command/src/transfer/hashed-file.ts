import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';

import type { FileFacts } from './manifest.ts';

/** Files of an export, counted and hashed while they are read or written. */

/** Only the operator may read an organization's messages. */
const fileMode = 0o600;
const folderMode = 0o700;

export class HashedFile {
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Creates a new file, and its folder if needed. */
  static async create(path: string): Promise<HashedFile> {
    await mkdir(dirname(path), { recursive: true, mode: folderMode });
    return new HashedFile(await open(path, 'wx', fileMode));
  }

  async write(chunk: Buffer): Promise<void> {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    for (let written = 0; written < chunk.length;) {
      const { bytesWritten } = await this.#file.write(chunk, written);
      written += bytesWritten;
    }
  }

  /** Makes it durable. */
  async finish(): Promise<FileFacts> {
    await this.#file.sync();
    await this.#file.close();
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  /** Closes it after a fault; its content is useless. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => undefined);
  }
}

/** Makes the entries of a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** @param onChunk called with the size of each piece */
export async function hashFile(path: string, onChunk: (bytes: number) => void): Promise<FileFacts> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    onChunk(chunk.length);
  }
  return { bytes, sha256: hash.digest('hex') };
}

const lineFeed = 0x0a;

/** Splits at line feeds only: other line separators of Unicode are part of a row's text. */
async function* readLines(path: string): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      begun.push(chunk.subarray(from, end));
      yield Buffer.concat(begun);
      begun = [];
      from = end + 1;
    }
    begun.push(chunk.subarray(from));
  }
  const last = Buffer.concat(begun);
  if (last.length > 0) yield last;
}

const linesMax = 1_000;
const bytesMax = 4 * 1024 * 1024;

/** The lines of a file, in batches that stay small in memory. */
export class LineFile {
  readonly #path: string;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async *batches(): AsyncGenerator<readonly string[]> {
    let batch: string[] = [];
    let batchBytes = 0;
    for await (const line of readLines(this.#path)) {
      this.#hash.update(line).update('\n');
      this.#bytes += line.length + 1;
      batch.push(line.toString('utf8'));
      batchBytes += line.length;
      if (batch.length < linesMax && batchBytes < bytesMax) continue;
      yield batch;
      batch = [];
      batchBytes = 0;
    }
    if (batch.length > 0) yield batch;
  }

  /** The size and hash of the file; once, after all batches. */
  facts(): FileFacts {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}
