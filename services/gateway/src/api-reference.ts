/**
 * The documentation of the interface: the OpenAPI document, and the page that shows it. Each page has its own address among the
 * declarations, so the path of a request is never used as the path of a file.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import { rawResponsesOf } from '@parley/api';
import { referencePages } from '@parley/api/endpoints';
import { interfaceDocument } from '@parley/api/interface-document';
import { parleyVersion } from '@parley/server';

import { ownSourcesOf } from './own-sources.ts';
import { ServedFile } from './served-file.ts';
import type { ServedFileOptions } from './served-file.ts';

type Content = () => Buffer | Promise<Buffer>;

function gatewayFile(name: string): Content {
  return () => readFile(new URL(`../reference/${name}`, import.meta.url));
}

function libraryFile(name: string): Content {
  return () => readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));
}

/** The source of each page's content. */
const contents: Readonly<Record<(typeof referencePages)[number]['name'], Content>> = {
  'get-openapi-document': () => Buffer.from(JSON.stringify(interfaceDocument(parleyVersion))),
  'get-reference': gatewayFile('page.html'),
  'get-reference-script': gatewayFile('page.mjs'),
  'get-reference-style': gatewayFile('page.css'),
  'get-swagger-ui-script': libraryFile('swagger-ui-bundle.js'),
  'get-swagger-ui-style': libraryFile('swagger-ui.css'),
};

/**
 * The page loads nothing from other hosts, runs only the listed scripts, and may not be in a frame. The library's style sheet has small
 * pictures in `data:` addresses.
 *
 * @param files the sources of scripts and styles
 */
const contentSecurityPolicy = (files: string): string =>
  [
    "default-src 'none'",
    `script-src ${files}`,
    `style-src ${files}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const filesFolder = '/api/docs/';

/** Browsers ask again every time and get 304 if nothing changed, so a new version shows at once. */
const fixedHeaders = {
  'Cache-Control': 'public, no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;

const compress = promisify(gzip);

/** Most gateways never serve these pages, so a page is compressed at its first request and kept. */
function compressedOnce(content: Buffer): () => Promise<Buffer> {
  let compressed: Promise<Buffer> | undefined;
  return () => (compressed ??= compress(content));
}

/** Answers a request for the page with this name. */
export type AnswerPage = (
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>;

/**
 * Reads all pages, and makes the document from the declarations.
 *
 * @param publicUrl where browsers reach them
 * @throws Error of the file system if a file is missing, which stops the start
 */
export async function readPages(publicUrl: string): Promise<AnswerPage> {
  const ownSources = ownSourcesOf(publicUrl);
  const headersFor: ServedFileOptions['headersFor'] = (host) => ({
    ...fixedHeaders,
    'Content-Security-Policy': contentSecurityPolicy(ownSources(host, filesFolder)),
  });
  const byName = new Map<string, ServedFile>(
    await Promise.all(
      referencePages.map(async (page) => [page.name, await readPage(page, headersFor)] as const),
    ),
  );
  return async (name, request, response) => {
    const page = byName.get(name);
    if (page === undefined) throw new Error(`there is no page ${name}`);
    await page.answer(request, response);
  };
}

async function readPage(
  page: (typeof referencePages)[number],
  headersFor: ServedFileOptions['headersFor'],
): Promise<ServedFile> {
  const type = rawResponsesOf(page)[0]?.contentType ?? '';
  const content = await contents[page.name]();
  return new ServedFile({ type, content, gzip: compressedOnce(content), headersFor });
}
