/** Writes a zip archive as its entries come (APPNOTE 4.3), without holding one in memory; also such as no program would write. */
import { createWriteStream } from 'node:fs';
import type { WriteStream } from 'node:fs';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib';

const fields = (...values: readonly (readonly [value: number, bytes: 2 | 4])[]): Buffer => {
  const buffer = Buffer.alloc(values.reduce((sum, [, bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [value, bytes] of values) at = buffer.writeUIntLE(value, at, bytes);
  return buffer;
};

const level = 1;
const bytesMax = 2 ** 32 - 2;
const entriesMax = 2 ** 16 - 2;
const sizesFollow = 0x00_08;
const namesInUtf8 = 0x08_00;

/** What makes an entry something else than a file. */
export type ZipEntryBits = {
  /** General purpose flags; 1 is encrypted. */
  readonly flags?: number;
  /** The file's mode in Unix. */
  readonly mode?: number;
};

export class ZipWriter {
  readonly #output: WriteStream;
  readonly #directory: Buffer[] = [];
  #offset = 0;

  constructor(path: string) {
    this.#output = createWriteStream(path);
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#offset += bytes.length;
    if (!this.#output.write(bytes)) await once(this.#output, 'drain');
  }

  /** @throws Error at the bounds of archives without extensions for large ones */
  async add(
    name: string | Buffer,
    content: string | Buffer | Iterable<string>,
    { flags = namesInUtf8, mode = 0o100_644 }: ZipEntryBits = {},
  ): Promise<void> {
    const offset = this.#offset;
    const nameBytes = Buffer.from(name);
    const begin = fields([20, 2], [flags | sizesFollow, 2], [8, 2], [0, 2], [0x21, 2]);
    const nameFields = fields([nameBytes.length, 2], [0, 2]);
    await this.#write(
      Buffer.concat([
        fields([0x04_03_4b_50, 4]),
        begin,
        fields([0, 4], [0, 4], [0, 4]),
        nameFields,
        nameBytes,
      ]),
    );
    let [crc, bytes, packedBytes] = [0, 0, 0];
    const pieces: Iterable<string | Buffer> =
      typeof content === 'string' || Buffer.isBuffer(content) ? [content] : content;
    function* counted(): Generator<Buffer> {
      for (const text of pieces) {
        const chunk = Buffer.from(text);
        crc = crc32(chunk, crc);
        bytes += chunk.length;
        yield chunk;
      }
    }
    // Thousands of small entries would each keep the memory of a stream for a while.
    const packed = Array.isArray(pieces)
      ? [deflateRawSync(Buffer.concat([...counted()]), { level })]
      : Readable.from(counted()).compose(createDeflateRaw({ level }));
    for await (const chunk of packed as AsyncIterable<Buffer> | Buffer[]) {
      packedBytes += chunk.length;
      await this.#write(chunk);
    }
    const sizes = fields([crc, 4], [packedBytes, 4], [bytes, 4]);
    await this.#write(Buffer.concat([fields([0x08_07_4b_50, 4]), sizes]));
    if (bytes > bytesMax || this.#offset > bytesMax || this.#directory.length >= entriesMax)
      throw new Error('the export is too large for an archive of this kind');
    const rest = fields([0, 2], [0, 2], [0, 2], [mode * 0x1_00_00, 4], [offset, 4]);
    this.#directory.push(
      Buffer.concat([
        fields([0x02_01_4b_50, 4], [0x03_14, 2]),
        begin,
        sizes,
        nameFields,
        rest,
        nameBytes,
      ]),
    );
  }

  async close(): Promise<void> {
    const offset = this.#offset;
    const list = Buffer.concat(this.#directory);
    const count = this.#directory.length;
    await this.#write(list);
    await this.#write(
      fields(
        [0x06_05_4b_50, 4],
        [0, 2],
        [0, 2],
        [count, 2],
        [count, 2],
        [list.length, 4],
        [offset, 4],
        [0, 2],
      ),
    );
    this.#output.end();
    await once(this.#output, 'close');
  }
}
