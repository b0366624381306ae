import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { FaultProxy } from './fault-proxy.ts';
import { waitUntil } from './wait-until.ts';

let received = '';
let proxy: FaultProxy;
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    received += chunk.toString();
    socket.write(`got ${chunk.toString()}`);
  });
});

function open(): { readonly socket: Socket; readonly answers: () => string } {
  const socket = connect(proxy.port, '127.0.0.1');
  let text = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  return { socket, answers: () => text };
}

beforeEach(async () => {
  received = '';
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  proxy = await FaultProxy.start(`tcp://127.0.0.1:${address.port}`);
});

afterEach(async () => {
  await proxy.stop();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

test('bytes pass in both directions', async () => {
  const { socket, answers } = open();
  socket.write('one');
  await waitUntil('the answer', () => answers() !== '');
  expect(answers()).toBe('got one');
});

test('matching bytes are held with everything after them, until they are released', async () => {
  const hold = proxy.holdBack('to-server', (bytes) => bytes.includes('stop'));
  const { socket, answers } = open();
  socket.write('one ');
  await waitUntil('the first answer', () => answers() === 'got one ');
  socket.write('stop ');
  await hold.caught;
  socket.write('after');
  const other = open();
  other.socket.write('other ');
  await waitUntil('the answer to the other connection', () => other.answers() === 'got other ');
  expect(received).toBe('one other ');
  expect(hold.heldConnections()).toBe(1);
  hold.release();
  await waitUntil('what was held', () => received === 'one other stop after');
});

test('a match across two chunks is found', async () => {
  const hold = proxy.holdBackPublish();
  const { socket, answers } = open();
  socket.write('*3\r\n$7\r\nPUB');
  await waitUntil('the first half', () => answers() !== '');
  socket.write('LISH\r\n');
  await hold.caught;
  expect(received).toBe('*3\r\n$7\r\nPUB');
});

test('a cut ends open connections, and refusing ends new ones', async () => {
  const { socket, answers } = open();
  socket.write('one');
  await waitUntil('the answer', () => answers() === 'got one');
  proxy.cut();
  await waitUntil('the end of the open connection', () => socket.closed);
  proxy.refuse(true);
  const refused = open();
  await waitUntil('the end of the new connection', () => refused.socket.closed);
  proxy.refuse(false);
  const accepted = open();
  accepted.socket.write('two');
  await waitUntil('the answer', () => accepted.answers() !== '');
  expect(received).toBe('onetwo');
});

test('new connections go to the new target', async () => {
  await using other = await FaultProxy.start(`tcp://127.0.0.1:${proxy.port}`);
  proxy.refuse(true);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  other.retarget(`tcp://127.0.0.1:${address.port}`);
  const socket = connect(other.port, '127.0.0.1');
  socket.write('straight');
  await waitUntil('what was sent', () => received !== '');
  expect(received).toBe('straight');
  socket.destroy();
});

test('bytes stay in order when a slow proxy becomes fast', async () => {
  const { socket } = open();
  proxy.delay(50);
  // Each chunk reaches the proxy by itself: the next is sent after the one before was slowed.
  const slowed: string[] = [];
  const watch = proxy.holdBack('to-server', (bytes) => {
    slowed.push(bytes.toString());
    return false;
  });
  socket.write('one ');
  await waitUntil('the first chunk is on its slow way', () => slowed.length === 1);
  proxy.delay(0);
  socket.write('two');
  await waitUntil('both chunks', () => received.length === 'one two'.length);
  expect(received).toBe('one two');
  watch.release();
});
