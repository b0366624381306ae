/**
 * What tells people and programs how to call the interface: the OpenAPI document, and the page that shows it. Every file has an
 * address of its own in the route table, so that no path of a request is ever a path of a file.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import type { PagePath } from './route-table.ts';

const javascript = 'text/javascript; charset=utf-8';
const css = 'text/css; charset=utf-8';

function ofGateway(name: string): string {
  return fileURLToPath(new URL(`../reference/${name}`, import.meta.url));
}

function ofLibrary(name: string): string {
  return fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
}

/** Where each page is read from, and what it is. The document is generated from the declarations of all services. */
const sources: Readonly<Record<PagePath, { readonly file: string; readonly type: string }>> = {
  '/api/v1/openapi.json': {
    file: fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url)),
    type: 'application/json',
  },
  '/api/docs': { file: ofGateway('page.html'), type: 'text/html; charset=utf-8' },
  '/api/docs/page.mjs': { file: ofGateway('page.mjs'), type: javascript },
  '/api/docs/page.css': { file: ofGateway('page.css'), type: css },
  '/api/docs/swagger-ui-bundle.js': {
    file: ofLibrary('swagger-ui-bundle.js'),
    type: javascript,
  },
  '/api/docs/swagger-ui.css': { file: ofLibrary('swagger-ui.css'), type: css },
};

/**
 * The page loads nothing from elsewhere, runs no script but those files, and is in no frame. The library's style sheet has small
 * pictures in `data:` addresses.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Always asked for again, and answered 304 where nothing changed: a new version shows at once. */
const fixedHeaders = {
  'Cache-Control': 'public, no-cache',
  Vary: 'Accept-Encoding',
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;

const compress = promisify(gzip);

class Page {
  readonly #type: string;
  readonly #content: Buffer;
  /** Weak, since both encodings have it. */
  readonly #tag: string;
  #compressed: Promise<Buffer> | undefined;

  constructor(type: string, content: Buffer) {
    this.#type = type;
    this.#content = content;
    this.#tag = `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = { ...fixedHeaders, ETag: this.#tag };
    if (hasTag(request.headers['if-none-match'], this.#tag)) {
      response.writeHead(304, headers).end();
      return;
    }
    const isCompressed = takesGzip(request.headers['accept-encoding'] ?? '');
    // Most gateways are never asked, so it is done for the first who asks and kept.
    const body = isCompressed
      ? await (this.#compressed ??= compress(this.#content))
      : this.#content;
    response.writeHead(200, {
      ...headers,
      'Content-Type': this.#type,
      'Content-Length': body.length,
      ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
    });
    response.end(body);
  }
}

function hasTag(listed: string | undefined, tag: string): boolean {
  const strength = /^W\//;
  return (listed ?? '')
    .split(',')
    .map((each) => each.trim())
    .some((each) => each === '*' || each.replace(strength, '') === tag.replace(strength, ''));
}

function takesGzip(accepted: string): boolean {
  return accepted.split(',').some((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    return name === 'gzip' && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

/** Answers a request for one of the pages. */
export type AnswerPage = (
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>;

/**
 * Reads all pages.
 *
 * @throws Error of the file system when one is missing, which stops the boot
 */
export async function readPages(): Promise<AnswerPage> {
  const pages = new Map(
    await Promise.all(
      Object.entries(sources).map(
        async ([path, { file, type }]) => [path, new Page(type, await readFile(file))] as const,
      ),
    ),
  );
  return async (path, request, response) => {
    const page = pages.get(path);
    if (page === undefined) throw new Error(`there is no page ${path}`);
    await page.answer(request, response);
  };
}
