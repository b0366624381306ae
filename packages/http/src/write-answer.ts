import type { ServerResponse } from 'node:http';

import { Preserialized } from './endpoint.ts';

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

/**
 * Writes a JSON answer. A HEAD request gets the headers only, which Node sees to.
 *
 * @param text the complete body
 * @param headers beside those of every answer
 */
export function writeJson(
  response: ServerResponse,
  status: number,
  text: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  const date = currentHttpDate();
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'max-age=0, no-cache, no-store, must-revalidate',
    Expires: date,
    'Last-Modified': date,
    Vary: 'Accept-Language',
    'Content-Language': 'en',
    ...headers,
  });
  response.end(text);
}

/** The text of a success: `result` and `msg` first, then the data (reference facts, people 3). */
export function successText(
  data: Readonly<Record<string, unknown>> | Preserialized,
): string | Buffer {
  return data instanceof Preserialized
    ? data.text
    : JSON.stringify({ result: 'success', msg: '', ...data });
}
