import { badRequest, limits } from '@parley/api';
import type { FormValues } from '@parley/api';
import { Busboy } from '@fastify/busboy';
import type { BusboyConfig } from '@fastify/busboy';

import { decodeForm, decoderFor, tooManyFields } from './form-text.ts';

/** Reading the parameters of a body (reference facts, people 2.2). */

type MediaType = { readonly type: string; readonly charset: string | undefined };

function mediaTypeOf(contentType: string | undefined): MediaType {
  const [type = '', ...rest] = (contentType ?? '').split(';');
  const charset = /^\s*charset\s*=\s*"?([^";\s]+)/i;
  const named = rest.map((part) => charset.exec(part)?.[1]).find((found) => found !== undefined);
  return { type: type.trim().toLowerCase(), charset: named };
}

/**
 * Reads the parameters of a body. POST reads only urlencoded and multipart forms; PATCH, PUT and DELETE read everything except multipart as
 * urlencoded text; the other methods have no body parameters.
 *
 * @throws ApiError 400 for a malformed multipart body or too many fields
 */
export async function decodeBody(
  method: string,
  contentType: string | undefined,
  body: Buffer,
): Promise<FormValues> {
  if (body.length === 0) return new Map();
  const { type, charset } = mediaTypeOf(contentType);
  const takesAnyText = method === 'PATCH' || method === 'PUT' || method === 'DELETE';
  if (method !== 'POST' && !takesAnyText) return new Map();
  if (type === 'multipart/form-data' || (takesAnyText && type.startsWith('multipart/'))) {
    return decodeMultipart(contentType ?? '', body);
  }
  if (!takesAnyText && type !== 'application/x-www-form-urlencoded') return new Map();
  return decodeForm(body.toString('utf8'), {
    decoder: decoderFor(charset),
    fieldsMax: limits.bodyFieldsMax,
  });
}

// RFC 2046: a boundary has at most 70 characters.
const boundaryPattern = /;\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;

/**
 * Decodes a multipart form. Files are skipped; a form without any part is empty (the JavaScript client sends such).
 *
 * @throws ApiError 400 if it is malformed or incomplete
 */
function decodeMultipart(contentType: string, body: Buffer): Promise<FormValues> {
  if (!boundaryPattern.test(contentType)) return Promise.reject(malformedMultipart());
  if (isEmptyMultipart(contentType, body, body.length)) return Promise.resolve(new Map());
  return new Promise((resolve, reject) => {
    const values: FormValues = new Map();
    const parser = createMultipartParser(contentType, {
      limits: {
        fields: limits.bodyFieldsMax,
        fieldNameSize: 1000,
        fieldSize: limits.anyBodyMaxBytes,
        parts: 2 * limits.bodyFieldsMax,
      },
    });
    parser.on('field', (name, value) => {
      values.set(name, value);
    });
    parser.on('file', (_name, stream) => {
      stream.on('error', () => reject(malformedMultipart()));
      stream.resume();
    });
    parser.on('fieldsLimit', () => reject(tooManyFields()));
    parser.on('partsLimit', () => reject(tooManyFields()));
    parser.on('error', () => reject(malformedMultipart()));
    parser.on('finish', () => resolve(values));
    parser.end(body);
  });
}

/** Whether a Content-Type announces a readable multipart form. */
export function hasMultipartForm(contentType: string): boolean {
  return (
    mediaTypeOf(contentType).type === 'multipart/form-data' && boundaryPattern.test(contentType)
  );
}

/**
 * Whether a body is a form without any part, which the parser would refuse as malformed.
 *
 * @param start the body's first bytes, or all bytes of a short body
 * @param bodyBytes the length of the whole body
 */
export function isEmptyMultipart(contentType: string, start: Buffer, bodyBytes: number): boolean {
  const boundary = boundaryPattern.exec(contentType);
  const end = `--${boundary?.[1] ?? boundary?.[2] ?? ''}--`;
  return bodyBytes <= end.length + 4 && start.toString('latin1').trim() === end;
}

/**
 * Makes the parser of a multipart form. A part without a file name is a field, whatever its type.
 *
 * @throws ApiError 400 for a Content-Type that it cannot read, such as one with an open quote
 */
export function createMultipartParser(
  contentType: string,
  config: Pick<BusboyConfig, 'limits'>,
): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      ...config,
      // Other kinds of multipart have the same structure, but the parser knows only this one.
      headers: { 'content-type': contentType.replace(/^[^;]*/, 'multipart/form-data') },
      // Any part may state a type, but only a file has a file name.
      isPartAFile: (_field, _type, fileName) => fileName !== undefined && fileName !== '',
      // Otherwise the parser would ignore a name such as `..`.
      preservePath: true,
    });
  } catch {
    throw malformedMultipart();
  }
}

/** The refusal of a multipart body that cannot be parsed. */
export function malformedMultipart(): Error {
  return badRequest('Malformed multipart body');
}
