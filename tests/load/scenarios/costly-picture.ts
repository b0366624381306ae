import { crc32, deflateSync } from 'node:zlib';

const bytesPerPixel = 8;
// Start and step of the seven passes of an interlaced PNG, across and down.
const passes = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const;

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}

/**
 * Creates a black, transparent, interlaced PNG with 16 bits per channel, so that a decoder must hold all of it.
 *
 * @param side in pixels; decoded, each pixel takes eight bytes, and the file is about a thousandth of that
 */
export function interlacedPng(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // 16 bits, red, green, blue and alpha, interlaced.
  header.set([16, 6, 0, 0, 1], 8);
  const counted = (from: number, step: number): number =>
    Math.max(0, Math.ceil((side - from) / step));
  const rowBytes = passes.reduce(
    (sum, [x, stepX, y, stepY]) =>
      sum + counted(y, stepY) * (1 + counted(x, stepX) * bytesPerPixel),
    0,
  );
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(rowBytes), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
