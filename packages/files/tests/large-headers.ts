/** Files whose headers state a size that their content does not have: any decoder finds that they are broken. */
import { crc32 } from 'node:zlib';
import sharp from 'sharp';

function pngChunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}

const colourTypes = { rgb: 2, palette: 3, rgba: 6 } as const;

export function pngHeader(
  side: number,
  colours: keyof typeof colourTypes,
  { depth = 8, isInterlaced = false } = {},
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([depth, colourTypes[colours], 0, 0, isInterlaced ? 1 : 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    ...(colours === 'palette' ? [pngChunk('PLTE', Buffer.alloc(6))] : []),
    pngChunk('IDAT', Buffer.alloc(0)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

const baselineFrame = Buffer.from([0xff, 0xc0]);
const progressiveFrame = Buffer.from([0xff, 0xc2]);

export async function jpegHeader(
  side: number,
  options: { readonly progressive: boolean; readonly chromaSubsampling: '4:4:4' | '4:2:0' },
): Promise<Buffer> {
  const small = await sharp({ create: { width: 16, height: 16, channels: 3, background: 'red' } })
    .jpeg(options)
    .toBuffer();
  const sizeAt = small.indexOf(options.progressive ? progressiveFrame : baselineFrame) + 5;
  small.writeUInt16BE(side, sizeAt);
  small.writeUInt16BE(side, sizeAt + 2);
  return small;
}

export async function webpHeader(side: number): Promise<Buffer> {
  const small = await sharp({ create: { width: 16, height: 16, channels: 3, background: 'red' } })
    .webp({ lossless: true })
    .toBuffer();
  const sizeAt = small.indexOf('VP8L') + 9;
  small.writeUInt32LE((side - 1) | ((side - 1) << 14), sizeAt);
  return small;
}

const onePixel = Buffer.from('000202440100', 'hex');

export function gifHeader(side: number, frames: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(side, 0);
  size.writeUInt16LE(side, 2);
  const frame = Buffer.concat([Buffer.from('2c00000000', 'hex'), size, onePixel]);
  return Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    size,
    Buffer.from('800000000000ffffff', 'hex'),
    ...Array.from({ length: frames }, () => frame),
    Buffer.from(';'),
  ]);
}

const shortType = 3;
const longType = 4;
const deflate = 8;
const rgb = 2;
const entryBytes = 12;

/** A TIFF of three colours whose rows are one strip. */
export function tiffHeader(side: number): Buffer {
  const list = [
    [256, longType, 1, side],
    [257, longType, 1, side],
    [258, shortType, 1, 8],
    [259, shortType, 1, deflate],
    [262, shortType, 1, rgb],
    [273, longType, 1, 8],
    [277, shortType, 1, 3],
    [278, longType, 1, side],
    [279, longType, 1, 0],
  ] as const;
  const listAt = 8;
  const header = Buffer.alloc(listAt + 2 + list.length * entryBytes + 4);
  header.write('II*\0', 'latin1');
  header.writeUInt32LE(listAt, 4);
  header.writeUInt16LE(list.length, listAt);
  for (const [n, [tag, type, count, value]] of list.entries()) {
    const at = listAt + 2 + n * entryBytes;
    header.writeUInt16LE(tag, at);
    header.writeUInt16LE(type, at + 2);
    header.writeUInt32LE(count, at + 4);
    header.writeUInt32LE(value, at + 8);
  }
  return header;
}
