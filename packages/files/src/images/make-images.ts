import sharp from 'sharp';
import type { Sharp } from 'sharp';

import { UnusableImage, openImage } from './open-image.ts';
import type { ImageFormat, OpenedImage } from './open-image.ts';

/** Makes the pictures that are stored from an uploaded one. Only the pixels of the original are kept: no place, no camera. */

/** The pictures to make; lengths in pixels. */
export type WantedImages =
  /** PNGs, cropped to fill, of the first frame of an animation. */
  | { readonly shape: 'squares'; readonly sides: readonly number[] }
  /** One picture in the original's own format, cropped to fill; an animated GIF stays animated. */
  | { readonly shape: 'square'; readonly side: number }
  /** A PNG that is not enlarged, of the first frame of an animation. */
  | { readonly shape: 'fitted'; readonly width: number; readonly height: number };

export type MadeImage = {
  readonly content: Buffer;
  /** One of the formats that every browser shows. */
  readonly format: Exclude<ImageFormat, 'tiff'>;
  readonly width: number;
  readonly height: number;
};

/** An animated image is resized when a side is longer (reference facts, people 11.1). */
const animatedMaxSide = 128;

/** Decoding the whole picture can fail although the header was valid. */
async function encode(picture: Sharp, format: MadeImage['format']): Promise<MadeImage> {
  try {
    const { data, info } = await picture.toFormat(format).toBuffer({ resolveWithObject: true });
    return { content: data, format, width: info.width, height: info.pageHeight ?? info.height };
  } catch (error) {
    throw new UnusableImage('not an image', { cause: error });
  }
}

function cropped(picture: Sharp, side: number): Sharp {
  return picture.resize(side, side, { fit: 'cover', position: 'centre' });
}

/** The largest is made from the original and the others from the largest, so that the original is decoded once. */
async function makeSquares(image: OpenedImage, sides: readonly number[]): Promise<MadeImage[]> {
  const largest = await encode(cropped(image.still(), Math.max(...sides)), 'png');
  const made: MadeImage[] = [];
  for (const side of sides)
    made.push(
      side === largest.width ? largest : await encode(cropped(sharp(largest.content), side), 'png'),
    );
  return made;
}

async function makeSquare(image: OpenedImage, side: number): Promise<MadeImage> {
  const { format } = image;
  if (format === 'tiff') return encode(cropped(image.still(), side), 'png');
  if (format !== 'gif' || image.frames === 1) return encode(cropped(image.still(), side), format);
  const isKept = image.width === image.height && image.width <= animatedMaxSide;
  const moving = image.moving();
  // Encoded again even if it keeps its size, so that data after the picture in the file is dropped and a broken frame is found.
  return encode(isKept ? moving : cropped(moving, side), format);
}

/**
 * Makes upright pictures from an original. Runs in the decoder's process.
 *
 * @throws UnusableImage
 */
export async function makeImages(content: Buffer, wanted: WantedImages): Promise<MadeImage[]> {
  const image = await openImage(content);
  switch (wanted.shape) {
    case 'squares':
      return makeSquares(image, wanted.sides);
    case 'square':
      return [await makeSquare(image, wanted.side)];
    case 'fitted': {
      const { width, height } = wanted;
      const box = { width, height, fit: 'inside', withoutEnlargement: true } as const;
      return [await encode(image.still().resize(box), 'png')];
    }
  }
}
