/** Connections over TLS that calls to addresses of users share, without weakening what decides which addresses these may be (decision 0018). */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemClock } from '@parley/clock';
import { parseAddressRanges } from '@parley/config';
import { AddressRules, KeptConnections, callService } from '@parley/outgoing';
import type { CallResult } from '@parley/outgoing';
import { waitUntil } from '@parley/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { makeCertificates, trustAuthority } from '../support/certificates.ts';

/** A server at a free port, which counts its connections. */
type CountedServer = {
  readonly url: string;
  readonly sockets: readonly Socket[];
  requests: number;
  /** What it answers. */
  body: string;
  /** Waited for before an answer. */
  ready: Promise<unknown>;
  readonly stop: () => Promise<void>;
};

const loopback = new AddressRules(parseAddressRanges('127.0.0.1'));
const bounds = { perServerMax: 2, allMax: 3, idleMs: 60_000, keptForMs: 60_000 };

let folder: string;
let certificate: { readonly cert: string; readonly key: string };
let servers: CountedServer[] = [];
let connections: KeptConnections;
let lookUps = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-kept-'));
  const files = await makeCertificates(folder, 'localhost');
  const [ca = '', cert = '', key = ''] = await Promise.all(
    [files.caFile, files.certFile, files.keyFile].map((file) => readFile(file, 'utf8')),
  );
  trustAuthority(ca);
  certificate = { cert, key };
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(() => {
  connections = new KeptConnections(bounds, systemClock);
  lookUps = 0;
});
afterEach(async () => {
  connections.destroy();
  await Promise.all(servers.map((server) => server.stop()));
  servers = [];
});

async function serve(): Promise<CountedServer> {
  const sockets: Socket[] = [];
  const server: Server = createServer(certificate, (_request, response) => {
    started.requests += 1;
    void started.ready.then(() => response.end(started.body));
  });
  server.keepAliveTimeout = 60_000;
  server.on('secureConnection', (socket: Socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const started: CountedServer = {
    url: `https://localhost:${(server.address() as AddressInfo).port}/push`,
    sockets,
    requests: 0,
    body: 'taken',
    ready: Promise.resolve(),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  servers.push(started);
  return started;
}

function call({ url }: CountedServer, rules = loopback): Promise<CallResult> {
  const findAddresses = (): Promise<string[]> => {
    lookUps += 1;
    return Promise.resolve(['127.0.0.1']);
  };
  const request = { url, contentType: 'text/plain', body: 'x', headers: {} };
  const options = {
    rules,
    findAddresses,
    timeoutMs: 20_000,
    redirectsMax: 0,
    connections,
    clock: systemClock,
  };
  return callService(request, options, new AbortController().signal);
}

async function expectTaken(server: CountedServer): Promise<void> {
  expect(await call(server)).toMatchObject({ kind: 'answer', status: 200, text: 'taken' });
}

/** Makes calls that are answered together, so that each has a connection. */
async function callAtOnce(server: CountedServer, count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.ready = promise;
  const before = server.requests;
  const calls = Array.from({ length: count }, () => expectTaken(server));
  await waitUntil('all have come', () => Promise.resolve(server.requests === before + count));
  resolve();
  await Promise.all(calls);
}

function openOf({ sockets }: CountedServer): number {
  return sockets.filter((socket) => !socket.destroyed).length;
}

test('one call after the other goes over one connection, which is looked up once, and each server has its own', async () => {
  const [one, other] = [await serve(), await serve()];
  for (let n = 0; n < 3; n += 1) for (const server of [one, other]) await expectTaken(server);
  expect([one.sockets.length, other.sockets.length]).toEqual([1, 1]);
  expect(lookUps).toBe(2);
});

test('a connection that was kept serves no call that the rules refuse now', async () => {
  const server = await serve();
  await expectTaken(server);
  expect(connections.idle).toBe(1);
  const refused = await call(server, new AddressRules([]));
  expect(refused).toMatchObject({ kind: 'fault', type: 'AddressNotAllowed' });
  expect(server.requests).toBe(1);
});

test('so many are kept for one server, and for all', async () => {
  const [one, other] = [await serve(), await serve()];
  await callAtOnce(one, 5);
  await waitUntil('the rest is closed', () => Promise.resolve(openOf(one) === 2));
  await callAtOnce(other, 3);
  await waitUntil('the rest is closed', () => Promise.resolve(openOf(other) === 1));
  expect(connections.idle).toBe(3);
});

test('one that nobody uses is closed', async () => {
  connections = new KeptConnections({ ...bounds, idleMs: 50 }, systemClock);
  const server = await serve();
  await expectTaken(server);
  await waitUntil('it is closed', () => Promise.resolve(openOf(server) === 0));
  await expectTaken(server);
  expect(lookUps).toBe(2);
});

test('one that was kept long enough is closed after a call, and the host is looked up again', async () => {
  connections = new KeptConnections({ ...bounds, keptForMs: 0 }, systemClock);
  const server = await serve();
  await expectTaken(server);
  await waitUntil('it is closed', () => Promise.resolve(openOf(server) === 0));
  await expectTaken(server);
  expect([server.sockets.length, lookUps]).toEqual([2, 2]);
});

test('one with the rest of an answer is used by no other call', async () => {
  const server = await serve();
  server.body = 'x'.repeat(1024 * 1024);
  expect(await call(server)).toMatchObject({ kind: 'fault', type: 'AnswerTooLarge' });
  server.body = 'taken';
  await expectTaken(server);
  expect(server.sockets).toHaveLength(2);
});

test('one that the server closed is replaced', async () => {
  const server = await serve();
  await expectTaken(server);
  server.sockets[0]?.end();
  await waitUntil('it is gone', () => Promise.resolve(connections.idle === 0));
  await expectTaken(server);
  expect(server.sockets).toHaveLength(2);
});
