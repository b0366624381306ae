/** Answers over a link that are no JSON. */
import { Readable } from 'node:stream';

import { RequestSignal, fileMaxBytes, notOverLinksStatus } from '@parley/links';
import type { LinkAnswer, LinkedHeaders } from '@parley/links';
import { createLogger } from '@parley/logging';
import { beforeEach, expect, it } from 'vitest';

import {
  createDirectApp,
  defineEndpoint,
  isForLinks,
  noContent,
  pathText,
  rawAnswer,
} from '../src/index.ts';
import type { RawAnswer } from '../src/index.ts';

const shared = { access: { authentication: 'none' }, response: {} } as const;

let made: Readable | undefined;
const range = 'bytes=0-1';

function stream(length: string | undefined, ...pieces: readonly Buffer[]): RawAnswer {
  made = Readable.from(pieces);
  return rawAnswer(200, length === undefined ? {} : { 'Content-Length': length }, made);
}

const serveFile = defineEndpoint({
  ...shared,
  name: 'serve-file',
  method: 'GET',
  path: '/files/:realm_id/*path',
  below: 'root',
  summary: 'Serves a file',
  parameters: [
    pathText('realm_id', { description: 'Whose' }),
    pathText('path', { description: 'Which' }),
  ],
  rawResponse: { contentType: 'image/png', description: 'The file' },
  refusals: [{ status: 404, contentType: 'text/html', description: 'There is none' }],
  handler: (_context: object, { parameters, header }) => {
    const { path } = parameters;
    const size = Number(path);
    if (path === 'endless') return stream(undefined, Buffer.from('x'));
    if (path === 'short') return stream('5', Buffer.from('four'));
    if (path === 'broken') {
      made = new Readable({ read: () => made?.destroy(new Error('the disk is gone')) });
      return rawAnswer(200, { 'Content-Length': '5' }, made);
    }
    if (size > 0) return stream(path, Buffer.alloc(size - 1, 'x'), Buffer.from('y'));
    const text = `${parameters.realm_id}: ${path}, ${header('range')}`;
    return rawAnswer(404, { 'Content-Type': 'text/html' }, text);
  },
});

const serveNothing = defineEndpoint({
  ...shared,
  name: 'serve-nothing',
  method: 'GET',
  path: '/nothing',
  summary: 'Says that it is there',
  parameters: [],
  rawResponse: { status: 204, description: 'Nothing' },
  handler: () => noContent,
});

const streamEvents = defineEndpoint({
  ...shared,
  name: 'stream-events',
  method: 'GET',
  path: '/stream',
  summary: 'Never ends',
  parameters: [],
  rawResponse: { contentType: 'text/event-stream', description: 'Events', event: {} },
  handler: () => {
    throw new Error('it does not come over links');
  },
});

const app = createDirectApp({
  endpoints: [serveFile, serveNothing, streamEvents],
  context: {},
  identitySecrets: [],
  log: createLogger({ service: 'sample', nodeId: 'direct', level: 'silent' }),
  checkAnswers: true,
  answerHeaders: { 'x-parley-node': 'n' },
});

beforeEach(() => {
  made = undefined;
});

function ask(address: string, method = 'GET', headers: LinkedHeaders = {}): Promise<LinkAnswer> {
  return new Promise((resolve) => {
    const signal = new RequestSignal();
    const body = Buffer.alloc(0);
    app({ requestId: 'r', method, address, caller: null, headers, body, signal }, resolve);
  });
}

it('a page comes with its headers alone, by a path of several segments', async () => {
  expect(await ask('/files/3/%C3%BC%2F%40/b', 'GET', { range })).toEqual({
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

it('nothing comes as nothing', async () => {
  expect(await ask('/api/v1/nothing')).toMatchObject({ status: 204, kind: 'raw', shared: '' });
});

it.each([1, 70_000, fileMaxBytes])('a file of %s bytes comes whole', async (size) => {
  const { status, kind, shared: bytes } = await ask(`/files/3/${size}`);
  expect([status, kind, bytes.length]).toEqual([200, 'raw', size]);
  expect(bytes.toString('latin1')).toBe(`${'x'.repeat(size - 1)}y`);
});

it.each([fileMaxBytes + 1, 'endless'])('a file of %s has to come by HTTP', async (path) => {
  expect((await ask(`/files/3/${path}`)).status).toBe(notOverLinksStatus);
  expect(made?.destroyed).toBe(true);
});

it.each(['short', 'broken'])('a file that is %s is no answer', async (path) => {
  expect(await ask(`/files/3/${path}`)).toMatchObject({ status: 500, kind: 'json' });
});

it('HEAD learns the length of any file, and nothing is read', async () => {
  const size = fileMaxBytes * 2;
  expect(await ask(`/files/3/${size}`, 'HEAD')).toMatchObject({
    status: 200,
    headers: { 'Content-Length': String(size) },
    shared: '',
  });
  expect([made?.destroyed, made?.readableDidRead]).toEqual([true, false]);
});

it('a stream of events has no end, and is not for links', async () => {
  expect(isForLinks(streamEvents)).toBe(false);
  expect((await ask('/api/v1/stream')).status).toBe(404);
});
