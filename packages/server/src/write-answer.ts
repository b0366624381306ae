import type { ServerResponse } from 'node:http';

import type { Endpoint } from '@parley/api';
import { systemClock } from '@parley/clock';
import { bytesOf } from './links/index.ts';
import type { LinkBody } from './links/index.ts';

import { Preserialized } from './implement.ts';
import type { Passage } from './implement.ts';

/** Writes answers: status, headers of the reference facts (people 2.8) and one JSON text of known length. */

let httpDate = '';
let httpDateSecond = 0;

/** By the time of the machine, as the `Date` header that Node adds. */
function currentHttpDate(): string {
  const nowMs = systemClock.nowMs();
  const second = Math.floor(nowMs / 1000);
  if (second !== httpDateSecond) {
    httpDateSecond = second;
    httpDate = new Date(nowMs).toUTCString();
  }
  return httpDate;
}

const unkept = 'max-age=0, no-cache, no-store, must-revalidate';

const untouched = { 'Cache-Control': `${unkept}, no-transform` } as const;

/** Headers for the passage of a success, besides those of every JSON answer. */
export const passageHeaders = {
  any: {},
  untouched,
  gzip: { 'Content-Encoding': 'gzip' },
} as const satisfies Record<Passage, object>;

/** @returns the headers that keep an answer out of caches, as for ordinary endpoints */
export function noStoreHeaders(): Readonly<Record<string, string>> {
  const date = currentHttpDate();
  return {
    'Cache-Control': unkept,
    Expires: date,
    'Last-Modified': date,
    Vary: 'Accept-Language, Accept-Encoding',
    'Content-Language': 'en',
  };
}

/** Only `Set-Cookie` has several values. */
type WrittenHeaders = Readonly<Record<string, string | string[]>>;

/**
 * Writes a JSON answer. For a HEAD request Node sends only the headers.
 *
 * @param body complete; undefined for the headers of an answer to HEAD whose length is unknown
 * @param headers besides those of every answer
 */
export function writeJson(
  response: ServerResponse,
  status: number,
  body: LinkBody | undefined,
  headers: WrittenHeaders = {},
): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    ...(body === undefined ? {} : { 'Content-Length': bytesOf(body) }),
    ...noStoreHeaders(),
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
  // This also uncorks the connection.
  response.end();
}

/** @returns what intermediaries may do with an answer; its endpoint may restrict it further */
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
 * Writes an answer that is not JSON and whose body is complete.
 *
 * @param headers with the Content-Type; for HEAD they may state the length of the body that is not sent
 */
export function writeWhole(
  response: ServerResponse,
  status: number,
  body: LinkBody,
  headers: WrittenHeaders,
): void {
  const hasBody = status !== 204 && status !== 304;
  response.writeHead(status, {
    ...(hasBody ? { 'Content-Length': bytesOf(body) } : {}),
    ...headers,
  });
  endWith(response, body);
}
