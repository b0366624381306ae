/** The web client: the page at `/` and its files, as the build of `packages/web` left them. */
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { notFound, withoutCode } from '@parley/api';
import type { Express, Response } from 'express';

import { denyOtherOrigins } from './answer-headers.ts';
import { ownSourcesOf } from './own-sources.ts';
import { addPage } from './page-route.ts';

/** Where the build is, unless the configuration says otherwise. */
export const webBuildFolder = fileURLToPath(
  new URL('../../../packages/web/dist/', import.meta.url),
);

/** The paths that a file of the build can have, whatever else is in its folder. */
const filePath =
  /^\/(?:assets\/)?\w[\w.-]*\.(?:css|ico|js|json|mp3|ogg|png|svg|wasm|webmanifest|webp)$/;

/** The build compresses files, if that makes them smaller. The smaller form is first. */
const compressedForms = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/**
 * The page runs only its own scripts and makes markup of texts only through its own two policies. It loads nothing from other hosts, sends no
 * form, and may not be in a frame. The answer to a service worker's script sets the policy of the worker.
 *
 * @param assets the sources of scripts and styles
 */
const contentSecurityPolicy = (assets: string): string =>
  [
    "default-src 'none'",
    `script-src ${assets}`,
    `style-src ${assets}`,
    "img-src 'self'",
    "media-src 'self'",
    "font-src 'none'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types parley parley-worker',
  ].join('; ');

const unusedFeatures = [
  'accelerometer',
  'browsing-topics',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'usb',
];

const pageHeaders = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': unusedFeatures.map((feature) => `${feature}=()`).join(', '),
  // Without a referrer to itself, a browser would hide the page's origin in some requests, which then could not use the session.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** The build puts a hash of the content into the names of files in this folder, so their content never changes. */
const assetsFolder = '/assets/';
const hashedName = /-[\w-]{8,}\.\w+$/;

function cacheRuleOf(path: string): string {
  return path.startsWith(assetsFolder) && hashedName.test(path)
    ? 'public, max-age=31536000, immutable'
    : 'no-cache';
}

type FileOptions = { readonly root: string; readonly headers: Readonly<Record<string, string>> };

/**
 * Answers with a file.
 *
 * @returns whether there is one
 * @throws ApiError 412 or 416 if it is not as the request demands
 */
async function sendFile(response: Response, name: string, options: FileOptions): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  response.sendFile(name, { ...options, cacheControl: false }, (error?: FileError) => {
    if (error === undefined) {
      resolve(true);
      return;
    }
    const { message, status = 500 } = error;
    if (status < 500) response.removeHeader('Content-Encoding');
    if (status === 404) resolve(false);
    else reject(status < 500 ? withoutCode(message, status) : error);
  });
  return promise;
}

type FileError = Error & { readonly status?: number };

/**
 * Adds the files.
 *
 * @param folder the output of the build
 * @param publicUrl where browsers reach them
 */
export function addWebClient(app: Express, folder: string, publicUrl: string): void {
  const ownSources = ownSourcesOf(publicUrl);
  addPage(app, 'web client', ['/', filePath], async (request, response) => {
    const { path } = request;
    const name = path === '/' ? '/index.html' : path;
    const headers = {
      ...pageHeaders,
      'Cache-Control': cacheRuleOf(path),
      'Content-Security-Policy': contentSecurityPolicy(
        ownSources(request.headers.host, assetsFolder),
      ),
      // The same for everybody, and for no other origin.
      Vary: 'Accept-Encoding',
    };
    denyOtherOrigins(response);
    response.type(extname(name));
    for (const [encoding, extension] of compressedForms) {
      if (request.acceptsEncodings(encoding) === false) continue;
      const options = { root: folder, headers: { ...headers, 'Content-Encoding': encoding } };
      if (await sendFile(response, name + extension, options)) return;
    }
    if (!(await sendFile(response, name, { root: folder, headers }))) throw notFound();
  });
}
