import { request as startRequest } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { declareEndpoint, pathText, textParameter } from '@parley/api';
import { integer, object, optional, text } from '@parley/api/schema';
import { createLogger } from '@parley/logging';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createHttpApp } from './sample-apps.ts';
import { listen } from '../src/graceful-server.ts';
import { implement, rawAnswer } from '../src/implement.ts';
import type { Implementation } from '../src/implement.ts';
import type { GracefulServer } from '../src/graceful-server.ts';
import { identityHeaders, sampleSecret } from './sample-app.ts';

type Taken = { name: string; bytes: number; outcome: 'begun' | 'taken' | 'failed' };
type Context = { readonly taken: Taken[]; failNext: boolean; readonly destroyed: string[] };

const fileMaxBytes = 2 * 1024 * 1024;

const takeFile = implement(
  declareEndpoint({
    name: 'take-file',
    method: 'POST',
    path: '/files',
    service: 'messages',
    tag: 'Server',
    summary: 'Takes a file',
    access: { authentication: 'required' },
    takesFile: true,
    parameters: [textParameter('mimetype', { description: 'The type' })],
    success: object({ name: text, bytes: integer, ...optional({ type: text }) }),
  }),
  async (context: Context, request) => {
    const { name, bytes } = await request.receiveFile({
      maxBytes: fileMaxBytes,
      take: async (file) => {
        const taken: Taken = { name: file.name, bytes: 0, outcome: 'begun' };
        context.taken.push(taken);
        if (context.failNext) throw new TypeError('no room');
        try {
          await pipeline(file.content, async (chunks: AsyncIterable<Buffer>) => {
            for await (const chunk of chunks) taken.bytes += chunk.length;
          });
          taken.outcome = 'taken';
          return taken;
        } catch (error) {
          taken.outcome = 'failed';
          throw error;
        }
      },
    });
    const type = request.parameters.mimetype;
    return { name, bytes, ...(type === undefined ? {} : { type }) };
  },
);

const takeForm = implement(
  declareEndpoint({
    name: 'take-form',
    method: 'POST',
    path: '/forms',
    service: 'messages',
    tag: 'Server',
    summary: 'Takes a form without files',
    access: { authentication: 'required' },
    parameters: [],
    success: object({}),
  }),
  (_context: Context) => ({}),
);

const serveFile = implement(
  declareEndpoint({
    name: 'serve-file',
    method: 'GET',
    path: '/files/{path...}',
    below: 'root',
    service: 'messages',
    tag: 'Server',
    summary: 'Serves a file',
    access: { authentication: 'none' },
    parameters: [pathText('path', { description: 'Which' })],
    success: [{ contentType: 'application/octet-stream', description: 'The file' }],
  }),
  (context: Context, { parameters }) => {
    const { path } = parameters;
    if (path === 'page') return rawAnswer(404, { 'Content-Type': 'text/html' }, '<p>Gone.</p>');
    let sent = 0;
    const body = new Readable({
      read() {
        sent += 1;
        if (path === 'broken' && sent === 3) this.destroy(new Error('the disk is gone'));
        else if (path === 'endless' || sent <= 4) this.push(Buffer.alloc(65_536, sent));
        else this.push(null);
      },
      destroy(error, done) {
        context.destroyed.push(path);
        done(error);
      },
    });
    const headers = { 'Content-Type': 'application/octet-stream' };
    return rawAnswer(
      200,
      path === 'endless' ? headers : { ...headers, 'Content-Length': String(4 * 65_536) },
      body,
    );
  },
);

async function waitUntil(condition: () => boolean): Promise<void> {
  await expect.poll(condition).toBe(true);
}

const context: Context = { taken: [], failNext: false, destroyed: [] };
let server: GracefulServer;
let base: string;

