import { Readable } from 'node:stream';

import { rawAnswer } from '@parley/server';
import type { RawAnswer } from '@parley/server';
import type { StoredFile } from '@parley/files';

/**
 * An address that always means the same picture is cached for a year, one that changes with every picture for a day; the current
 * picture under a fixed address must be revalidated.
 */
const caching = {
  forever: 'public, max-age=31536000, immutable',
  day: 'public, max-age=86400',
  revalidated: 'public, no-cache',
} as const;

/** @param type such as `image/png`; nothing else is to be made of the content */
export function pictureAnswer(
  type: string,
  picture: Pick<StoredFile, 'sizeBytes' | 'content'>,
  kept: keyof typeof caching,
): RawAnswer {
  return rawAnswer(
    200,
    {
      'Content-Type': type,
      'Content-Length': String(picture.sizeBytes),
      'Cache-Control': caching[kept],
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'",
    },
    picture.content,
  );
}

/** @param content a PNG that comes with the server */
export function drawnPictureAnswer(content: Buffer, kept: keyof typeof caching): RawAnswer {
  const picture = { sizeBytes: content.length, content: Readable.from([content]) };
  return pictureAnswer('image/png', picture, kept);
}
