/** Answers over a link that are not JSON. */
import { Readable } from 'node:stream';

import { declareEndpoint, pathText } from '@parley/api';
import { RequestSignal, textOf } from '../src/links/index.ts';
import type { LinkAnswer } from '../src/links/index.ts';
import { createLogger } from '@parley/telemetry/logging';
import { beforeEach, expect, it } from 'vitest';

import { createLinkApp, requestOf } from './sample-apps.ts';
import type { SampleRequest } from './sample-apps.ts';
import { sampleClock } from './sample-app.ts';
import { implement, noContent, rawAnswer } from '../src/implement.ts';
import type { RawAnswer } from '../src/implement.ts';

const shared = { service: 'messages', access: { authentication: 'none' } } as const;

let made: Readable | undefined;
/** Ends the wait for a silent store. */
let endSilence: () => void = () => undefined;
const range = 'bytes=0-1';

function stream(length: string | undefined, ...pieces: readonly Buffer[]): RawAnswer {
  made = Readable.from(pieces);
  return rawAnswer(200, length === undefined ? {} : { 'Content-Length': length }, made);
}

/** As a file is read: in pieces, of which the last ends with a y. */
function piecesOf(size: number): Buffer[] {
  const bytes = Buffer.alloc(size, 'x');
  bytes.write('y', size - 1);
  return Array.from({ length: Math.ceil(size / 65_536) }, (_, n) =>
    bytes.subarray(n * 65_536, (n + 1) * 65_536),
  );
}

const serveFile = implement(
  declareEndpoint({
    ...shared,
    name: 'serve-file',
    tag: 'Server',
    method: 'GET',
    path: '/files/{realm_id}/{path...}',
    below: 'root',
    summary: 'Serves a file',
    parameters: [
      pathText('realm_id', { description: 'Whose' }),
      pathText('path', { description: 'Which' }),
    ],
    takesHeaders: ['range'],
    success: [{ contentType: 'image/png', description: 'The file' }],
    refusals: [{ status: 404, contentType: 'text/html', description: 'There is none' }],
  }),
  (_context: object, { parameters, header }) => {
    const { path } = parameters;
    const size = Number(path);
    if (path === 'endless') return stream(undefined, Buffer.from('x'));
    if (path === 'short') return stream('5', Buffer.from('four'));
    if (path === 'long') return stream('3', Buffer.from('four'));
    if (path === 'forged') {
      made = Readable.from([Buffer.from('four')]);
      return rawAnswer(200, { 'Content-Length': '4', ETag: '"\n"' }, made);
    }
    if (path === 'broken') {
      made = new Readable({ read: () => made?.destroy(new Error('the disk is gone')) });
      return rawAnswer(200, { 'Content-Length': '5' }, made);
    }
    if (path === 'broken-later') return stream('100001', ...piecesOf(100_000));
    if (path === 'silent') {
      // Like a stream of a file that is being read: destroying it waits for the disk.
      made = new Readable({
        read: () => undefined,
        destroy: (_error, done) => {
          endSilence = done;
        },
      });
      made.push('x');
      return rawAnswer(200, { 'Content-Length': '5' }, made);
    }
    if (size > 0) return stream(path, ...piecesOf(size));
    const text = `${parameters.realm_id}: ${path}, ${header('range')}`;
    return rawAnswer(404, { 'Content-Type': 'text/html' }, text);
  },
);

const serveNothing = implement(
  declareEndpoint({
    ...shared,
    name: 'serve-nothing',
    tag: 'Server',
    method: 'GET',
    path: '/nothing',
    summary: 'Says that it is there',
    parameters: [],
    success: [{ status: 204, description: 'Nothing' }],
  }),
  () => noContent,
);

const app = createLinkApp({
  implementations: [serveFile, serveNothing],
  context: {},
  clock: sampleClock,
  log: createLogger({ service: 'sample', nodeId: 'direct', level: 'silent' }),
  checkAnswers: true,
  answerHeaders: { 'x-parley-node': 'n' },
});

