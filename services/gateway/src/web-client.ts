/**
 * The web client: the page at `/` and its files, as the build of `packages/web` left them. All are read when the gateway starts; the path of a
 * request is only looked up among their names.
 */
import type { Dirent } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { transportHeadersOf } from './answer-headers.ts';
import { ownSourcesOf } from './own-sources.ts';
import { ServedFile } from './served-file.ts';
import type { ServedFileOptions } from './served-file.ts';

/** Where the build is, unless the configuration says otherwise. */
export const webBuildFolder = fileURLToPath(
  new URL('../../../packages/web/dist/', import.meta.url),
);

/** The files of the web client by their paths; empty if it was not built. */
export type WebClient = ReadonlyMap<string, ServedFile>;

/** A build has a few dozen files and less than a megabyte. */
const filesMax = 1_000;
const bytesMax = 32 * 1_048_576;

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mp3': 'audio/mpeg',
  '.ogg': 'audio/ogg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
};

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
const assetsFolder = 'assets';
const hashedName = /-[\w-]{8,}\.\w+$/;
const servedName = /^\w[\w.-]*$/;

function cacheRuleOf(path: string): string {
  return path.startsWith(`/${assetsFolder}/`) && hashedName.test(path)
    ? 'public, max-age=31536000, immutable'
    : 'no-cache';
}

/** Reads files, all together at most the bound. */
class BoundedReader {
  #leftBytes = bytesMax;

  /** @throws Error of the file system, or if the bound is exceeded */
  async read(path: string): Promise<Buffer> {
    const content = await readFile(path);
    this.#leftBytes -= content.length;
    if (this.#leftBytes < 0) throw new Error(`the web client has more than ${bytesMax} bytes`);
    return content;
  }
}

async function listFiles(folder: string): Promise<string[]> {
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true });
  if (entries.length > filesMax)
    throw new Error(`the web client has more than ${filesMax} files in ${folder}`);
  // Nothing is followed out of the folder.
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function readFolder(
  reader: BoundedReader,
  folder: string,
  prefix: string,
  headersFor: ServedFileOptions['headersFor'],
): Promise<(readonly [path: string, file: ServedFile])[]> {
  const names = await listFiles(folder);
  const present = new Set(names);
  const files: (readonly [string, ServedFile])[] = [];
  for (const name of names) {
    const type = types[extname(name)];
    if (type === undefined || !servedName.test(name)) continue;
    const path = prefix + name;
    const readEncoded = (extension: string): Promise<Buffer> | undefined =>
      present.has(name + extension) ? reader.read(join(folder, name + extension)) : undefined;
    files.push([
      path === '/index.html' ? '/' : path,
      new ServedFile({
        type,
        content: await reader.read(join(folder, name)),
        brotli: await readEncoded('.br'),
        gzip: await readEncoded('.gz'),
        headersFor: (host) => ({ ...headersFor(host), 'Cache-Control': cacheRuleOf(path) }),
      }),
    ]);
  }
  return files;
}

/**
 * Reads the web client.
 *
 * @param folder the output of its build
 * @param publicUrl where browsers reach it
 * @throws Error if the build is too large or cannot be read, which stops the start
 */
export async function readWebClient(folder: string, publicUrl: string): Promise<WebClient> {
  const reader = new BoundedReader();
  const fixedHeaders = { ...transportHeadersOf(publicUrl), ...pageHeaders };
  const ownSources = ownSourcesOf(publicUrl);
  const headersFor: ServedFileOptions['headersFor'] = (host) => ({
    ...fixedHeaders,
    'Content-Security-Policy': contentSecurityPolicy(ownSources(host, `/${assetsFolder}/`)),
  });
  try {
    const files = new Map(await readFolder(reader, folder, '/', headersFor));
    if (!files.has('/')) return new Map();
    const assets = await readFolder(
      reader,
      join(folder, assetsFolder),
      `/${assetsFolder}/`,
      headersFor,
    );
    for (const [path, file] of assets) files.set(path, file);
    return files;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
    throw error;
  }
}
