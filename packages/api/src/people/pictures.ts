import { limits } from '../limits.ts';

/** What endpoints have in common that take, show or find avatars and other pictures (reference facts, people 7.8). */

/** Of those that take one: its size is bounded by the service, which makes one after another. */
export const pictureUpload = {
  bodyMaxBytes: limits.anyBodyMaxBytes,
  waitMaxMs: limits.pictureWaitMaxMs + limits.pictureWorkMaxMs,
} as const;

/** Of those that show one, to anybody who has its address. */
export function pictureOf(contentType: 'image/png' | 'image/*') {
  return {
    method: 'GET',
    below: 'root',
    service: 'people',
    access: { authentication: 'none' },
    success: [{ contentType, description: 'The picture' }],
  } as const;
}

/** What those answer that say where one is. */
export const pictureRedirection = [
  {
    status: 302,
    description: 'A redirection to the picture',
    headers: { Location: 'Where the picture is' },
  },
] as const;
