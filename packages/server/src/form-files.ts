import { limits } from '@parley/api';

import {
  createMultipartParser,
  hasMultipartForm,
  isEmptyMultipart,
  malformedMultipart,
} from './request-body.ts';

/** A small file of a form, such as a picture. */
export type FormFile = {
  /** As the client wrote it; the content alone decides the type. */
  readonly name: string;
  readonly content: Buffer;
};

/**
 * Reads the files of a received multipart body, regardless of the names of their parts. A part without a file name is a field, not a file.
 *
 * @returns an empty list for a body that is no multipart form
 * @throws ApiError 400 for a malformed body
 */
export async function readFormFiles(
  contentType: string | undefined,
  body: Buffer,
): Promise<FormFile[]> {
  const type = contentType ?? '';
  if (!hasMultipartForm(type) || isEmptyMultipart(type, body, body.length)) return [];
  const { promise, resolve, reject } = Promise.withResolvers<FormFile[]>();
  const files: FormFile[] = [];
  const parser = createMultipartParser(type, {
    limits: { fieldSize: 1000, parts: 2 * limits.bodyFieldsMax },
  });
  parser.on('file', (_field, stream, name) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', () => reject(malformedMultipart()));
    stream.on('end', () => files.push({ name, content: Buffer.concat(chunks) }));
  });
  parser.on('error', () => reject(malformedMultipart()));
  parser.on('finish', () => resolve(files));
  parser.end(body);
  return promise;
}
