import fc from 'fast-check';
import sharp from 'sharp';
import type { Create, Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';

import {
  gifHeader,
  jpegHeader,
  pngHeader,
  tiffHeader,
  webpHeader,
} from '../../tests/large-headers.ts';
import { drawDefaultAvatar } from './default-avatar.ts';
import { drawDefaultLogo } from './default-logo.ts';
import { drawExtraEmoji } from './extra-emoji.ts';
import { makeImages } from './make-images.ts';
import type { MadeImage, WantedImages } from './make-images.ts';
import { findFormat, openImage } from './open-image.ts';

async function makeOne(content: Buffer, wanted: WantedImages): Promise<MadeImage> {
  const [made, ...more] = await makeImages(content, wanted);
  if (made === undefined || more.length > 0) throw new Error('one picture was wanted');
  return made;
}

const cropToPngs = async (content: Buffer, sides: readonly number[]): Promise<Buffer[]> =>
  (await makeImages(content, { shape: 'squares', sides })).map((made) => made.content);
const cropToSquare = (content: Buffer, side: number): Promise<MadeImage> =>
  makeOne(content, { shape: 'square', side });
const fitToPng = async (
  content: Buffer,
  box: { readonly width: number; readonly height: number },
): Promise<Buffer> => (await makeOne(content, { shape: 'fitted', ...box })).content;

const red = { r: 255, g: 0, b: 0 };
const blue = { r: 0, g: 0, b: 255 };

function plain(width: number, height: number, background: Create['background'] = red): Sharp {
  return sharp({ create: { width, height, channels: 3, background } });
}

/** Left half red, right half blue. */
async function halves(width: number, height: number): Promise<Sharp> {
  const right = await plain(width / 2, height, blue)
    .png()
    .toBuffer();
  return sharp(
    await plain(width, height)
      .composite([{ input: right, left: width / 2, top: 0 }])
      .png()
      .toBuffer(),
  );
}

async function animation(width: number, height: number): Promise<Buffer> {
  const frames = await Promise.all(
    [red, blue, { r: 0, g: 255, b: 0 }].map((color) =>
      plain(width, height, color).png().toBuffer(),
    ),
  );
  return sharp(frames, { join: { animated: true } })
    .gif({ delay: [100, 100, 100] })
    .toBuffer();
}

async function pixelAt(picture: Buffer, left: number, top: number): Promise<number[]> {
  const { data } = await sharp(picture)
    .extract({ left, top, width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return [...data];
}

describe('squares', () => {
  test.each(['png', 'jpeg', 'gif', 'webp', 'tiff'] as const)(
    'a %s becomes filled PNGs',
    async (format) => {
      const original = await (await halves(400, 100)).toFormat(format).toBuffer();
      const [small, large] = await cropToPngs(original, [100, 500]);
      expect(await sharp(small).metadata()).toMatchObject({
        format: 'png',
        width: 100,
        height: 100,
      });
      expect(await sharp(large).metadata()).toMatchObject({
        format: 'png',
        width: 500,
        height: 500,
      });
      // The middle is kept, with half of each.
      const [left, right] = [
        await pixelAt(small ?? original, 10, 50),
        await pixelAt(small ?? original, 90, 50),
      ];
      expect(left[0]).toBeGreaterThan(240);
      expect(right[2]).toBeGreaterThan(240);
    },
  );

  test('a picture with an orientation is turned upright, and loses its metadata', async () => {
    // Orientation 6 means a turn of 90 degrees clockwise, so the left side becomes the top.
    const original = await (
      await halves(200, 200)
    )
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const [picture] = await cropToPngs(original, [100]);
    const [top, bottom] = [
      await pixelAt(picture ?? original, 50, 10),
      await pixelAt(picture ?? original, 50, 90),
    ];
    expect(top[0]).toBeGreaterThan(240);
    expect(bottom[2]).toBeGreaterThan(240);
    const { orientation, exif } = await sharp(picture).metadata();
    expect([orientation, exif]).toEqual([undefined, undefined]);
  });

  test('emoji keep their format', async () => {
    for (const format of ['png', 'jpeg', 'webp', 'gif'] as const) {
      const made = await cropToSquare(await plain(300, 200).toFormat(format).toBuffer(), 64);
      expect(made).toMatchObject({ format, width: 64, height: 64 });
      expect(await sharp(made.content).metadata()).toMatchObject({ format, width: 64, height: 64 });
    }
  });

  test('an emoji of a format that browsers do not show becomes a PNG', async () => {
    expect(await cropToSquare(await plain(300, 200).tiff().toBuffer(), 64)).toMatchObject({
      format: 'png',
      width: 64,
      height: 64,
    });
  });

  test.each([
    [100, 100, 100],
    [128, 128, 128],
    [129, 129, 64],
    [100, 80, 64],
  ])('an animated GIF of %i by %i stays animated and has %i', async (width, height, side) => {
    const made = await cropToSquare(await animation(width, height), 64);
    expect(made).toMatchObject({ format: 'gif', width: side, height: side });
    const header = await sharp(made.content).metadata();
    expect([header.width, header.pageHeight ?? header.height, header.pages]).toEqual([
      side,
      side,
      3,
    ]);
  });
});

test.each(['day', 'night'] as const)('there is a logo for the %s', async (theme) => {
  expect(await sharp(await drawDefaultLogo(theme)).metadata()).toMatchObject({
    format: 'png',
    width: 420,
    height: 100,
    hasAlpha: true,
  });
});

test('the built-in emoji is a square', async () => {
  expect(await sharp(await drawExtraEmoji()).metadata()).toMatchObject({
    format: 'png',
    width: 64,
    height: 64,
    hasAlpha: true,
  });
});

test('a logo fits into its box and is not enlarged', async () => {
  const wide = await fitToPng(await plain(1600, 100).png().toBuffer(), { width: 800, height: 100 });
  expect(await sharp(wide).metadata()).toMatchObject({ width: 800, height: 50, format: 'png' });
  const small = await fitToPng(await plain(30, 20).png().toBuffer(), { width: 800, height: 100 });
  expect(await sharp(small).metadata()).toMatchObject({ width: 30, height: 20 });
});

describe('refuses', () => {
  const notAnImage = { name: 'UnusableImage', fault: 'not an image' };
  const tooLarge = { name: 'UnusableImage', fault: 'too large' };

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('This is no image.')],
    [
      'an SVG drawing',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    ],
    ['only the first bytes of a PNG', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    ['only the first bytes of a GIF', Buffer.from('GIF89a')],
    ['a sound', Buffer.from('RIFF\x00\x00\x00\x00WAVEfmt ', 'latin1')],
  ])('%s', async (_what, content) => {
    await expect(cropToPngs(content, [100])).rejects.toMatchObject(notAnImage);
    await expect(cropToSquare(content, 64)).rejects.toMatchObject(notAnImage);
  });

  test('a truncated picture', async () => {
    const noise = Buffer.from(Array.from({ length: 300 * 300 * 3 }, (_, n) => (n * 7919) % 256));
    const whole = await sharp(noise, { raw: { width: 300, height: 300, channels: 3 } })
      .png()
      .toBuffer();
    await expect(cropToPngs(whole.subarray(0, whole.length / 2), [100])).rejects.toMatchObject(
      notAnImage,
    );
  });

  test.each<[string, Buffer | Promise<Buffer>, Buffer | Promise<Buffer>]>([
    ['a PNG', pngHeader(6_600, 'rgb'), pngHeader(6_800, 'rgb')],
    ['a palette', pngHeader(6_600, 'palette'), pngHeader(6_800, 'palette')],
    [
      'interlaced rows',
      pngHeader(4_500, 'rgba', { isInterlaced: true }),
      pngHeader(4_700, 'rgba', { isInterlaced: true }),
    ],
    [
      'two bytes per colour',
      pngHeader(3_200, 'rgba', { depth: 16, isInterlaced: true }),
      pngHeader(3_300, 'rgba', { depth: 16, isInterlaced: true }),
    ],
    [
      'a JPEG',
      jpegHeader(6_600, { progressive: false, chromaSubsampling: '4:2:0' }),
      jpegHeader(6_800, { progressive: false, chromaSubsampling: '4:2:0' }),
    ],
    [
      'a JPEG of several scans',
      jpegHeader(5_200, { progressive: true, chromaSubsampling: '4:2:0' }),
      jpegHeader(5_400, { progressive: true, chromaSubsampling: '4:2:0' }),
    ],
    [
      'a JPEG of several scans with full colours',
      jpegHeader(3_700, { progressive: true, chromaSubsampling: '4:4:4' }),
      jpegHeader(3_800, { progressive: true, chromaSubsampling: '4:4:4' }),
    ],
    ['a WebP', webpHeader(4_500), webpHeader(4_700)],
    ['a GIF', gifHeader(4_500, 1), gifHeader(4_700, 1)],
    ['an animation', gifHeader(256, 500), gifHeader(260, 500)],
    ['many frames', gifHeader(2, 500), gifHeader(2, 501)],
    ['a TIFF of one strip', tiffHeader(5_200), tiffHeader(5_400)],
  ])('what takes too much decoded, before anything is: %s', async (_what, within, beyond) => {
    await expect(openImage(await within)).resolves.toBeDefined();
    await expect(openImage(await beyond)).rejects.toMatchObject(tooLarge);
  });

  test('altered bytes are refused or become a picture, and break nothing', async () => {
    const original = await (await halves(60, 40)).jpeg().toBuffer();
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: original.length - 1 }),
        fc.nat({ max: 255 }),
        async (at, byte) => {
          const altered = Buffer.from(original);
          altered[at] = byte;
          const made = await cropToPngs(altered, [20]).catch((error: unknown) => error);
          if (Array.isArray(made))
            expect(await sharp(made[0] as Buffer).metadata()).toMatchObject({ width: 20 });
          else expect(made).toMatchObject({ name: 'UnusableImage' });
        },
      ),
    );
  });
});

test('a format is detected by its first bytes', async () => {
  for (const format of ['png', 'jpeg', 'gif', 'webp', 'tiff'] as const)
    expect(findFormat(await plain(3, 3).toFormat(format).toBuffer())).toBe(format);
});

test('the default avatar is drawn at any size', async () => {
  for (const side of [100, 500])
    expect(await sharp(await drawDefaultAvatar(side)).metadata()).toMatchObject({
      format: 'png',
      width: side,
      height: side,
    });
});
