/** How the generators parse answers from a socket. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, test } from 'vitest';

import { HttpConnection } from './http-connection.ts';

test('bodies with a length and in chunks are read completely, in sequence on one connection', async () => {
  const text = 'a body with ünïcode '.repeat(5_000);
  const server = createServer((request, response) => {
    if (request.url === '/chunks') {
      for (let at = 0; at < text.length; at += 7_001) response.write(text.slice(at, at + 7_001));
      response.end();
    } else response.setHeader('Content-Length', Buffer.byteLength(text)).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  let connections = 0;
  server.on('connection', () => (connections += 1));
  try {
    const connection = new HttpConnection(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    );
    for (const path of ['/chunks', '/length', '/chunks']) {
      const answer = await connection.request(`GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`);
      expect(answer).toMatchObject({ status: 200, body: text });
    }
    connection.abort();
    expect(connections).toBe(1);
  } finally {
    server.close();
  }
});
