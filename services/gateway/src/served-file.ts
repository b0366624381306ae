/** Files that the gateway keeps in memory and answers itself. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { takesBrotli, takesGzip } from '@parley/compression';

/** A form of a file: its bytes, or a function that makes them when they are first needed. */
export type Bytes = Buffer | (() => Promise<Buffer>);

export type ServedFileOptions = {
  readonly type: string;
  readonly content: Buffer;
  readonly brotli?: Bytes | undefined;
  readonly gzip?: Bytes | undefined;
  /** With the rule for caches, and the policy for a request with this `Host`. */
  readonly headersFor: (askedHost: string | undefined) => Readonly<Record<string, string>>;
};

export class ServedFile {
  readonly #options: ServedFileOptions;
  /** A weak tag, because all encodings share it. */
  readonly #tag: string;

  constructor(options: ServedFileOptions) {
    this.#options = options;
    const hash = createHash('sha256').update(options.content).digest('base64url');
    this.#tag = `W/"${hash.slice(0, 22)}"`;
  }

  /** Answers GET or HEAD, with 304 if the client has the file. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fixed = this.#options.headersFor(request.headers.host);
    const headers = { ...fixed, Vary: 'Accept-Encoding', ETag: this.#tag };
    if (hasTag(request.headers['if-none-match'], this.#tag)) {
      response.writeHead(304, headers).end();
      return;
    }
    const { body, encoding } = await this.#bodyFor(request.headers['accept-encoding']);
    response.writeHead(200, {
      ...headers,
      'Content-Type': this.#options.type,
      'Content-Length': body.length,
      ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    });
    response.end(body);
  }

  async #bodyFor(
    accepted: string | undefined,
  ): Promise<{ readonly body: Buffer; readonly encoding?: 'br' | 'gzip' }> {
    const { brotli, content, gzip } = this.#options;
    if (brotli !== undefined && takesBrotli(accepted))
      return { body: await bytesOf(brotli), encoding: 'br' };
    if (gzip !== undefined && takesGzip(accepted))
      return { body: await bytesOf(gzip), encoding: 'gzip' };
    return { body: content };
  }
}

function bytesOf(bytes: Bytes): Buffer | Promise<Buffer> {
  return typeof bytes === 'function' ? bytes() : bytes;
}

function hasTag(listed: string | undefined, tag: string): boolean {
  const strength = /^W\//;
  return (listed ?? '')
    .split(',')
    .map((each) => each.trim())
    .some((each) => each === '*' || each.replace(strength, '') === tag.replace(strength, ''));
}
