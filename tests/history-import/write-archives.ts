/** Writes archives as other systems make them, and such as nobody should import. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

import { pack } from 'tar-stream';
import type { Header } from 'tar-stream';

import { ZipWriter } from '../load/exports/zip-writer.ts';
import type { ZipEntryBits } from '../load/exports/zip-writer.ts';

/** A picture in PNG. */
export const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** An entry of a tar archive: its text, or what it is instead of a file. */
export type TarEntry = {
  readonly name: string;
  readonly content?: string | Buffer;
  readonly type?: Header['type'];
  readonly linkname?: string;
};

/** Writes a tar archive compressed by gzip. */
export async function writeTar(path: string, entries: readonly TarEntry[]): Promise<void> {
  const archive = pack();
  for (const { content = '', ...header } of entries) archive.entry(header, content);
  archive.finalize();
  await pipeline(archive, createGzip(), createWriteStream(path));
}

/** An entry of a zip archive, with the bits that make it something else than a file. */
export type ZipEntry = ZipEntryBits & {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
};

/** Writes a zip archive. */
export async function writeZip(path: string, entries: readonly ZipEntry[]): Promise<void> {
  const archive = new ZipWriter(path);
  for (const { name, content = '', ...bits } of entries) await archive.add(name, content, bits);
  await archive.close();
}
