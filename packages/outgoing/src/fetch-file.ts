/** Fetches a file from an address that a stranger chose, under the rules for all calls and within bounds of size and time. */
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { CallFault, faultOf } from './call-fault.ts';
import { sendGuarded } from './guarded-request.ts';
import type { GuardedOptions } from './guarded-request.ts';

export type FileRequest = {
  /** Of https. */
  readonly url: URL;
  /** Where the server listens, if that is not the port of the URL. */
  readonly port?: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Written if all of the file has come; must not exist. */
  readonly path: string;
};

export type FileBounds = {
  readonly bytesMax: number;
  /** For all of the file. */
  readonly wholeTimeoutMs: number;
};

/** The result of a request for a file; only `file` leaves one. */
export type FetchedFile =
  | { readonly kind: 'file'; readonly contentType: string; readonly bytes: number }
  /** Another status than 200, such as a redirect, which is not followed. */
  | { readonly kind: 'refused'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: 'timeout' | 'connection' | 'called-off' }
  | { readonly kind: 'fault'; readonly type: string; readonly text: string };

async function store(answer: IncomingMessage, path: string, bytesMax: number): Promise<number> {
  let bytes = 0;
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      if (bytes > bytesMax) done(new CallFault('FileTooLarge', 'The file is too large.'));
      else done(null, chunk);
    },
  });
  await pipeline(answer, counted, createWriteStream(path, { flags: 'wx' }));
  return bytes;
}

/**
 * Fetches a file by one GET. No redirect is followed, so headers reach the named host only.
 *
 * @returns the outcome; never rejects
 */
export async function fetchFile(
  { url, port, headers, path }: FileRequest,
  options: GuardedOptions & FileBounds,
  signal: AbortSignal,
): Promise<FetchedFile> {
  const late = new AbortController();
  const timer = options.clock.after(options.wholeTimeoutMs, () => late.abort());
  const either = AbortSignal.any([signal, late.signal]);
  try {
    if (url.protocol !== 'https:')
      throw new CallFault('InvalidURL', 'Files are fetched by https only.');
    const answer = await sendGuarded(
      { url, ...(port !== undefined && { port }), method: 'GET', headers },
      options,
      either,
    );
    try {
      const status = answer.statusCode ?? 0;
      if (status !== 200)
        return { kind: 'refused', status, retryAfter: answer.headers['retry-after'] };
      const bytes = await store(answer, path, options.bytesMax);
      // A body that lasts until the connection ends looks complete after an abort.
      either.throwIfAborted();
      return { kind: 'file', contentType: answer.headers['content-type'] ?? '', bytes };
    } finally {
      answer.destroy();
    }
  } catch (error) {
    await rm(path, { force: true });
    if (signal.aborted) return { kind: 'called-off' };
    return late.signal.aborted ? { kind: 'timeout' } : faultOf(error);
  } finally {
    timer.cancel();
  }
}
