/** Writes archives as other systems make them, and such as nobody should import. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

import { pack } from 'tar-stream';
import type { Header } from 'tar-stream';

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
