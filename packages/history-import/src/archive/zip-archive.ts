/** A zip archive, whose files are read where they are: nothing is unpacked. */
import { stat } from 'node:fs/promises';
import { Transform } from 'node:stream';
import type { Readable } from 'node:stream';

import { openPromise } from 'yauzl';
import type { Entry, ZipFile } from 'yauzl';

import { ImportFault } from '../import-fault.ts';
import { UnpackedBytes, archiveBounds, checkEntryPath } from './archive-bounds.ts';

/** Left by programs that pack archives again. */
const ignored = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$)/;

/** A source reads a file for its people, the order of messages, messages, reactions and the count. */
const readingsMax = 5;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const unixTypes = 0o170_000;
const unixLink = 0o120_000;

function nameOf(entry: Entry): string {
  try {
    // The flag for UTF-8 is often missing, and the names are in UTF-8 all the same.
    return utf8.decode(entry.fileNameRaw);
  } catch {
    throw new ImportFault('The archive has names in another encoding than UTF-8');
  }
}

/** The files of an archive by their paths, without a common top folder. */
export class ZipArchive {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #unpacked: UnpackedBytes;

  constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, unpacked: UnpackedBytes) {
    this.#zip = zip;
    this.#entries = entries;
    this.#unpacked = unpacked;
  }

  has(path: string): boolean {
    return this.#entries.has(path);
  }

  paths(): readonly string[] {
    return [...this.#entries.keys()];
  }

  bytesOf(path: string): number {
    return this.#entries.get(path)?.uncompressedSize ?? 0;
  }

  /** @throws ImportFault if there is no such file */
  async open(path: string): Promise<Readable> {
    const entry = this.#entries.get(path);
    if (entry === undefined) throw new ImportFault(`The archive has no ${path}`);
    const stream = await this.#zip.openReadStreamPromise(entry);
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        try {
          this.#unpacked.add(chunk.length);
          done(null, chunk);
        } catch (error) {
          done(error as Error);
        }
      },
    });
    stream.on('error', (error) =>
      counted.destroy(new ImportFault(`${path} cannot be unpacked: ${error.message}`)),
    );
    return stream.pipe(counted);
  }

  close(): void {
    this.#zip.close();
  }
}

function withoutTopFolder(entries: ReadonlyMap<string, Entry>): ReadonlyMap<string, Entry> {
  const tops = new Set([...entries.keys()].map((path) => path.split('/')[0]));
  const [top] = tops;
  if (tops.size !== 1 || top === undefined || entries.has(top)) return entries;
  return new Map([...entries].map(([path, entry]) => [path.slice(top.length + 1), entry]));
}

async function readEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  const { zipEntriesMax } = archiveBounds;
  if (zip.entryCount > zipEntriesMax)
    throw new ImportFault(`The archive has more than ${zipEntriesMax} entries`);
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    const name = nameOf(entry);
    const path = checkEntryPath(name);
    if (name.endsWith('/') || ignored.test(path)) continue;
    const shown = JSON.stringify(path);
    if (entry.isEncrypted()) throw new ImportFault(`The archive has an encrypted entry, ${shown}`);
    if (((entry.externalFileAttributes >>> 16) & unixTypes) === unixLink)
      throw new ImportFault(`The archive has an entry that is no file, ${shown} (link)`);
    if (entries.has(path)) throw new ImportFault(`The archive has ${shown} twice`);
    entries.set(path, entry);
  }
  return entries;
}

/** The fixed part of a header before a file's content (APPNOTE 4.3.7). */
const localHeaderBytes = 30;

/** @throws ImportFault if files have bytes of the archive in common, as no program packs them */
function checkApart(entries: ReadonlyMap<string, Entry>): void {
  let freeFrom = 0;
  const inOrder = [...entries].toSorted(
    ([, a], [, b]) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
  );
  for (const [path, { relativeOffsetOfLocalHeader: offset, compressedSize }] of inOrder) {
    if (offset < freeFrom)
      throw new ImportFault(
        `The archive has entries one inside of the other, such as ${JSON.stringify(path)}`,
      );
    freeFrom = offset + localHeaderBytes + compressedSize;
  }
}

/** @throws ImportFault if it is cut off, hostile or no zip archive */
export async function openZip(file: string): Promise<ZipArchive> {
  const { size } = await stat(file).catch((error: unknown) => {
    throw new ImportFault(`The archive cannot be read: ${(error as Error).message}`);
  });
  const zip = await openPromise(file, {
    lazyEntries: true,
    autoClose: false,
    decodeStrings: false,
    validateEntrySizes: true,
  }).catch((error: unknown) => {
    throw new ImportFault(`The archive cannot be read: ${(error as Error).message}`);
  });
  try {
    const entries = await readEntries(zip);
    checkApart(entries);
    const declared = new UnpackedBytes(size);
    for (const entry of entries.values()) declared.add(entry.uncompressedSize);
    return new ZipArchive(zip, withoutTopFolder(entries), new UnpackedBytes(readingsMax * size));
  } catch (error) {
    zip.close();
    if (error instanceof ImportFault) throw error;
    throw new ImportFault(`The archive cannot be read: ${(error as Error).message}`);
  }
}
