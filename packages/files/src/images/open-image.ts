import sharp from 'sharp';
import type { Metadata, Sharp } from 'sharp';

/**
 * Judges whether uploaded content is an image. Only the content counts, and only five formats reach a decoder. Their first bytes are
 * examined first, then the size in the header, and only then is anything decoded.
 */

// Each decode uses one thread of the pool and keeps nothing afterwards.
sharp.concurrency(1);
sharp.cache(false);

/** `not an image`: it is none, or broken; `too large`: it exceeds the limits of a picture. */
export type ImageFault = 'not an image' | 'too large';

export class UnusableImage extends Error {
  override readonly name = 'UnusableImage';
  readonly fault: ImageFault;

  constructor(fault: ImageFault, options?: ErrorOptions) {
    super(fault === 'too large' ? 'the image takes too much' : 'this is no image', options);
    this.fault = fault;
  }
}

const mebibyte = 1024 * 1024;
/** All frames decoded. This is a photograph of 44 million pixels in 8 bits and three colours. */
const decodedMaxBytes = 128 * mebibyte;
/** One frame, if the decoder holds all of it instead of passing on row after row. */
const heldMaxBytes = 80 * mebibyte;
const framesMax = 500;

export type ImageFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'tiff';

function startsWith(content: Buffer, bytes: string, at = 0): boolean {
  return content.subarray(at, at + bytes.length).toString('latin1') === bytes;
}

/** @returns the format that the first bytes announce */
export function findFormat(content: Buffer): ImageFormat | undefined {
  if (startsWith(content, '\x89PNG\r\n\x1a\n')) return 'png';
  if (startsWith(content, '\xff\xd8\xff')) return 'jpeg';
  if (startsWith(content, 'GIF87a') || startsWith(content, 'GIF89a')) return 'gif';
  if (startsWith(content, 'RIFF') && startsWith(content, 'WEBP', 8)) return 'webp';
  if (startsWith(content, 'II*\0') || startsWith(content, 'MM\0*')) return 'tiff';
  return undefined;
}

export type OpenedImage = {
  readonly format: ImageFormat;
  /** After applying the orientation; of one frame. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** A decoder of the first frame, upright. */
  readonly still: () => Sharp;
  /** A decoder of all frames. */
  readonly moving: () => Sharp;
};

async function readMetadata(content: Buffer): Promise<Metadata> {
  try {
    // The bound is checked here, so the header is read whatever it says.
    return await sharp(content, { limitInputPixels: false }).metadata();
  } catch (error) {
    throw new UnusableImage('not an image', { cause: error });
  }
}

const sampleBytes: Readonly<Record<string, number>> = {
  uchar: 1,
  char: 1,
  ushort: 2,
  short: 2,
  uint: 4,
  int: 4,
  float: 4,
  double: 8,
  complex: 8,
  dpcomplex: 16,
};
const coefficientBytes = 2;
const animatedChannels = 4;

/** The memory of one frame in the decoder. Palettes count as the colours that they stand for, because they are decoded to these. */
function frameBytes(format: ImageFormat, header: Metadata): number {
  const pixels = header.width * header.height;
  if (format === 'gif' || format === 'webp') return pixels * animatedChannels;
  // All coefficients of a progressive JPEG are in memory until its last scan.
  if (format === 'jpeg' && header.isProgressive) {
    const samples = header.chromaSubsampling === '4:2:0' ? 1.5 : header.channels;
    return pixels * samples * coefficientBytes;
  }
  return pixels * header.channels * (sampleBytes[header.depth] ?? Number.POSITIVE_INFINITY);
}

function isHeldWhole(format: ImageFormat, header: Metadata): boolean {
  const comesInRows = format === 'png' || format === 'jpeg';
  return !comesInRows || header.isProgressive;
}

/**
 * Reads the header of an image.
 *
 * @throws UnusableImage
 */
export async function openImage(content: Buffer): Promise<OpenedImage> {
  const format = findFormat(content);
  if (format === undefined) throw new UnusableImage('not an image');
  const header = await readMetadata(content);
  if (header.format !== format) throw new UnusableImage('not an image');
  const frames = header.pages ?? 1;
  const bytes = frameBytes(format, header);
  if (bytes === 0) throw new UnusableImage('not an image');
  if (
    frames > framesMax ||
    bytes * frames > decodedMaxBytes ||
    (isHeldWhole(format, header) && bytes > heldMaxBytes)
  )
    throw new UnusableImage('too large');
  const options = { limitInputPixels: false, failOn: 'error', sequentialRead: true } as const;
  const { width, height } = header.autoOrient;
  return {
    format,
    width,
    height,
    frames,
    still: () => sharp(content, options).autoOrient(),
    moving: () => sharp(content, { ...options, animated: true }),
  };
}
