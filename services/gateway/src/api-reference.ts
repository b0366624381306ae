/**
 * What tells people and programs how to call the interface: the OpenAPI document, and the page that shows it. Every page has an
 * address of its own among the declarations, so that no path of a request is ever a path of a file.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import { rawResponsesOf } from '@parley/api';
import { takesGzip } from '@parley/compression';
import { pages } from '@parley/api/endpoints';
import type { EndpointNameOf } from '@parley/api/endpoints';
import { interfaceDocument } from '@parley/api/interface-document';
import { parleyVersion } from '@parley/server';

type Content = () => Buffer | Promise<Buffer>;

function ofGateway(name: string): Content {
  return () => readFile(new URL(`../reference/${name}`, import.meta.url));
}

function ofLibrary(name: string): Content {
  return () => readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)));
}

/** Where each page has its content from. */
const contents: Readonly<Record<EndpointNameOf<'gateway'>, Content>> = {
  'get-openapi-document': () => Buffer.from(JSON.stringify(interfaceDocument(parleyVersion))),
  'get-reference': ofGateway('page.html'),
  'get-reference-script': ofGateway('page.mjs'),
  'get-reference-style': ofGateway('page.css'),
  'get-swagger-ui-script': ofLibrary('swagger-ui-bundle.js'),
  'get-swagger-ui-style': ofLibrary('swagger-ui.css'),
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
    const isCompressed = takesGzip(request.headers['accept-encoding']);
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

/** Answers a request for the page of a name. */
export type AnswerPage = (
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>;

/**
 * Reads all pages, and makes the document of the declarations.
 *
 * @throws Error of the file system when one is missing, which stops the boot
 */
export async function readPages(): Promise<AnswerPage> {
  const byName = new Map<string, Page>(
    await Promise.all(pages.map(async (page) => [page.name, await readPage(page)] as const)),
  );
  return async (name, request, response) => {
    const page = byName.get(name);
    if (page === undefined) throw new Error(`there is no page ${name}`);
    await page.answer(request, response);
  };
}

async function readPage(page: (typeof pages)[number]): Promise<Page> {
  const type = rawResponsesOf(page)[0]?.contentType ?? '';
  return new Page(type, await contents[page.name]());
}
