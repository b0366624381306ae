/** The files of the web client: which paths have one, in which encodings, under which policy. */
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as sendRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';

import { waitUntil } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { GatewayUnderTest } from './support/gateway-under-test.ts';
import { sendAsGiven } from './support/send-as-given.ts';
import type { Got } from './support/send-as-given.ts';

const page = '<!doctype html><title>Parley</title>';
const script = `export const greeting = 'hello';${' '.repeat(500)}`;

let folder: string;
let gateway: GatewayUnderTest;

async function writeBuild(): Promise<void> {
  await mkdir(join(folder, 'assets'));
  const files: Readonly<Record<string, string | Buffer>> = {
    'index.html': page,
    'index.html.gz': gzipSync(page),
    'sw.js': 'self.skipWaiting();',
    'manifest.webmanifest': '{"name":"Parley"}',
    'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'icon-192.png': 'png',
    '.env': 'SECRET=1',
    'notes.txt': 'not for the web',
    'assets/index-B1x_9-Qz.js': script,
    'assets/index-B1x_9-Qz.js.br': brotliCompressSync(script),
    'assets/index-B1x_9-Qz.js.gz': gzipSync(script),
    'assets/index-C0ffee12.css': 'body{}',
    'assets/plain.css': 'p{}',
    'assets/index-B1x_9-Qz.js.map': '{}',
    'assets/long-abcdefgh.js': ' '.repeat(8 * 1024 * 1024),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-web-'));
  await writeBuild();
  gateway = await GatewayUnderTest.start({
    PARLEY_WEB_DIR: folder,
    PARLEY_PUBLIC_URL: 'https://chat.example',
  });
});

afterAll(async () => {
  await gateway?.stop();
  await rm(folder, { recursive: true });
});

/** Sends a request exactly as given. */
function send(
  path: string,
  headers?: Readonly<Record<string, string>>,
  method?: string,
): Promise<Got> {
  return sendAsGiven(gateway, path, headers, method);
}

const immutable = 'public, max-age=31536000, immutable';

describe.each([
  ['/', 'text/html; charset=utf-8', 'no-cache'],
  ['/sw.js', 'text/javascript; charset=utf-8', 'no-cache'],
  ['/manifest.webmanifest', 'application/manifest+json; charset=utf-8', 'no-cache'],
  ['/icon.svg', 'image/svg+xml', 'no-cache'],
  ['/icon-192.png', 'image/png', 'no-cache'],
  ['/assets/index-B1x_9-Qz.js', 'text/javascript; charset=utf-8', immutable],
  ['/assets/index-C0ffee12.css', 'text/css; charset=utf-8', immutable],
  ['/assets/plain.css', 'text/css; charset=utf-8', 'no-cache'],
])('%s', (path, type, cacheRule) => {
  test('has its type, its rule for caches and a strict policy', async () => {
    const { status, headers } = await send(`${path}?x=1`, { cookie: 'a=b' });
    const host = `127.0.0.1:${gateway.running.address.port}`;
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': type,
      'cache-control': cacheRule,
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'strict-transport-security': 'max-age=31536000',
    });
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toContain("default-src 'none'");
    for (const kind of ['script-src', 'style-src'])
      expect(policy).toContain(`${kind} chat.example/assets/ ${host}/assets/`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).toContain('trusted-types parley parley-worker');
    expect(policy.join('; ')).not.toMatch(/unsafe|https?:|\*|data:|blob:/);
    expect(headers['permissions-policy']).toContain('camera=()');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers).not.toHaveProperty('set-cookie');
    expect(headers).toHaveProperty('x-request-id');
  });

  test('answers HEAD without a body, and no other method', async () => {
    const whole = await send(path);
    const head = await send(path, {}, 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers['content-length']).toBe(String(whole.body.length));
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const refused = await send(path, {}, method);
      expect(refused.status).toBe(405);
      expect(refused.headers.allow).toBe('GET, HEAD');
      expect(JSON.parse(refused.body.toString())).toMatchObject({ result: 'error' });
    }
    const options = await send(path, {}, 'OPTIONS');
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD']);
  });
});

test.each(['[::1]:9991', "x; script-src 'unsafe-inline'", '*', 'x,y'])(
  'a policy cannot name the host %s, so it admits scripts of the whole server',
  async (host) => {
    const { headers } = await send('/', { host });
    expect(headers['content-security-policy']).toContain("script-src 'self'; style-src 'self'; ");
  },
);

