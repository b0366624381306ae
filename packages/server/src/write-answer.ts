import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

import { requestIdHeaderName } from '@parley/api';
import type { Endpoint } from '@parley/api';
import { bytesOf } from '@parley/links';
import type { LinkBody } from '@parley/links';

import { Preserialized } from './implement.ts';
import type { Passage, RawAnswer } from './implement.ts';

/** Writing answers: status, headers of the reference facts (people 2.8) and one JSON text of known length. */

let httpDate = '';
let httpDateSecond = 0;

function currentHttpDate(): string {
  const nowMs = Date.now();
  const second = Math.floor(nowMs / 1000);
  if (second !== httpDateSecond) {
    httpDateSecond = second;
    httpDate = new Date(nowMs).toUTCString();
  }
  return httpDate;
}

const unkept = 'max-age=0, no-cache, no-store, must-revalidate';

const untouched = { 'Cache-Control': `${unkept}, no-transform` } as const;

/** What a success says of its passage, beside what every answer of JSON has. */
export const passageHeaders = {
  any: {},
  untouched,
  gzip: { 'Content-Encoding': 'gzip' },
} as const satisfies Record<Passage, object>;

/** @returns the headers by which an answer is not kept, as ordinary endpoints have them */
export function unkeptHeaders(): Readonly<Record<string, string>> {
  const date = currentHttpDate();
  return {
    'Cache-Control': unkept,
    Expires: date,
    'Last-Modified': date,
    Vary: 'Accept-Language, Accept-Encoding',
    'Content-Language': 'en',
  };
}

/**
 * Writes a JSON answer. A HEAD request gets the headers only, which Node sees to.
 *
 * @param body complete; undefined for the headers of an answer to HEAD whose length is not known
 * @param headers beside those of every answer
 */
export function writeJson(
  response: ServerResponse,
  status: number,
  body: LinkBody | undefined,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    ...(body === undefined ? {} : { 'Content-Length': bytesOf(body) }),
    ...unkeptHeaders(),
    ...headers,
  });
  endWith(response, body ?? '');
}

function endWith(response: ServerResponse, body: LinkBody): void {
  if (typeof body === 'string') {
    response.end(body);
    return;
  }
  response.cork();
  for (const piece of body) response.write(piece);
  // It uncorks.
  response.end();
}

/** @returns what may be done with an answer by those who pass it on, which its endpoint may narrow */
export function passageOf({ passage }: Preserialized, endpoint: Endpoint | undefined): Passage {
  return passage === 'any' && endpoint?.answersKey === true ? 'untouched' : passage;
}

/** The text of a success: `result` and `msg` first, then the data (reference facts, people 3). */
export function successText(data: Readonly<Record<string, unknown>> | Preserialized): LinkBody {
  return data instanceof Preserialized
    ? data.body
    : JSON.stringify({ result: 'success', msg: '', ...data });
}

/**
 * Writes an answer that is no JSON and whose body is there.
 *
 * @param headers with the Content-Type; they may tell the length of what HEAD does not get
 */
export function writeWhole(
  response: ServerResponse,
  status: number,
  body: LinkBody,
  headers: Readonly<Record<string, string>>,
): void {
  const hasBody = status !== 204 && status !== 304;
  response.writeHead(status, {
    ...(hasBody ? { 'Content-Length': bytesOf(body) } : {}),
    ...headers,
  });
  endWith(response, body);
}

/**
 * Writes an answer that is no JSON. A stream is read no faster than the client takes it, and given up when the client hangs up;
 * when it fails, the connection ends before the announced length, so that nobody takes the answer for complete.
 *
 * @throws Error of a stream that fails
 */
export async function writeRaw(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: RawAnswer,
  requestId: string,
): Promise<void> {
  const allHeaders = { ...headers, [requestIdHeaderName]: requestId };
  if (typeof body === 'string') {
    writeWhole(response, status, body, allHeaders);
    return;
  }
  response.writeHead(status, allHeaders);
  if (request.method === 'HEAD') {
    body.destroy();
    response.end();
    return;
  }
  try {
    await pipeline(body, response);
  } catch (error) {
    if (!response.destroyed) throw error;
    // The client hung up, or the stream failed; either way the connection is over. Only the latter is a fault.
    if (body.errored !== null && !isHangUp(body.errored)) throw body.errored;
  }
}

function isHangUp(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
