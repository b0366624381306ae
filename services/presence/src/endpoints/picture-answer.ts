import { rawAnswer } from '@parley/http';
import type { RawAnswer } from '@parley/http';
import type { StoredFile } from '@parley/files';

/** Pictures that anybody may see by their address. */
export const pictureAccess = {
  access: { authentication: 'none' },
  rawResponse: { contentType: 'image/*', description: 'The picture' },
  response: { type: 'object' },
} as const;

/** What an address means for good may be kept for a year; what it means at this time must be asked for again. */
const caching = {
  forever: 'public, max-age=31536000, immutable',
  asked: 'public, no-cache',
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
