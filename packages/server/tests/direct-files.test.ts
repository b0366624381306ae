/** Answers over a link that are not JSON. */
import { Readable } from 'node:stream';

import { declareEndpoint, pathText } from '@parley/api';
import { RequestSignal, bytesOf, fileMaxBytes, notOverLinksStatus, textOf } from '@parley/links';
import type { LinkAnswer, LinkedHeaders } from '@parley/links';
import { createLogger } from '@parley/logging';
import { beforeEach, expect, it } from 'vitest';

import { createLinkApp } from './sample-apps.ts';
import { implement, noContent, rawAnswer } from '../src/implement.ts';
import type { RawAnswer } from '../src/implement.ts';

const shared = { service: 'messages', access: { authentication: 'none' } } as const;

let made: Readable | undefined;
/** Ends the wait for a silent store. */
let silences: (() => void)[] = [];
const range = 'bytes=0-1';

function stream(length: string | undefined, ...pieces: readonly Buffer[]): RawAnswer {
  made = Readable.from(pieces);
  return rawAnswer(200, length === undefined ? {} : { 'Content-Length': length }, made);
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
    success: [{ contentType: 'image/png', description: 'The file' }],
    refusals: [{ status: 404, contentType: 'text/html', description: 'There is none' }],
  }),
  async (_context: object, { parameters, header, admitFile }) => {
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
    if (path === 'silent') {
      // Like a stream of a file that is being read: destroying it waits for the disk.
      made = new Readable({
        read: () => undefined,
        destroy: (_error, done) => silences.push(done),
      });
      made.push('x');
      return rawAnswer(200, { 'Content-Length': '5' }, made);
    }
    if (path === 'unopened') {
      admitFile(5);
      await new Promise<void>((resolve) => silences.push(resolve));
      return stream('4', Buffer.from('four'));
    }
    if (path === 'announced') {
      admitFile(fileMaxBytes + 1);
      return stream('4', Buffer.from('four'));
    }
    if (size > 0) return stream(path, Buffer.alloc(size - 1, 'x'), Buffer.from('y'));
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
  log: createLogger({ service: 'sample', nodeId: 'direct', level: 'silent' }),
  checkAnswers: true,
  answerHeaders: { 'x-parley-node': 'n' },
});

beforeEach(() => {
  made = undefined;
  silences = [];
});

type Way = {
  readonly headers?: LinkedHeaders;
  readonly signal?: RequestSignal;
  readonly backlogBytes?: number;
};

function ask(
  address: string,
  method = 'GET',
  { headers = {}, signal = new RequestSignal(), backlogBytes = 0 }: Way = {},
): Promise<LinkAnswer> {
  const body = Buffer.alloc(0);
  const link = { backlogBytes };
  return new Promise((resolve) => {
    app({ requestId: 'r', method, address, caller: null, headers, body, signal, link }, resolve);
  });
}

it('a page has its own headers only, with a path of several segments', async () => {
  expect(await ask('/files/3/%C3%BC%2F%40/b', 'GET', { headers: { range } })).toEqual({
    status: 404,
    kind: 'raw',
    headers: { 'Content-Type': 'text/html', 'x-parley-node': 'n' },
    shared: `3: ü/@/b, ${range}`,
    own: '',
  });
});

it.each(['/files/3', '/files/3/', '/files//a'])('%s is no file', async (path) => {
  expect(await ask(path)).toMatchObject({ status: 404, kind: 'json' });
});

it('an empty answer stays empty', async () => {
  expect(await ask('/api/v1/nothing')).toMatchObject({ status: 204, kind: 'raw', shared: '' });
});

it.each([1, 70_000, fileMaxBytes])('a file of %s bytes is complete', async (size) => {
  const { status, kind, shared: bytes } = await ask(`/files/3/${size}`);
  expect([status, kind, bytesOf(bytes)]).toEqual([200, 'raw', size]);
  expect(textOf(bytes)).toBe(`${'x'.repeat(size - 1)}y`);
});

it.each([fileMaxBytes + 1, 'endless'])('a file of %s must use HTTP', async (path) => {
  expect((await ask(`/files/3/${path}`)).status).toBe(notOverLinksStatus);
  expect(made?.destroyed).toBe(true);
});

it.each(['silent', 'unopened'])('a store that is %s is not awaited', async (path) => {
  expect((await ask(`/files/3/${path}`)).status).toBe(notOverLinksStatus);
  for (const end of silences) end();
  await expect.poll(() => made?.destroyed).toBe(true);
});

it('a file with a length above the limit is not opened', async () => {
  expect((await ask('/files/3/announced')).status).toBe(notOverLinksStatus);
  expect(made).toBeUndefined();
});

it.each(['short', 'long', 'broken'])('a file that is %s is not answered', async (path) => {
  expect(await ask(`/files/3/${path}`)).toMatchObject({ status: 503, kind: 'json' });
  expect(made?.destroyed).toBe(true);
});

it('an answer with an invalid header is refused', async () => {
  expect(await ask('/files/3/forged')).toMatchObject({ status: 500, kind: 'json' });
  expect(made?.destroyed).toBe(true);
});

it('reading stops when nobody waits for the file', async () => {
  const signal = new RequestSignal();
  const answered = ask('/files/3/silent', 'GET', { signal });
  await expect.poll(() => made?.readableDidRead).toBe(true);
  signal.abort();
  expect(made?.destroyed).toBe(true);
  for (const end of silences) end();
  await answered;
});

it('a file that nobody waits for when it is opened is not read', async () => {
  const signal = new RequestSignal();
  signal.abort();
  expect((await ask('/files/3/1', 'GET', { signal })).status).toBe(503);
  expect([made?.destroyed, made?.readableDidRead]).toEqual([true, false]);
});

it('files use HTTP while much waits for their gateway', async () => {
  const status = async (backlogBytes: number): Promise<number> =>
    (await ask('/files/3/1', 'GET', { backlogBytes })).status;
  expect([await status(1e6), await status(1e7)]).toEqual([200, notOverLinksStatus]);
});

it('files use HTTP while the store is slow for many, even if nobody waits for those', async () => {
  const status = async (): Promise<number> => (await ask('/files/3/1')).status;
  const requests = Array.from({ length: 16 }, () => ask('/files/3/unopened'));
  await Promise.all(requests);
  expect(await status()).toBe(notOverLinksStatus);
  for (const end of silences) end();
  await expect.poll(status).toBe(200);
});

it('HEAD gets the length of any file, and nothing is read', async () => {
  const size = fileMaxBytes * 2;
  expect(await ask(`/files/3/${size}`, 'HEAD')).toMatchObject({
    status: 200,
    headers: { 'Content-Length': String(size) },
    shared: '',
  });
  expect([made?.destroyed, made?.readableDidRead]).toEqual([true, false]);
});
