import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';

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
      { host: '127.0.0.1', port: 0, requestTimeoutMs: 30_000, silenceMaxMs: 200 },
    );
    const client = connect(server.port, '127.0.0.1').pause();
    client.on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await closed).writableFinished).toBe(false);
    client.destroy();
  });
});
