/**
 * The documentation of the interface: the OpenAPI document, and the page that shows it. Each file has its own address, so the path of a request
 * is never used as the path of a file.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import { parleyVersion } from '@parley/server';
import type { Express } from 'express';

import { ownSourcesOf } from './own-sources.ts';
import { addPage } from './page-route.ts';

type Content = () => Promise<Buffer>;

function gatewayFile(name: string): Content {
  return () => readFile(new URL(`../reference/${name}`, import.meta.url));
}

function libraryFile(name: string): Content {
  return () => readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));
}

const html = 'text/html; charset=utf-8';
const script = 'text/javascript; charset=utf-8';
const css = 'text/css; charset=utf-8';

const filesFolder = '/api/docs/';

const files: readonly (readonly [path: string, type: string, content: Content])[] = [
  [
    '/api/v1/openapi.json',
    'application/json',
    async () => {
      const { interfaceDocument } = await import('@parley/api/interface-document');
      return Buffer.from(JSON.stringify(interfaceDocument(parleyVersion)));
    },
  ],
  ['/api/docs', html, gatewayFile('page.html')],
  [`${filesFolder}page.mjs`, script, gatewayFile('page.mjs')],
  [`${filesFolder}page.css`, css, gatewayFile('page.css')],
  [`${filesFolder}swagger-ui-bundle.js`, script, libraryFile('swagger-ui-bundle.js')],
  [`${filesFolder}swagger-ui.css`, css, libraryFile('swagger-ui.css')],
];

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

/** Browsers ask again every time and get 304 if nothing changed, so a new version shows at once. */
const fixedHeaders = {
  'Cache-Control': 'public, no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;

const compress = promisify(gzip);

/** A page as it is sent. The tag is weak, because both encodings have it. */
type Page = { tag: string; plain: Buffer; compressed: Buffer };

async function makePage(read: Content): Promise<Page> {
  const plain = await read();
  const hash = createHash('sha256').update(plain).digest('base64url');
  return { tag: `W/"${hash.slice(0, 22)}"`, plain, compressed: await compress(plain) };
}

/**
 * Adds the pages. Most gateways never serve them, so each is made at its first request, and kept.
 *
 * @param publicUrl where browsers reach them
 */
export function addReference(app: Express, publicUrl: string): void {
  const ownSources = ownSourcesOf(publicUrl);
  for (const [path, type, read] of files) {
    let page: Page | undefined;
    addPage(app, path, path, async (request, response) => {
      page ??= await makePage(read);
      const { tag, plain, compressed } = page;
      const policy = contentSecurityPolicy(ownSources(request.headers.host, filesFolder));
      response.set({ ...fixedHeaders, ETag: tag, 'Content-Security-Policy': policy });
      // Express would add a charset, which JSON has not.
      response.setHeader('Content-Type', type);
      response.vary('Accept-Encoding');
      if (request.acceptsEncodings('gzip') === false) response.send(plain);
      else response.set('Content-Encoding', 'gzip').send(compressed);
    });
  }
}
