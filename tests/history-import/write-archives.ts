/** Writes archives as other systems make them, and such as nobody should import. */
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { crc32, createGzip, deflateRawSync } from 'node:zlib';

import { pack } from 'tar-stream';
import type { Header } from 'tar-stream';

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
export type ZipEntry = {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  /** General purpose flags; 1 is encrypted. */
  readonly flags?: number;
  /** The file's mode in Unix. */
  readonly mode?: number;
};

const fields = (...values: readonly (readonly [value: number, bytes: 2 | 4])[]): Buffer => {
  const buffer = Buffer.alloc(values.reduce((sum, [, bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [value, bytes] of values) at = buffer.writeUIntLE(value, at, bytes);
  return buffer;
};

/** Writes a zip archive, also such as no program would write (APPNOTE 4.3). */
export async function writeZip(path: string, entries: readonly ZipEntry[]): Promise<void> {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', flags = 0, mode = 0o100_644 } of entries) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const nameBytes = Buffer.from(name);
    const common = fields(
      [20, 2],
      [flags, 2],
      [8, 2],
      [0, 2],
      [0x21, 2],
      [crc32(bytes), 4],
      [packed.length, 4],
      [bytes.length, 4],
      [nameBytes.length, 2],
      [0, 2],
    );
    const local = Buffer.concat([fields([0x04_03_4b_50, 4]), common, nameBytes, packed]);
    const made = fields([0x02_01_4b_50, 4], [0x03_14, 2]);
    const rest = fields([0, 2], [0, 2], [0, 2], [mode * 0x1_00_00, 4], [offset, 4]);
    parts.push(local);
    directory.push(Buffer.concat([made, common, rest, nameBytes]));
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const count = entries.length;
  const end = fields(
    [0x06_05_4b_50, 4],
    [0, 2],
    [0, 2],
    [count, 2],
    [count, 2],
    [list.length, 4],
    [offset, 4],
    [0, 2],
  );
  await writeFile(path, Buffer.concat([...parts, list, end]));
}