beforeEach(() => {
  made = undefined;
});

/** Asks for a file and takes each step. */
async function ask(path: string, more: Partial<SampleRequest> = {}): Promise<LinkAnswer[]> {
  const parts: LinkAnswer[] = [];
  const request = requestOf({
    endpoint: 'serve-file',
    path: { realm_id: '3', path },
    caller: null,
    ...more,
  });
  await new Promise<void>((resolve) =>
    app(request, (part) => {
      parts.push(part);
      if (part.kind === 'step') setImmediate(() => request.signal.tellTaken());
      else resolve();
    }),
  );
  return parts;
}

it('a page has its own headers only', async () => {
  expect(await ask('ü/@/b', { headers: { range } })).toEqual([
    {
      status: 404,
      kind: 'raw',
      headers: { 'Content-Type': 'text/html', 'x-parley-node': 'n' },
      shared: `3: ü/@/b, ${range}`,
      own: '',
    },
  ]);
});

it('an empty answer stays empty', async () => {
  expect(await ask('', { endpoint: 'serve-nothing' })).toMatchObject([
    { status: 204, kind: 'raw', shared: '' },
  ]);
});

it.each([
  [1, 0],
  [65_536, 0],
  [65_537, 1],
  [1_000_000, 15],
])('a file of %s bytes is complete, after %s steps', async (size, steps) => {
  const parts = await ask(String(size));
  expect(parts.map(({ kind }) => kind)).toEqual([
    ...Array.from({ length: steps }, () => 'step'),
    'raw',
  ]);
  expect(parts[0]?.headers).toMatchObject({ 'Content-Length': String(size) });
  const bytes = parts.map(({ shared }) => textOf(shared)).join('');
  expect(bytes === `${'x'.repeat(size - 1)}y`).toBe(true);
});

it('a file without a length is complete', async () => {
  expect(await ask('endless')).toMatchObject([{ status: 200, shared: [Buffer.from('x')] }]);
});

it.each(['short', 'long', 'broken'])('a file that is %s is not answered', async (path) => {
  expect(await ask(path)).toMatchObject([{ status: 503, kind: 'json' }]);
  expect(made?.destroyed).toBe(true);
});

it('a file that turns out to be short after its beginning was sent breaks off', async () => {
  const parts = await ask('broken-later');
  expect(parts.map(({ kind }) => kind)).toEqual(['step', 'broken']);
});

it('an answer with an invalid header is refused', async () => {
  expect(await ask('forged')).toMatchObject([{ status: 500, kind: 'json' }]);
  expect(made?.destroyed).toBe(true);
});

it('reading stops when nobody waits for the file', async () => {
  const signal = new RequestSignal();
  const answered = ask('silent', { signal });
  await expect.poll(() => made?.readableDidRead).toBe(true);
  signal.abort();
  expect(made?.destroyed).toBe(true);
  endSilence();
  await answered;
});

it('a step that nobody takes ends with the request', async () => {
  const signal = new RequestSignal();
  const request = requestOf({
    endpoint: 'serve-file',
    path: { realm_id: '3', path: '1000000' },
    signal,
  });
  app(request, () => undefined);
  await expect.poll(() => made?.readableDidRead).toBe(true);
  signal.abort();
  await expect.poll(() => made?.destroyed).toBe(true);
});

it('a file that nobody waits for when it is opened is not read', async () => {
  const signal = new RequestSignal();
  signal.abort();
  expect(await ask('1', { signal })).toMatchObject([{ status: 503 }]);
  expect([made?.destroyed, made?.readableDidRead]).toEqual([true, false]);
});

it('HEAD gets the length of any file, and nothing is read', async () => {
  const size = 1_000_000;
  expect(await ask(String(size), { wants: 'headers' })).toMatchObject([
    { status: 200, headers: { 'Content-Length': String(size) }, shared: '' },
  ]);
  expect([made?.destroyed, made?.readableDidRead]).toEqual([true, false]);
});
