import { Agent, request as startRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';

import { answerDocument, isWatched, namedMethodIn, waitMaxMs } from '@parley/test-kit';

export type RawRequest = {
  readonly method: string;
  /** Path and query as they go over the wire; no character beyond U+00FF. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
};

export type RawAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/**
 * Sends a request unchanged, decompresses its answer if necessary, and compares it with the OpenAPI document unless its gateway does.
 *
 * @throws Error if no answer came in time, or the connection ended without one
 * @throws BadAnswer if the answer deviates from the document
 */
export async function sendRaw(url: string, raw: RawRequest): Promise<RawAnswer> {
  const answer = await send(url, raw);
  const { body, method, path } = raw;
  // A request that Node's parser refuses does not reach the interface, and has no id.
  if (isWatched(new URL(url)) || answer.headers['x-request-id'] === undefined) return answer;
  answerDocument().check({
    ...answer,
    method,
    path: path.startsWith('/') ? path : new URL(path).pathname,
    ...(method === 'POST' && { namedMethod: namedMethodIn(body?.toString('latin1') ?? '') }),
  });
  return answer;
}

function send(url: string, raw: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const { method, path, headers, body } = raw;
  return new Promise((resolve, reject) => {
    const sent = startRequest(
      {
        hostname,
        port,
        agent,
        method,
        path,
        signal: AbortSignal.timeout(waitMaxMs),
        headers: {
          ...headers,
          ...(body === undefined ? {} : { 'content-length': String(body.length) }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const received = Buffer.concat(chunks);
          const isCompressed = response.headers['content-encoding'] === 'gzip' && method !== 'HEAD';
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: (isCompressed ? gunzipSync(received) : received).toString('utf8'),
          });
        });
      },
    );
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close an idle connection just when it is used again, before it reads any of the request.
      if (error.code === 'ECONNRESET' && sent.reusedSocket) resolve(send(url, raw));
      else reject(error);
    });
    sent.end(body);
  });
}
