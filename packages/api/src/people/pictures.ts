import { limits } from '../limits.ts';

/** Common parts of endpoints that take, show or find avatars and other pictures (reference facts, people 7.8). */

/** For endpoints that take one: the service, which draws one at a time, bounds its size. */
export const pictureUpload = {
  limits: {
    bodyMaxBytes: limits.anyBodyMaxBytes,
    waitMaxMs: limits.pictureWaitMaxMs + limits.pictureWorkMaxMs,
  },
} as const;

/** For endpoints that show one to anybody who has its address. */
export function pictureOf(contentType: 'image/png' | 'image/*') {
  return {
    method: 'GET',
    below: 'root',
    service: 'people',
    access: { authentication: 'none' },
    success: [{ contentType, description: 'The picture' }],
  } as const;
}

/** The answers of endpoints that return the address of one. */
export const pictureRedirection = [
  {
    status: 302,
    description: 'A redirect to the picture',
    headers: { Location: 'Where the picture is' },
  },
] as const;
