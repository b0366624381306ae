import { once } from 'node:events';
import { Socket, createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { MovedClock } from '@parley/clock';
import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  Upstreams,
  connectTimeoutMs,
  limitConnecting,
  takesConnections,
} from '../src/upstreams.ts';

let server: Server;
let address: string;

beforeAll(async () => {
  server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
});

test('a node takes connections, also if the time was over before this process saw it', async () => {
  const clock = new MovedClock();
  // As timers do, from here on the clock runs before the event loop reads what the network says.
  await nextTurn();
  const taken = takesConnections(clock, address);
  await clock.advance(connectTimeoutMs);
  expect(await taken).toBe(true);
});

test('a node that does not listen takes none', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  other.close();
  await once(other, 'close');
  expect(await takesConnections(new MovedClock(), `127.0.0.1:${port}`)).toBe(false);
});

test('a connection that is not established in time is abandoned', async () => {
  const clock = new MovedClock();
  const socket = new Socket();
  socket.connect({ host: 'node', port: 1, lookup: () => undefined });
  let isLate = false;
  limitConnecting(clock, socket, () => {
    isLate = true;
  });
  await clock.advance(connectTimeoutMs - 1);
  await nextTurn();
  expect(isLate).toBe(false);
  await clock.advance(1);
  await nextTurn();
  expect(isLate).toBe(true);
  socket.destroy();
});

test('a node that refused a connection comes last for two seconds', async () => {
  const clock = new MovedClock();
  const nodes = ['a', 'b'].map((nodeId) => ({ nodeId, service: 'events', address }));
  const upstreams = new Upstreams(
    {
      nodes: () => nodes,
      stateOf: () => 'live',
      onLeasesChanged: () => () => undefined,
      readAgain: () => Promise.resolve(),
    },
    clock,
  );
  const [holder, next] = upstreams.holdersOf('17:5').map(({ nodeId }) => nodeId);
  const firstHolder = (): string | undefined => upstreams.holdersOf('17:5')[0]?.nodeId;
  upstreams.suspect(holder ?? '');
  await clock.advance(1_999);
  expect(firstHolder()).toBe(next);
  await clock.advance(1);
  expect(firstHolder()).toBe(holder);
});
