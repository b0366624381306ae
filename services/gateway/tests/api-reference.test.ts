/** The documentation pages: their content, and that their paths give access to nothing else. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

import { interfaceDocument } from '@parley/api/interface-document';
import { parleyVersion } from '@parley/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { GatewayUnderTest } from './support/gateway-under-test.ts';
import { sendAsGiven } from './support/send-as-given.ts';
import type { Got } from './support/send-as-given.ts';

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await GatewayUnderTest.start();
});

afterAll(async () => {
  await gateway.stop();
});

/** Sends a request exactly as given. */
function send(
  path: string,
  headers?: Readonly<Record<string, string>>,
  method?: string,
): Promise<Got> {
  return sendAsGiven(gateway, path, headers, method);
}

test('the document describes this version, with the requested address', async () => {
  const { status, headers, body } = await send('/api/v1/openapi.json');
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/json');
  expect(headers['access-control-allow-origin']).toBe('*');
  const document = JSON.parse(body.toString()) as Record<string, unknown>;
  expect(document).toEqual(interfaceDocument(parleyVersion));
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: parleyVersion } });
  // An address without a host means that of the document itself.
  expect(document['servers']).toMatchObject([{ url: '/' }]);
});

describe.each([
  '/api/v1/openapi.json',
  '/api/docs',
  '/api/docs/page.mjs',
  '/api/docs/page.css',
  '/api/docs/swagger-ui-bundle.js',
  '/api/docs/swagger-ui.css',
])('%s', (path) => {
  test('is public, has its type, and sets no cookie', async () => {
    const { status, headers } = await send(path, { authorization: 'Basic nonsense' });
    expect(status).toBe(200);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toBe('public, no-cache');
    expect(headers['content-type']).toMatch(
      /^(?:application\/json|text\/(?:html|css|javascript); charset=utf-8)$/,
    );
    expect(headers).not.toHaveProperty('set-cookie');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src [\w.:]+\/api\/docs\/ [\w.:]+\/api\/docs\/;/);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  test('is compressed on request, and 304 for clients that have it', async () => {
    const plain = await send(path, { 'accept-encoding': 'br, gzip;q=0' });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    const packed = await send(path, { 'accept-encoding': 'br, GZIP;q=0.5' });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    const { etag } = plain.headers;
    expect(packed.headers.etag).toBe(etag);
    const unchanged = await send(path, { 'if-none-match': String(etag) });
    expect([unchanged.status, unchanged.body.length]).toEqual([304, 0]);
  });

  test('answers HEAD without a body, and no other method', async () => {
    const whole = await send(path);
    const head = await send(path, {}, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    expect(head.headers['content-length']).toBe(String(whole.body.length));
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const refused = await send(path, {}, method);
      expect(refused.status).toBe(405);
      expect(refused.headers.allow).toBe('GET, HEAD');
    }
    expect((await send(path, {}, 'OPTIONS')).headers.allow).toBe('GET, HEAD');
  });
});

test.each([
  '/api/docs/',
  '/api/docs/index.html',
  '/api/docs/page.html',
  '/api/docs/package.json',
  '/api/docs/swagger-ui-bundle.js.map',
  '/api/docs/../docs/page.css',
  '/api/docs/../../package.json',
  '/api/docs/%2e%2e/%2e%2e/package.json',
  '/api/docs/..%2f..%2fpackage.json',
  String.raw`/api/docs/..\..\package.json`,
  '/api/docs/%00',
  '/api/docs/page.css/',
  '/api/docs/page.css%2F..%2Fpage.html',
  '/api/v1/docs',
  '/api/v1/openapi.json/',
  '/api/openapi.json',
])('there is nothing at %s', async (path) => {
  const { status, headers, body } = await send(path);
  expect(status).toBe(404);
  expect(headers['content-type']).toBe('application/json');
  expect(JSON.parse(body.toString())).toMatchObject({ result: 'error' });
});

test('the page refers only to the gateway, and has no inline script or style', () => {
  const page = readFileSync(new URL('../reference/page.html', import.meta.url), 'utf8');
  const addresses = Array.from(page.matchAll(/(?:src|href)="([^"]*)"/g), ([, address]) => address);
  expect(addresses).not.toHaveLength(0);
  for (const address of addresses) expect(address).toMatch(/^\/(?:api|static)\//);
  expect(page).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=/);
});
