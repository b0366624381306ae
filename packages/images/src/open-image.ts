import sharp from 'sharp';
import type { Metadata, Sharp } from 'sharp';

/**
 * Judging what somebody sent as an image. Only its content counts, and only four formats are let near a decoder: their first bytes are
 * looked at here, then size and frames in the header, and only then is anything decoded.
 */

// Each decode uses one thread of the pool and keeps nothing afterwards.
sharp.concurrency(1);
sharp.cache(false);

/** `not an image`: it is none, or broken; `too large`: it has more pixels than are decoded. */
export type ImageFault = 'not an image' | 'too large';

export class UnusableImage extends Error {
  override readonly name = 'UnusableImage';
  readonly fault: ImageFault;

  constructor(fault: ImageFault, options?: ErrorOptions) {
    super(fault === 'too large' ? 'the image has too many pixels' : 'this is no image', options);
    this.fault = fault;
  }
}

/** All frames together: a photograph of the largest usual cameras. Decoded it takes four bytes a pixel, 160 MB. */
const pixelsMax = 40_000_000;
const framesMax = 500;

/** A picture that takes longer to make is given up. */
const decodeTimeoutSecs = 20;

export type ImageFormat = 'png' | 'jpeg' | 'gif' | 'webp';

function startsWith(content: Buffer, bytes: string, at = 0): boolean {
  return content.subarray(at, at + bytes.length).toString('latin1') === bytes;
}

/** @returns the format that the first bytes announce */
export function findFormat(content: Buffer): ImageFormat | undefined {
  if (startsWith(content, '\x89PNG\r\n\x1a\n')) return 'png';
  if (startsWith(content, '\xff\xd8\xff')) return 'jpeg';
  if (startsWith(content, 'GIF87a') || startsWith(content, 'GIF89a')) return 'gif';
  if (startsWith(content, 'RIFF') && startsWith(content, 'WEBP', 8)) return 'webp';
  return undefined;
}

export type OpenedImage = {
  readonly format: ImageFormat;
  /** As it is shown, after its orientation is taken into account; of one frame. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** A decoder of the first frame, turned upright. */
  readonly still: () => Sharp;
  /** A decoder of all frames. */
  readonly moving: () => Sharp;
};

async function readMetadata(content: Buffer): Promise<Metadata> {
  try {
    // The bound is judged here, so the header is read whatever it says.
    return await sharp(content, { limitInputPixels: false }).metadata();
  } catch (error) {
    throw new UnusableImage('not an image', { cause: error });
  }
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
  const pixels = header.width * header.height;
  if (pixels === 0) throw new UnusableImage('not an image');
  if (pixels * frames > pixelsMax || frames > framesMax) throw new UnusableImage('too large');
  const options = { limitInputPixels: pixelsMax, failOn: 'error', sequentialRead: true } as const;
  const { width, height } = header.autoOrient;
  return {
    format,
    width,
    height,
    frames,
    still: () => sharp(content, options).timeout({ seconds: decodeTimeoutSecs }).autoOrient(),
    moving: () =>
      sharp(content, { ...options, animated: true }).timeout({ seconds: decodeTimeoutSecs }),
  };
}
