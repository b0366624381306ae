import type { Sharp } from 'sharp';

import { OneAtATime } from './one-at-a-time.ts';
import { UnusableImage, openImage } from './open-image.ts';
import type { ImageFormat, OpenedImage } from './open-image.ts';

/** Making the pictures that are kept from what somebody sent. Nothing of the original but its pixels is kept: no place, no camera. */

export type MadeImage = {
  readonly content: Buffer;
  readonly format: ImageFormat;
  readonly width: number;
  readonly height: number;
};

/** Originals are a few MiB each, and so many of them may wait. */
const decoding = new OneAtATime(32);

/** An animated image is resized when a side is longer (reference facts, people 11.1). */
const animatedMaxSide = 128;

/** Decoding in full can fail where the header was right; so can the time it may take. */
async function encode(picture: Sharp): Promise<Buffer> {
  try {
    return await picture.toBuffer();
  } catch (error) {
    throw new UnusableImage('not an image', { cause: error });
  }
}

function cropped(image: OpenedImage, side: number): Sharp {
  return image.still().resize(side, side, { fit: 'cover', position: 'centre' });
}

/**
 * Makes square PNGs, cropped to fill, upright, of the first frame of an animation.
 *
 * @param sides in pixels, one for each picture
 * @throws UnusableImage
 */
export async function cropToPngs(content: Buffer, sides: readonly number[]): Promise<Buffer[]> {
  return decoding.run(async () => {
    const image = await openImage(content);
    const made: Buffer[] = [];
    for (const side of sides) made.push(await encode(cropped(image, side).png()));
    return made;
  });
}

/**
 * Makes a square picture in the original's own format, cropped to fill. An animated GIF stays animated, and is left as it is unless it
 * is not square or a side is longer than 128 pixels.
 *
 * @param side in pixels
 * @throws UnusableImage
 */
export async function cropToSquare(content: Buffer, side: number): Promise<MadeImage> {
  return decoding.run(async () => {
    const image = await openImage(content);
    const { format } = image;
    if (format !== 'gif' || image.frames === 1) {
      const picture = await encode(cropped(image, side).toFormat(format));
      return { content: picture, format, width: side, height: side };
    }
    const isKept = image.width === image.height && image.width <= animatedMaxSide;
    const moving = image.moving();
    // Encoded again even where it keeps its size: what follows the picture in the file is not kept, and a broken frame is found.
    const picture = await encode(
      (isKept ? moving : moving.resize(side, side, { fit: 'cover', position: 'centre' })).gif(),
    );
    const made = isKept ? image.width : side;
    return { content: picture, format, width: made, height: made };
  });
}

/**
 * Makes a PNG that fits into a box and is not enlarged, upright, of the first frame of an animation.
 *
 * @param box in pixels
 * @throws UnusableImage
 */
export async function fitToPng(
  content: Buffer,
  box: { readonly width: number; readonly height: number },
): Promise<Buffer> {
  return decoding.run(async () => {
    const image = await openImage(content);
    return encode(
      image
        .still()
        .resize(box.width, box.height, { fit: 'inside', withoutEnlargement: true })
        .png(),
    );
  });
}
