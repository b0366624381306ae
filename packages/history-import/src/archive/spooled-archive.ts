/**
 * A tar archive, unpacked to a folder of our own. Its entries come in any order, so they are all stored before any is read. Files are stored
 * under numbers, never under names of the archive.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

import { extract } from 'tar-stream';
import type { Header } from 'tar-stream';

import { ImportFault } from '../import-fault.ts';
import { UnpackedBytes, archiveBounds, checkEntryPath } from './archive-bounds.ts';
import { makeSpoolFolder } from './make-spool-folder.ts';

type Spooled = { readonly path: string; readonly bytes: number };

/** The piece in which files are read: reading is most of the work of an import. */
const readBytes = 1024 * 1024;
/** Left free on the disk. */
const spareBytes = 256 * 1024 * 1024;

/** The files of an archive by their paths below its one folder. */
export class SpooledArchive {
  readonly #folder: string;
  readonly #files: ReadonlyMap<string, Spooled>;

  constructor(folder: string, files: ReadonlyMap<string, Spooled>) {
    this.#folder = folder;
    this.#files = files;
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  paths(): readonly string[] {
    return [...this.#files.keys()];
  }

  bytesOf(path: string): number {
    return this.#files.get(path)?.bytes ?? 0;
  }

  /** @throws ImportFault if there is no such file */
  open(path: string): Readable {
    const file = this.#files.get(path);
    if (file === undefined) throw new ImportFault(`The archive has no ${path}`);
    return createReadStream(file.path, { highWaterMark: readBytes });
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Headers of one file, with what extends them; the reader of tar keeps them in memory. */
const headersMaxBytes = 16 * 1024 * 1024;

class Spooler {
  readonly files = new Map<string, Spooled>();
  readonly #folder: string;
  readonly #unpacked: UnpackedBytes;
  #entries = 0;
  #isInEntry = false;
  #headerBytes = 0;

  constructor(folder: string, packedBytes: number) {
    this.#folder = folder;
    this.#unpacked = new UnpackedBytes(packedBytes);
  }

  /** Counts what is unpacked before it is looked at, so that headers count too. */
  counted(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        try {
          this.#unpacked.add(chunk.length);
          this.#countHeaders(chunk.length);
          done(null, chunk);
        } catch (error) {
          done(error as Error);
        }
      },
    });
  }

  #countHeaders(bytes: number): void {
    this.#headerBytes = this.#isInEntry ? 0 : this.#headerBytes + bytes;
    if (this.#headerBytes > headersMaxBytes)
      throw new ImportFault('The archive has headers without end');
  }

  async take(header: Header, content: AsyncIterable<unknown>): Promise<void> {
    this.#isInEntry = true;
    await this.#store(header, content);
    this.#isInEntry = false;
  }

  async #store(header: Header, content: AsyncIterable<unknown>): Promise<void> {
    this.#entries += 1;
    if (this.#entries > archiveBounds.entriesMax)
      throw new ImportFault(`The archive has more than ${archiveBounds.entriesMax} entries`);
    const { type } = header;
    const path = checkEntryPath(header.name);
    if (type === 'directory') return;
    if (type !== 'file' && type !== 'contiguous-file')
      throw new ImportFault(
        `The archive has an entry that is no file, ${JSON.stringify(path)} (${type})`,
      );
    if (this.files.has(path))
      throw new ImportFault(`The archive has ${JSON.stringify(path)} twice`);
    const stored = join(this.#folder, String(this.files.size));
    await pipeline(content, createWriteStream(stored, { flags: 'wx' }));
    this.files.set(path, { path: stored, bytes: header.size });
  }
}

/** @returns the files without the archive's one top folder */
function belowTopFolder(files: ReadonlyMap<string, Spooled>): Map<string, Spooled> {
  const tops = new Set([...files.keys()].map((path) => path.split('/')[0]));
  const [top] = tops;
  if (tops.size !== 1 || top === undefined || files.has(top))
    throw new ImportFault('The archive is no export: it does not have exactly one folder');
  return new Map([...files].map(([path, file]) => [path.slice(top.length + 1), file]));
}

/**
 * Unpacks a tar archive compressed by gzip.
 *
 * @param folder in which the files are kept; made here, removed by `close`
 * @throws ImportFault if it is cut off, hostile or no such archive
 */
export async function spoolTar(
  file: string,
  folder: string,
  signal: AbortSignal,
): Promise<SpooledArchive> {
  const { size } = await stat(file);
  await makeSpoolFolder(folder);
  const spooler = new Spooler(folder, size);
  const reader = extract();
  try {
    const reading = (async () => {
      for await (const entry of reader) {
        const { bavail, bsize } = await statfs(folder);
        if (bavail * bsize < spareBytes + entry.header.size)
          throw new ImportFault(
            `There is not enough space in ${dirname(folder)} to unpack the archive`,
          );
        await spooler.take(entry.header, entry);
        // An entry that was not read holds up the others.
        entry.resume();
      }
    })();
    await Promise.all([
      pipeline(createReadStream(file), createGunzip(), spooler.counted(), reader, { signal }),
      reading,
    ]);
    return new SpooledArchive(folder, belowTopFolder(spooler.files));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (error instanceof ImportFault || signal.aborted) throw error;
    throw new ImportFault(
      `The archive cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}