beforeAll(async () => {
  const log = createLogger({ service: 'sample', nodeId: 'sample-1', level: 'silent' });
  const implementations: readonly Implementation<Context>[] = [takeFile, takeForm, serveFile];
  const app = createHttpApp({
    implementations,
    context,
    identitySecrets: [sampleSecret],
    log,
    checkAnswers: true,
  });
  server = await listen(app, {
    host: '127.0.0.1',
    port: 0,
    requestTimeoutMs: 30_000,
    silenceMaxMs: 30_000,
  });
  base = `http://127.0.0.1:${server.port}`;
});

afterAll(() => server.stop(1000));

beforeEach(() => {
  context.taken.length = 0;
  context.destroyed.length = 0;
  context.failNext = false;
});

async function post(
  body: FormData | string,
  headers: Record<string, string> = {},
): Promise<{ status: number; answer: Record<string, unknown> }> {
  const response = await fetch(`${base}/api/v1/files?mimetype=text/plain`, {
    method: 'POST',
    body,
    headers: { ...identityHeaders(), ...headers },
  });
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
}

function formOf(
  ...files: readonly (readonly [name: string, content: string | Buffer])[]
): FormData {
  const form = new FormData();
  form.set('note', 'a field');
  for (const [index, [name, content]] of files.entries())
    form.append(`part ${index}`, new Blob([new Uint8Array(Buffer.from(content))]), name);
  return form;
}

