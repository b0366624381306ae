/**
 * Writes archives whose contents are far larger than they are: what repeats is compressed once and written many times over, so that the plain
 * data is nowhere.
 */
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';

/** A text that stands so many times behind itself. */
export type Repeated = { readonly text: string; readonly times: number };

export type HugeFile = {
  readonly name: string;
  readonly parts: readonly (string | Repeated)[];
  /** What the archive says of the unpacked size, if not the truth. */
  readonly declaredBytes?: number;
};

const pieceBytes = 1024 * 1024;

const bytesOf = (parts: HugeFile['parts']): number =>
  parts.reduce(
    (sum, part) =>
      sum +
      (typeof part === 'string'
        ? Buffer.byteLength(part)
        : Buffer.byteLength(part.text) * part.times),
    0,
  );

/** Packs a content in pieces that stand for themselves. */
function* packPieces(parts: HugeFile['parts'], pack: (plain: string) => Buffer): Generator<Buffer> {
  for (const part of parts) {
    const { text, times } = typeof part === 'string' ? { text: part, times: 1 } : part;
    const perPiece = Math.max(1, Math.floor(pieceBytes / Buffer.byteLength(text)));
    const whole = Math.floor(times / perPiece);
    if (whole > 0) {
      const packed = pack(text.repeat(perPiece));
      for (let n = 0; n < whole; n += 1) yield packed;
    }
    if (times % perPiece > 0) yield pack(text.repeat(times % perPiece));
  }
}

async function writePieces(path: string, pieces: Iterable<Buffer>): Promise<void> {
  const output = createWriteStream(path);
  let waiting: Buffer[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < pieceBytes) continue;
    if (!output.write(Buffer.concat(waiting))) await once(output, 'drain');
    [waiting, bytes] = [[], 0];
  }
  output.end(Buffer.concat(waiting));
  await once(output, 'close');
}

/** A header of ustar; sizes above 8 GiB are in base 256. */
function tarHeader(name: string, bytes: number): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write('0000644\0', 100);
  header.write('0000000\x000000000\0', 108);
  if (bytes < 8 ** 11) header.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124);
  else {
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(bytes), 128);
  }
  header.write('00000000000\0', 136);
  header.write('        0', 148);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** Writes a tar archive of members of gzip, one behind the other. */
export function writeHugeTar(path: string, files: Iterable<HugeFile>): Promise<void> {
  function* members(): Generator<Buffer> {
    for (const { name, parts, declaredBytes } of files) {
      const bytes = bytesOf(parts);
      yield gzipSync(tarHeader(name, declaredBytes ?? bytes));
      yield* packPieces(parts, (plain) => gzipSync(plain));
      if (bytes % 512 > 0) yield gzipSync(Buffer.alloc(512 - (bytes % 512)));
    }
    yield gzipSync(Buffer.alloc(1024));
  }
  return writePieces(path, members());
}

const small = (value: number): Buffer => {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16LE(value);
  return buffer;
};
const middle = (value: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
};
const large = (value: number): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
};

const directoryRun = 10_000;
const lastBlock = deflateRawSync('');
const beyond = 0xff_ff_ff_ff;

/** Writes a zip archive with the extensions for large ones (APPNOTE 4.3, 4.5.3). */
export function writeHugeZip(
  path: string,
  files: Iterable<HugeFile>,
  /** Lets all entries lead to the content of the first one. */
  options: { readonly isOverlapping: boolean } = { isOverlapping: false },
): Promise<void> {
  function* archive(): Generator<Buffer> {
    let offset = 0;
    let entries = 0;
    let first: { readonly packedBytes: number; readonly bytes: number } | undefined;
    const directory: Buffer[] = [];
    // Millions of small buffers would take gigabytes.
    const fill = (): void => {
      if (entries % directoryRun === 0)
        directory.splice(
          -directoryRun,
          directoryRun,
          Buffer.concat(directory.slice(-directoryRun)),
        );
    };
    for (const { name, parts, declaredBytes } of files) {
      const nameBytes = Buffer.from(name);
      const begin = Buffer.concat([small(45), small(0x08_00), small(8), middle(0), middle(0)]);
      const at = options.isOverlapping ? 0 : offset;
      let packedBytes = 0;
      if (!options.isOverlapping || first === undefined) {
        const sizes = Buffer.concat([middle(beyond), middle(beyond)]);
        const local = Buffer.concat([
          Buffer.concat([middle(0x04_03_4b_50), begin, sizes]),
          small(nameBytes.length),
          small(0),
          nameBytes,
        ]);
        yield local;
        for (const piece of packPieces(parts, (plain) =>
          deflateRawSync(plain, { finishFlush: constants.Z_FULL_FLUSH }),
        )) {
          packedBytes += piece.length;
          yield piece;
        }
        yield lastBlock;
        packedBytes += lastBlock.length;
        offset += local.length + packedBytes;
      }
      first ??= { packedBytes, bytes: bytesOf(parts) };
      const content = options.isOverlapping ? first : { packedBytes, bytes: bytesOf(parts) };
      directory.push(
        Buffer.concat([
          Buffer.concat([middle(0x02_01_4b_50), small(0x03_2d), begin]),
          Buffer.concat([middle(beyond), middle(beyond), small(nameBytes.length), small(28)]),
          Buffer.concat([
            small(0),
            small(0),
            small(0),
            middle(0o100_644 * 0x1_00_00),
            middle(beyond),
          ]),
          nameBytes,
          Buffer.concat([small(1), small(24), large(declaredBytes ?? content.bytes)]),
          Buffer.concat([large(content.packedBytes), large(at)]),
        ]),
      );
      entries += 1;
      fill();
    }
    const directoryBytes = directory.reduce((sum, entry) => sum + entry.length, 0);
    yield* directory;
    const counts = Buffer.concat([large(entries), large(entries)]);
    yield Buffer.concat([
      Buffer.concat([middle(0x06_06_4b_50), large(44), small(45), small(45), middle(0), middle(0)]),
      Buffer.concat([counts, large(directoryBytes), large(offset)]),
    ]);
    yield Buffer.concat([
      middle(0x07_06_4b_50),
      middle(0),
      large(offset + directoryBytes),
      middle(1),
    ]);
    yield Buffer.concat([
      middle(0x06_05_4b_50),
      small(0),
      small(0),
      small(0xff_ff),
      small(0xff_ff),
    ]);
    yield Buffer.concat([middle(beyond), middle(beyond), small(0)]);
  }
  return writePieces(path, archive());
}
