import { defineEndpoint, exampleVariables, rawAnswer, text } from '@parley/http';
import type { RawAnswer } from '@parley/http';
import { encodeThumbnailUrl } from '@parley/markdown';
import { isPictureVisible } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import { page } from './get-uploaded-file.ts';

const sizes = new Set(['thumbnail', 'full']);
const uploadsPath = '/user_uploads/';

/** The address to send the browser to, in ASCII and without anything that could end a header; or undefined. */
function findTarget(url: string, base: string): URL | undefined {
  const target = URL.parse(url, base);
  return target !== null && /^https?:$/.test(target.protocol) ? target : undefined;
}

function redirect(location: string): RawAnswer {
  return rawAnswer(302, { Location: location, 'Content-Type': 'text/plain; charset=utf-8' });
}

/**
 * GET /thumbnail (reference facts, markdown 6.1). Pictures are not scaled: the browser is sent to the original. Only to one that
 * somebody showed the caller, so that the address of this server vouches for no other.
 */
export const getThumbnailEndpoint = defineEndpoint({
  name: 'get-thumbnail',
  method: 'GET',
  below: 'root',
  path: '/thumbnail',
  summary: 'Get a picture that a message shows',
  description:
    'Redirects to an uploaded picture, or to one that some message links to that the caller may see. The key may also be the query parameter `api_key`.',
  example: {
    parameters: { url: exampleVariables.uploadedUri, size: 'thumbnail' },
    savedAs: 'thumbnail.png',
  },
  access: { authentication: 'required' },
  parameters: [
    text('url', {
      required: true,
      description: 'The address of the picture; uploads without a slash before it',
    }),
    text('size', { required: true, description: '`thumbnail` or `full`' }),
  ],
  rawResponse: {
    status: 302,
    contentType: 'text/plain',
    description: 'A redirect to the picture',
    headers: { Location: 'Where the picture is' },
  },
  response: { type: 'object' },
  errors: ['INVALID_API_KEY'],
  refusals: [
    { status: 403, contentType: 'text/html', description: 'The picture may not be seen' },
    { status: 404, contentType: 'text/html', description: 'There is no such picture' },
  ],
  handler: async (context: MessagesContext, { caller, parameters }) => {
    const { url, size } = parameters;
    if (!sizes.has(size)) return page(403, 'Invalid size.');
    if (url.startsWith(uploadsPath.slice(1))) {
      // Whether the caller may read the file is decided where it is served.
      const path = findTarget(`/${url}`, context.publicUrl)?.pathname ?? '';
      return path.startsWith(uploadsPath) ? redirect(path) : page(404, 'File not found.');
    }
    const target = URL.canParse(url) ? findTarget(url, context.publicUrl) : undefined;
    const isVisible =
      target !== undefined &&
      (await isPictureVisible(context.pool, caller.userId, encodeThumbnailUrl(url)));
    return isVisible
      ? redirect(target.href)
      : page(403, 'You are not authorized to view this file.');
  },
});
