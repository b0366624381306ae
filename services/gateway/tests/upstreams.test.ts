import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { connectTimeoutMs, takesConnections } from '../src/upstreams.ts';

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

/** Holds up this process, as too many others on the machine do. */
function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('a node takes connections, also if this process was held up while it connected', async () => {
  const taken = takesConnections(address);
  holdUp(connectTimeoutMs + 100);
  expect(await taken).toBe(true);
});

test('a node that does not listen takes none', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  other.close();
  await once(other, 'close');
  expect(await takesConnections(`127.0.0.1:${port}`)).toBe(false);
});
