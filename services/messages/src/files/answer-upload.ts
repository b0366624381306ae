import { findReadableFile } from '@parley/store/access';
import type { ReadableFile } from '@parley/store/access';
import type { Caller } from '@parley/api';
import { FileStoreFault, servingHeaders } from '@parley/files';
import { rawAnswer } from '@parley/server';
import type { RawAnswer } from '@parley/server';
import { storageKeyOf } from '@parley/store';
import fresh from 'fresh';

import type { MessagesContext } from '../context.ts';
import { parseRange } from './byte-range.ts';
import { entityTagOf } from './upload-path.ts';

/** A refusal as a page, because people see it instead of the file. */
export function page(status: number, text: string): RawAnswer {
  return rawAnswer(
    status,
    { 'Content-Type': 'text/html; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
    `<p>${text}</p>`,
  );
}

const fileNotFound = (): RawAnswer => page(404, 'File not found.');
export const fileNotAuthorized = (): RawAnswer =>
  page(403, 'You are not authorized to view this file.');

type FileRequest = {
  readonly caller: Caller;
  readonly header: (name: string) => string | undefined;
};

async function answerFile(
  context: MessagesContext,
  { header }: FileRequest,
  pathId: string,
  { contentType, sizeBytes }: ReadableFile,
): Promise<RawAnswer> {
  const key = storageKeyOf(pathId);
  const tag = entityTagOf(pathId);
  const name = pathId.slice(pathId.lastIndexOf('/') + 1);
  const headers = { ...servingHeaders(contentType, name), ETag: tag, 'Accept-Ranges': 'bytes' };
  if (fresh({ 'if-none-match': header('if-none-match') }, { etag: tag }))
    return rawAnswer(304, headers);
  const rangeText =
    header('if-range') === undefined || header('if-range') === tag ? header('range') : undefined;
  const range = rangeText === undefined ? undefined : parseRange(rangeText, sizeBytes);
  if (range === 'unsatisfiable')
    return rawAnswer(416, { ...headers, 'Content-Range': `bytes */${sizeBytes}` });
  const length = range === undefined ? sizeBytes : range.last - range.first + 1;
  const stored = await context.files.read(key, range);
  if (stored === undefined) return fileNotFound();
  if (stored.sizeBytes !== sizeBytes) {
    stored.content.destroy();
    throw new FileStoreFault(`a file of ${sizeBytes} bytes has ${stored.sizeBytes}`);
  }
  const whole = { ...headers, 'Content-Length': String(length) };
  if (range === undefined) return rawAnswer(200, whole, stored.content);
  const { first, last } = range;
  return rawAnswer(
    206,
    { ...whole, 'Content-Range': `bytes ${first}-${last}/${sizeBytes}` },
    stored.content,
  );
}

/**
 * Answers a request for an uploaded file (reference facts, people 15).
 *
 * @param pathId the uri without `/user_uploads/`
 * @returns the file, the requested part of it, or a page with the refusal
 * @throws ApiError 503 if it cannot be read
 */
export async function answerUpload(
  context: MessagesContext,
  request: FileRequest,
  pathId: string,
): Promise<RawAnswer> {
  const file = await findReadableFile(context.pool, request.caller.userId, pathId);
  if (file === undefined) return fileNotFound();
  if (file === 'refused') return fileNotAuthorized();
  try {
    return await answerFile(context, request, pathId, file);
  } catch (error) {
    throw context.uploads.refusalOf(error);
  }
}
