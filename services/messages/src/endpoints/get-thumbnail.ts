import { getThumbnailEndpoint } from '@parley/api/messages';
import { implement, rawAnswer } from '@parley/server';
import { encodeThumbnailUrl } from '@parley/markdown';
import { getRealm, isPictureVisible } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import { answerUpload, fileNotAuthorized, page } from '../files/answer-upload.ts';
import { findUploadPath } from '../files/upload-path.ts';

const sizes = new Set(['thumbnail', 'full']);

/** The address for the redirect, in ASCII and without a character that could end a header; or undefined. */
function findTarget(url: string): string | undefined {
  const target = URL.parse(url);
  return target !== null && /^https?:$/.test(target.protocol) ? target.href : undefined;
}

/** GET /thumbnail (reference facts, markdown 6.1). */
export const getThumbnailHandler = implement(
  getThumbnailEndpoint,
  async (context: MessagesContext, { caller, parameters, header }) => {
    const { url, size } = parameters;
    if (!sizes.has(size)) return page(403, 'Invalid size.');
    const upload = findUploadPath(url, context.publicUrl);
    if (upload !== undefined) return answerUpload(context, { caller, header }, upload);
    const target = findTarget(url);
    if (target === undefined) return fileNotAuthorized();
    const { settings } = await getRealm(context.pool);
    const isVisible = await isPictureVisible(
      context.pool,
      caller.userId,
      encodeThumbnailUrl(url),
      settings.allow_edit_history,
    );
    if (!isVisible) return fileNotAuthorized();
    return rawAnswer(302, { Location: target, 'Content-Type': 'text/plain; charset=utf-8' });
  },
);
