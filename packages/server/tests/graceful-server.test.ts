import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';

import { MovedClock, systemClock } from '@parley/clock';
import { afterEach, describe, expect, it } from 'vitest';

import { listen } from '../src/graceful-server.ts';
import type { GracefulServer } from '../src/graceful-server.ts';

let server: GracefulServer;
afterEach(() => server.stop(0));

describe('listen', () => {
  it('closes the connection of a client that does not read its answer', async () => {
    const { promise: closed, resolve: onClosed } = Promise.withResolvers<ServerResponse>();
    server = await listen(
      (_request, response) => {
        response.on('close', () => onClosed(response));
        // Far more than the buffers of both sides of a connection hold.
        response.end(Buffer.alloc(64 * 1024 * 1024));
      },
      {
        clock: systemClock,
        host: '127.0.0.1',
        port: 0,
        requestTimeoutMs: 30_000,
        silenceMaxMs: 200,
      },
    );
    const client = connect(server.port, '127.0.0.1').pause();
    client.on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await closed).writableFinished).toBe(false);
    client.destroy();
  });

  it('that stops closes idle connections at once, and at the deadline those with a request', async () => {
    const clock = new MovedClock();
    const asked = Promise.withResolvers<void>();
    server = await listen(
      (request, response) => {
        if (request.url === '/held') asked.resolve();
        else response.end('x');
      },
      { clock, host: '127.0.0.1', port: 0, requestTimeoutMs: 30_000, silenceMaxMs: 30_000 },
    );
    const ask = (path: string): { readonly client: Socket; readonly closed: Promise<unknown> } => {
      const client = connect(server.port, '127.0.0.1').resume();
      client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      return { client, closed: once(client, 'close') };
    };
    const [idle, held] = [ask('/'), ask('/held')];
    await Promise.all([once(idle.client, 'data'), asked.promise]);
    const stopped = server.stop(5_000);
    await idle.closed;
    await clock.advance(4_999);
    expect(held.client.destroyed).toBe(false);
    await clock.advance(1);
    await held.closed;
    await stopped;
  });
});

describe('an invalid HTTP request', () => {
  /** Sends bytes unchanged. */
  async function callRaw(bytes: string): Promise<string> {
    server = await listen((_request, response) => response.end(), {
      clock: systemClock,
      host: '127.0.0.1',
      port: 0,
      requestTimeoutMs: 30_000,
      silenceMaxMs: 30_000,
    });
    const socket = connect(server.port, '127.0.0.1');
    socket.setEncoding('utf8');
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (chunk: string) => {
      received += chunk;
    });
    socket.write(bytes);
    await once(socket, 'close');
    return received;
  }

  it.each([
    ['an address with raw bytes', 'GET /é HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['a meaningless line', 'nonsense\r\n\r\n', 400],
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(70_000)}\r\n\r\n`,
      431,
    ],
    ['a request without a host', 'GET /api/v1/samples HTTP/1.1\r\n\r\n', 400],
    [
      'an expectation that nobody meets',
      'GET /api/v1/samples HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n',
      417,
    ],
  ])('is answered in JSON: %s', async (_case, bytes, status) => {
    const answer = await callRaw(bytes);
    expect(answer).toContain(`HTTP/1.1 ${status} `);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ result: 'error' });
  });

  it('is answered without a body if only headers were requested', async () => {
    const answer = await callRaw(`HEAD / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(60_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 [^]*\r\n\r\n$/);
  });
});
