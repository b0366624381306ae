import { findReadableFile } from '@parley/access';
import type { ReadableFile } from '@parley/access';
import { FileStoreFault } from '@parley/files';
import { defineEndpoint, exampleVariables, pathText, rawAnswer } from '@parley/http';
import type { RawAnswer } from '@parley/http';
import { storageKeyOf } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import { parseRange } from '../files/byte-range.ts';
import { servingHeaders } from '../files/content-type.ts';
import { entityTagOf } from '../files/upload-path.ts';

/** A refusal for people, who see it where a file should be. */
export function page(status: number, text: string): RawAnswer {
  return rawAnswer(
    status,
    { 'Content-Type': 'text/html; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
    `<p>${text}</p>`,
  );
}

function matchesTag(header: string | undefined, tag: string): boolean {
  return (header ?? '')
    .split(',')
    .map((text) => text.trim().replace(/^W\//, ''))
    .some((text) => text === tag || text === '*');
}

type Asked = {
  readonly pathId: string;
  readonly file: ReadableFile;
  readonly header: (name: string) => string | undefined;
  readonly admitFile: (bytes: number) => void;
};

async function serve(
  context: MessagesContext,
  { pathId, file: { contentType, sizeBytes }, header, admitFile }: Asked,
): Promise<RawAnswer> {
  const key = storageKeyOf(pathId);
  const tag = entityTagOf(pathId);
  const headers = { ...servingHeaders(contentType), ETag: tag, 'Accept-Ranges': 'bytes' };
  if (matchesTag(header('if-none-match'), tag)) return rawAnswer(304, headers);
  const rangeText =
    header('if-range') === undefined || header('if-range') === tag ? header('range') : undefined;
  const range = rangeText === undefined ? undefined : parseRange(rangeText, sizeBytes);
  if (range === 'unsatisfiable')
    return rawAnswer(416, { ...headers, 'Content-Range': `bytes */${sizeBytes}` });
  const length = range === undefined ? sizeBytes : range.last - range.first + 1;
  admitFile(length);
  const stored = await context.files.read(key, range);
  if (stored === undefined) return page(404, 'File not found.');
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

/** GET /user_uploads/{realm_id}/… (reference facts, people 15). */
export const getUploadedFileEndpoint = defineEndpoint({
  name: 'get-uploaded-file',
  method: 'GET',
  below: 'root',
  path: '/user_uploads/:realm_id/*path',
  summary: 'Get an uploaded file',
  description:
    'The key may also be the query parameter `api_key`. A file can be read by its owner, and by whoever may see a message that links to it.',
  example: {
    parameters: { realm_id: exampleVariables.realmId, path: exampleVariables.uploadedPath },
    savedAs: 'downloaded.png',
  },
  access: { authentication: 'required' },
  parameters: [
    pathText('realm_id', { description: 'The organization', pattern: /^\d+$/ }),
    pathText('path', { description: 'The rest of the uri', nul: 'handled' }),
  ],
  rawResponse: [
    {
      contentType: '*/*',
      description: 'The file; as an attachment unless it is a PDF, GIF, JPEG, PNG or WebP',
      headers: { ETag: 'Of the file, which never changes' },
    },
    {
      status: 206,
      contentType: '*/*',
      description: 'The part of the file that `Range` asks for',
      headers: { 'Content-Range': 'Which part' },
    },
    { status: 304, description: 'The client has it, as `If-None-Match` says' },
    {
      status: 416,
      contentType: '*/*',
      description: 'The file has no such part as `Range` asks for',
      headers: { 'Content-Range': 'How large the file is' },
    },
  ],
  response: { type: 'object' },
  errors: ['INVALID_API_KEY'],
  refusals: [
    { status: 403, contentType: 'text/html', description: 'The file may not be seen' },
    { status: 404, contentType: 'text/html', description: 'There is no such file' },
  ],
  handler: async (context: MessagesContext, { caller, parameters, header, admitFile }) => {
    const pathId = `${parameters.realm_id}/${parameters.path}`;
    const file = await findReadableFile(context.pool, caller.userId, pathId);
    if (file === undefined) return page(404, 'File not found.');
    if (file === 'refused') return page(403, 'You are not authorized to view this file.');
    try {
      return await serve(context, { pathId, file, header, admitFile });
    } catch (error) {
      throw context.uploads.refusalOf(error);
    }
  },
});