test('each browser gets the smallest form that it accepts', async () => {
  const path = '/assets/index-B1x_9-Qz.js';
  const br = await send(path, { 'accept-encoding': 'gzip, deflate, br, zstd' });
  expect(br.headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(br.body).toString()).toBe(script);
  const gzip = await send(path, { 'accept-encoding': 'gzip, br;q=0' });
  expect(gzip.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(gzip.body).toString()).toBe(script);
  const plain = await send(path);
  expect(plain.headers).not.toHaveProperty('content-encoding');
  expect(plain.body.toString()).toBe(script);
  expect(new Set([br, gzip, plain].map(({ headers }) => headers.etag)).size).toBe(3);
  // The build leaves out a form that is not smaller.
  const css = await send('/assets/index-C0ffee12.css', { 'accept-encoding': 'gzip, br' });
  expect(css.headers).not.toHaveProperty('content-encoding');
  const whole = await send('/', { 'accept-encoding': 'gzip, br' });
  expect(gunzipSync(whole.body).toString()).toBe(page);
});

test('what a browser has already, and a part, are answered under the same rules', async () => {
  const path = '/assets/index-B1x_9-Qz.js';
  const { headers } = await send(path);
  const unchanged = await send(path, { 'if-none-match': String(headers.etag) });
  expect([unchanged.status, unchanged.body.length]).toEqual([304, 0]);
  const part = await send(path, { range: 'bytes=0-5' });
  expect([part.status, part.body.toString()]).toEqual([206, 'export']);
  for (const answer of [unchanged, part])
    expect(answer.headers).toMatchObject({ 'cache-control': immutable, vary: 'Accept-Encoding' });
});

test.each([
  [{ range: 'bytes=9999-' }, 416],
  [{ 'if-match': '"other"' }, 412],
])('the refusal of %o is plain JSON', async (headers, status) => {
  const refused = await send('/assets/index-B1x_9-Qz.js', { ...headers, 'accept-encoding': 'br' });
  expect(refused.status).toBe(status);
  expect(refused.headers).not.toHaveProperty('content-encoding');
  expect(refused.headers['cache-control']).toContain('no-store');
  expect(JSON.parse(refused.body.toString())).toMatchObject({ result: 'error' });
});

test('a browser that leaves within a file ends its request, and nothing else', async () => {
  const { port } = gateway.running.address;
  const path = '/assets/long-abcdefgh.js';
  const before = await gateway.openRequests();
  await new Promise<void>((resolve) => {
    const request = sendRequest({ host: '127.0.0.1', port, path }, (response) => {
      response.once('data', () => {
        request.destroy();
        resolve();
      });
      response.on('error', () => undefined);
    });
    request.end();
  });
  await gateway.untilOpen(before);
  await gateway.settle();
  expect((await send(path)).body).toHaveLength(8 * 1024 * 1024);
});

/** The files of the build that this process has open. */
function filesOpen(): number {
  const descriptors = '/proc/self/fd';
  return readdirSync(descriptors).filter((name) => {
    try {
      return readlinkSync(join(descriptors, name)).startsWith(folder);
    } catch {
      // It was the one by which the folder was read.
      return false;
    }
  }).length;
}

test('many requests that are sent at once have one file open, and none when their connection ends', async () => {
  const { port } = gateway.running.address;
  const before = await gateway.openRequests();
  const socket = connect(port, '127.0.0.1');
  const count = 20;
  const request = 'GET /assets/long-abcdefgh.js HTTP/1.1\r\nHost: localhost\r\n\r\n';
  socket.write(request.repeat(count));
  await once(socket, 'readable');
  await gateway.untilOpen(before + count);
  expect(filesOpen()).toBe(1);
  socket.destroy();
  await gateway.untilOpen(before);
  await waitUntil('no file is open', () => filesOpen() === 0);
});

test.each([
  '/index.html',
  '/index.html.gz',
  '/assets',
  '/assets/',
  '/assets/index-B1x_9-Qz.js.br',
  '/assets/index-B1x_9-Qz.js.gz',
  '/assets/index-B1x_9-Qz.js.map',
  '/assets/index-B1x_9-Qz.js/',
  '/assets/nothing-abcdefgh.js',
  '/assets/../index.html',
  '/assets/%2e%2e/index.html',
  '/assets/..%2findex.html',
  '/../package.json',
  '/.env',
  '/%2eenv',
  '/notes.txt',
  '/sw.js%00',
  '/favicon.ico',
  '/streams',
  '/login',
  '/constructor',
  '/__proto__',
  '/api',
  '/api/v1',
])('there is nothing at %s', async (path) => {
  const { status, headers, body } = await send(path);
  expect(status).toBe(404);
  expect(headers['content-type']).toBe('application/json');
  expect(JSON.parse(body.toString())).toEqual({ result: 'error', msg: 'Not found' });
});

test('endpoints and the reference stay where they are', async () => {
  expect((await send('/api/docs')).status).toBe(200);
  expect((await send('/api/v1/users/me')).status).toBe(401);
});

test('without a build there is no page', async () => {
  const other = await GatewayUnderTest.start({ PARLEY_WEB_DIR: join(folder, 'nothing') });
  try {
    const answer = await fetch(`${other.url}/`);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { result: 'error', msg: 'Not found' },
    ]);
  } finally {
    await other.stop();
  }
});
