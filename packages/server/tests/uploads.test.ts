import { request as startRequest } from 'node:http';
import { pipeline } from 'node:stream/promises';

import { declareEndpoint, textParameter } from '@parley/api';
import { integer, object, optional, text } from '@parley/api/schema';
import { signIdentity } from '@parley/auth/identity';
import { createLogger } from '@parley/telemetry/logging';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { listen } from '../src/graceful-server.ts';
import { implement } from '../src/implement.ts';
import type { Implementation } from '../src/implement.ts';
import type { GracefulServer } from '../src/graceful-server.ts';
import { Pipeline } from '../src/pipeline.ts';
import { serveUploads } from '../src/upload-adapter.ts';
import { sampleClock } from './sample-app.ts';
import { member } from './sample-apps.ts';

type Taken = { name: string; bytes: number; outcome: 'begun' | 'taken' | 'failed' };
type Context = { readonly taken: Taken[]; failNext: boolean };

const fileMaxBytes = 2 * 1024 * 1024;
const secret = 'a secret of the sample app, long enough';

/** The headers by which a gateway passes an upload on. */
function gatewayHeaders({
  nowMs = sampleClock.nowMs(),
  endpoint = 'take-file',
  signedWith = secret,
} = {}): Record<string, string> {
  return {
    'x-parley-identity': signIdentity(signedWith, member, { requestId: 'r', nowMs }),
    'x-parley-endpoint': endpoint,
  };
}

const takeFile = implement(
  declareEndpoint({
    name: 'take-file',
    method: 'POST',
    path: '/files',
    service: 'messages',
    tag: 'Server',
    summary: 'Takes a file',
    access: { authentication: 'required' },
    file: 'streamed',
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

async function waitUntil(condition: () => boolean): Promise<void> {
  await expect.poll(condition).toBe(true);
}

const context: Context = { taken: [], failNext: false };
let server: GracefulServer;
let base: string;

beforeAll(async () => {
  const log = createLogger({ service: 'sample', nodeId: 'sample-1', level: 'silent' });
  const implementations: readonly Implementation<Context>[] = [takeFile];
  const pipeline = new Pipeline({
    implementations,
    context,
    clock: sampleClock,
    log,
    checkAnswers: true,
  });
  const app = serveUploads(pipeline, { identitySecrets: [secret], answerHeaders: {} });
  server = await listen(app, {
    clock: sampleClock,
    host: '127.0.0.1',
    port: 0,
    requestTimeoutMs: 30_000,
    silenceMaxMs: 30_000,
  });
  base = `http://127.0.0.1:${server.port}/api/v1/files`;
});

afterAll(() => server.stop(1000));

beforeEach(() => {
  context.taken.length = 0;
  context.failNext = false;
});

async function post(
  body: FormData | string,
  headers: Record<string, string> = {},
): Promise<{ status: number; answer: Record<string, unknown> }> {
  const response = await fetch(`${base}?mimetype=text/plain`, {
    method: 'POST',
    body,
    headers: { ...gatewayHeaders(), ...headers },
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
    await fc.assert(
      fc.asyncProperty(type, fc.array(piece, { maxLength: 12 }), async (contentType, pieces) => {
        const response = await fetch(base, {
          method: 'POST',
          body: pieces.join(''),
          headers: { ...gatewayHeaders(), 'content-type': contentType },
        });
        await response.arrayBuffer();
        expect([200, 400]).toContain(response.status);
      }),
    );
  });

  it('answers a failure of the receiver after the body was read', async () => {
    context.failNext = true;
    expect((await post(formOf(['a', Buffer.alloc(1_000_000)]))).status).toBe(500);
  });

  it('fails the receiver when the client hangs up', async () => {
    const sent = startRequest(base, {
      method: 'POST',
      headers: {
        ...gatewayHeaders(),
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

it.each<[string, Record<string, string>]>([
  ['without an identity', { 'x-parley-identity': '' }],
  ['with one of another secret', gatewayHeaders({ signedWith: 'some other secret' })],
  ['with one that is too old', gatewayHeaders({ nowMs: sampleClock.nowMs() - 60_000 })],
  ['with one that is malformed', { 'x-parley-identity': 'e30.e30' }],
  ['to another endpoint', gatewayHeaders({ endpoint: 'hold-sample' })],
])('a request %s is no upload', async (_how, headers) => {
  expect(await post(formOf(['a', 'a']), headers)).toMatchObject({ status: 404 });
  expect(context.taken).toEqual([]);
});