describe('receiving a file', () => {
  it('accepts one file of any part name, with its name as written', async () => {
    expect(await post(formOf(['naïve 日本.txt', 'hello']))).toEqual({
      status: 200,
      answer: { result: 'success', msg: '', name: 'naïve 日本.txt', bytes: 5, type: 'text/plain' },
    });
  });

  it.each([
    ['/home/me/a.txt', 'a.txt'],
    ['C:\\me\\a.txt', 'a.txt'],
    ['..', '..'],
    ['a/', ''],
  ])('reads the file name %j as %j', async (written, name) => {
    const body = `--x\r\nContent-Disposition: form-data; name="f"; filename="${written.replaceAll('\\', '\\\\')}"\r\n\r\nhello\r\n--x--\r\n`;
    const { answer } = await post(body, { 'content-type': 'multipart/form-data; boundary=x' });
    expect(answer).toMatchObject({ name, bytes: 5 });
  });

  it('accepts an empty file, and one of the maximum size', async () => {
    expect((await post(formOf(['a', '']))).answer).toMatchObject({ bytes: 0 });
    const largest = Buffer.alloc(fileMaxBytes);
    expect((await post(formOf(['a', largest]))).answer).toMatchObject({ bytes: fileMaxBytes });
  });

  it.each([
    ['a form without a file', () => post(formOf())],
    [
      'another content type',
      () => post('a=1', { 'content-type': 'application/x-www-form-urlencoded' }),
    ],
    ['no content type', () => post('', { 'content-type': '' })],
    [
      'a form without parts',
      () => post('--x--\r\n', { 'content-type': 'multipart/form-data; boundary=x' }),
    ],
    [
      'a part with an empty file name',
      () =>
        post(
          '--x\r\nContent-Disposition: form-data; name="f"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--x--\r\n',
          { 'content-type': 'multipart/form-data; boundary=x' },
        ),
    ],
  ])('refuses %s', async (_what, send) => {
    expect(await send()).toEqual({
      status: 400,
      answer: { result: 'error', msg: 'You must specify a file to upload' },
    });
    expect(context.taken).toEqual([]);
  });

  it('refuses two files, even if the first is too large, and stops reading the first', async () => {
    for (const first of ['a', Buffer.alloc(fileMaxBytes + 1)]) {
      expect(await post(formOf(['a', first], ['b', 'b']))).toEqual({
        status: 400,
        answer: { result: 'error', msg: 'You may only upload one file at a time' },
      });
    }
  });

  it.each([1, 100, 600_000, 8_000_000])('refuses a file %d bytes above the limit', async (more) => {
    expect(await post(formOf(['a', Buffer.alloc(fileMaxBytes + more)]))).toEqual({
      status: 400,
      answer: { result: 'error', msg: 'Uploaded file is larger than the allowed limit of 2 MB' },
    });
    expect(context.taken.filter(({ outcome }) => outcome === 'taken')).toEqual([]);
  });

  it('refuses a malformed form', async () => {
    const type = { 'content-type': 'multipart/form-data; boundary=x' };
    const begun = '--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nhello';
    for (const body of [begun, 'nonsense', '--y--'])
      expect((await post(body, type)).status).toBe(400);
    await waitUntil(() => context.taken.every(({ outcome }) => outcome === 'failed'));
  });

  it('answers any body and any content type with a success or a 400', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '--x',
        '--x--',
        '\r\n',
        '\r\n\r\n',
        'Content-Disposition: form-data; name="f"; filename="a"',
        'Content-Disposition: form-data; name="f"',
        'Content-Disposition: attachment',
        'Content-Type: text/plain; charset="x',
        'Content-Transfer-Encoding: base64',
        "filename*=utf-8''%zz",
        ': : :',
        'hello',
      ),
      fc.string({ maxLength: 20 }),
    );
    const type = fc.oneof(
      { weight: 3, arbitrary: fc.constant('multipart/form-data; boundary=x') },
      fc
        .tuple(
          fc.constantFrom('multipart/form-data', 'Multipart/Form-Data', 'multipart/form-data '),
          fc.constantFrom(
            ';boundary=x',
            '; boundary="x',
            '; boundary=',
            '; a="; boundary=x',
            '; boundary=x"y',
            ";boundary*=utf-8''x",
            '; boundary=x; boundary=y',
            '',
          ),
        )
        .map((parts) => parts.join('')),
    );
    const path = fc.constantFrom('files', 'forms');
    await fc.assert(
      fc.asyncProperty(
        path,
        type,
        fc.array(piece, { maxLength: 12 }),
        async (where, contentType, pieces) => {
          const response = await fetch(`${base}/api/v1/${where}`, {
            method: 'POST',
            body: pieces.join(''),
            headers: { ...identityHeaders(), 'content-type': contentType },
          });
          await response.arrayBuffer();
          expect([200, 400]).toContain(response.status);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('answers a failure of the receiver after the body was read', async () => {
    context.failNext = true;
    expect((await post(formOf(['a', Buffer.alloc(1_000_000)]))).status).toBe(500);
  });

  it('fails the receiver when the client hangs up', async () => {
    const sent = startRequest(`${base}/api/v1/files`, {
      method: 'POST',
      headers: {
        ...identityHeaders(),
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': '1000000',
      },
    });
    sent.on('error', () => undefined);
    sent.write('--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nhello');
    await waitUntil(() => (context.taken[0]?.bytes ?? 0) > 0);
    sent.destroy();
    await waitUntil(() => context.taken[0]?.outcome === 'failed');
  });
});

describe('serving a file', () => {
  it('streams below the root, for a path with any segments', async () => {
    const response = await fetch(`${base}/files/a/b%20c`);
    expect(response.status).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBe(4 * 65_536);
    await waitUntil(() => context.destroyed.includes('a/b c'));
  });

  it('answers HEAD with the headers, and closes the content', async () => {
    const response = await fetch(`${base}/files/a`, { method: 'HEAD' });
    expect(response.headers.get('content-length')).toBe(String(4 * 65_536));
    await waitUntil(() => context.destroyed.includes('a'));
  });

  it('writes a page unchanged', async () => {
    const response = await fetch(`${base}/files/page`);
    expect([response.status, await response.text()]).toEqual([404, '<p>Gone.</p>']);
  });

  it('breaks off if the content fails', async () => {
    const response = await fetch(`${base}/files/broken`);
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  it('closes the content when the client hangs up', async () => {
    const controller = new AbortController();
    const response = await fetch(`${base}/files/endless`, { signal: controller.signal });
    await response.body?.getReader().read();
    controller.abort();
    await waitUntil(() => context.destroyed.includes('endless'));
  });
});
