/** Hostile connections: requests within requests, endless headers, very slow bodies, and compressed ones. */
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { waitUntil } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { SmallOrganization } from '../api/small-organization.ts';

let organization: SmallOrganization;
let authorization: string;

beforeAll(async () => {
  organization = await startSmallOrganization({
    messages: 1,
    environment: { PARLEY_REQUEST_TIMEOUT_SECS: '1' },
  });
  const { user, apiKey } = organization.accounts.bob;
  authorization = `Authorization: Basic ${Buffer.from(`${user.email}:${apiKey}`).toString('base64')}`;
});
afterAll(() => organization?.stop());

/** A connection on which the test controls every byte. */
class Wire {
  heard = '';
  isClosed = false;
  readonly #socket: Socket;

  static open(): Promise<Wire> {
    const { hostname, port } = new URL(organization.cluster.url);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new Wire(socket)));
    });
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.heard += chunk.toString('latin1');
    });
    socket.on('close', () => {
      this.isClosed = true;
    });
  }

  /** The statuses of the answers so far. */
  get statuses(): number[] {
    return [...this.heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  say(text: string | Buffer): void {
    if (this.#socket.writable) this.#socket.write(text);
  }

  hangUp(): void {
    this.#socket.destroy();
  }
}

async function heardAfter(text: string | Buffer): Promise<Wire> {
  const wire = await Wire.open();
  wire.say(text);
  await waitUntil('an answer or the end comes', () => wire.statuses.length > 0 || wire.isClosed);
  return wire;
}

const head = (line: string): string => `${line} HTTP/1.1\r\nHost: chat.example\r\n`;
const inner = (): string => `${head('DELETE /api/v1/users/me')}${authorization}\r\n\r\n`;

/** Requests whose bounds two servers may parse differently. */
const smuggled: readonly (readonly [what: string, make: () => string])[] = [
  [
    'a length and chunks',
    () =>
      `${head('POST /api/v1/messages')}${authorization}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner()}`,
  ],
  [
    'two lengths that differ',
    () =>
      `${head('POST /api/v1/messages')}${authorization}\r\nContent-Length: 0\r\nContent-Length: ${inner().length}\r\n\r\n${inner()}`,
  ],
  [
    'a length with a sign',
    () =>
      `${head('POST /api/v1/messages')}${authorization}\r\nContent-Length: +0\r\n\r\n${inner()}`,
  ],
  [
    'a space before the colon',
    () =>
      `${head('POST /api/v1/messages')}${authorization}\r\nTransfer-Encoding : chunked\r\nContent-Length: 0\r\n\r\n${inner()}`,
  ],
  [
    'another encoding before chunks',
    () =>
      `${head('POST /api/v1/messages')}${authorization}\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${inner()}`,
  ],
  [
    'a header folded over two lines',
    () =>
      `${head('POST /api/v1/messages')}${authorization}\r\nTransfer-Encoding:\r\n chunked\r\nContent-Length: 0\r\n\r\n${inner()}`,
  ],
  [
    'a chunk size with an extension and an unusual line end',
    () =>
      `${head('POST /api/v1/messages')}${authorization}\r\nTransfer-Encoding: chunked\r\n\r\n0;x\ny\r\n\r\n${inner()}`,
  ],
  [
    'bare line feeds',
    () =>
      `POST /api/v1/messages HTTP/1.1\nHost: chat.example\n${authorization}\nContent-Length: 0\nTransfer-Encoding: chunked\n\n0\n\n${inner()}`,
  ],
];

describe('a request within a request', () => {
  test.each(smuggled)('%s is refused, and the rest is never read', async (_what, make) => {
    const wire = await heardAfter(make());
    await waitUntil('the connection ends', () => wire.isClosed);
    expect(wire.statuses).toEqual([400]);
    // If any server had parsed the inner request, the account would be gone.
    expect((await organization.client('bob').request('GET', 'users/me')).status).toBe(200);
  });

  test.each([
    ['Host', 'other.example'],
    ['host', 'chat.example'],
    ['Authorization', 'Basic eDp5'],
    ['Content-Type', 'application/json'],
    ['Content-Length', '0'],
    ['Transfer-Encoding', 'chunked'],
    ['Idempotency-Key', 'other'],
    ['Last-Event-ID', '8'],
  ])(
    'a second %s is refused, whatever its value, and the rest is never read',
    async (name, value) => {
      const lines: Record<string, string> = {
        'content-length': 'Content-Length: 0',
        'transfer-encoding': 'Transfer-Encoding: chunked',
      };
      const framing = lines[name.toLowerCase()] ?? 'Content-Length: 0';
      const once = [
        authorization,
        framing,
        'Content-Type: application/x-www-form-urlencoded',
        'Idempotency-Key: one',
        'Last-Event-ID: 7',
        'X-Other: 1',
        'X-Other: 2',
        '',
      ].join('\r\n');
      const wire = await heardAfter(
        `${head('POST /api/v1/messages')}${once}${name}: ${value}\r\n\r\n${inner()}`,
      );
      await waitUntil('the connection ends', () => wire.isClosed);
      expect(wire.statuses).toEqual([400]);
      expect(wire.heard).toMatch(
        /\{"result":"error","msg":"(?:Duplicate [\w-]+ header|Bad Request)"\}$/,
      );
      expect((await organization.client('bob').request('GET', 'users/me')).status).toBe(200);
    },
  );

  test('sequential requests are answered in sequence', async () => {
    const ask = `${head('GET /api/v1/users/me')}${authorization}\r\n\r\n`;
    const unknown = `${head('GET /api/v1/nothing')}\r\n`;
    const wire = await heardAfter(ask + unknown + ask);
    await waitUntil('all are answered', () => wire.statuses.length === 3);
    expect(wire.statuses).toEqual([200, 404, 200]);
    wire.hangUp();
  });

  test('a request for another host, or for a proxy, stays here', async () => {
    const elsewhere = await heardAfter(
      `${head('GET http://127.0.0.1:1/api/v1/users/me')}${authorization}\r\n\r\n`,
    );
    expect(elsewhere.statuses).toEqual([200]);
    elsewhere.hangUp();
    const tunnel = await heardAfter('CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n');
    await waitUntil('the connection ends', () => tunnel.isClosed);
    expect(tunnel.statuses.filter((status) => status < 400)).toEqual([]);
  });

  test('an upgrade does not bypass the gateway', async () => {
    const wire = await heardAfter(
      `${head('GET /api/v1/users/me')}${authorization}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    );
    expect(wire.statuses).toEqual([200]);
    wire.hangUp();
  });
});

describe('endless headers', () => {
  test.each([
    ['a huge one', `X-Huge: ${'x'.repeat(64 * 1024)}\r\n`],
    ['very many', 'X: y\r\n'.repeat(20_000)],
    ['a huge cookie', `Cookie: ${'a=b; '.repeat(20_000)}\r\n`],
  ])('%s: refused with 431', async (_what, headers) => {
    const wire = await heardAfter(`${head('GET /api/v1/users/me')}${headers}\r\n`);
    await waitUntil('the connection ends', () => wire.isClosed);
    expect(wire.statuses).toEqual([431]);
  });

  test('an endless path: refused', async () => {
    const wire = await heardAfter(`${head(`GET /api/v1/${'x'.repeat(64 * 1024)}`)}\r\n`);
    await waitUntil('the connection ends', () => wire.isClosed);
    expect(wire.statuses).toEqual([431]);
  });
});

describe('slow requests', () => {
  /** Sends small pieces again and again until the server closes the connection. */
  async function drip(begin: string, little: string): Promise<Wire> {
    const wire = await Wire.open();
    wire.say(begin);
    await waitUntil('the server hangs up', () => {
      wire.say(little);
      return wire.isClosed;
    });
    return wire;
  }

  test('headers that arrive byte by byte end the connection', async () => {
    const wire = await drip(head('GET /api/v1/users/me'), 'X: y\r\n');
    expect(wire.statuses.filter((status) => status < 400)).toEqual([]);
  });

  test('a body that arrives byte by byte ends it, and nothing is sent', async () => {
    const wire = await drip(
      `${head('POST /api/v1/messages')}${authorization}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\ntype=private&to=bob@example.com&content=`,
      'x',
    );
    expect(wire.statuses.filter((status) => status < 400)).toEqual([]);
    const { body } = await organization
      .client('bob')
      .request('GET', 'messages', { anchor: 0, num_before: 0, num_after: 10 });
    expect(body['messages']).toEqual([]);
  });

  test('hundreds of silent connections lock nobody out', async () => {
    const silent = await Promise.all(Array.from({ length: 500 }, () => Wire.open()));
    for (const wire of silent) wire.say('POST /api/v1/messages HTTP/1.1\r\n');
    expect((await organization.client('bob').request('GET', 'users/me')).status).toBe(200);
    await waitUntil('all of them are hung up on', () => silent.every(({ isClosed }) => isClosed));
  });
});

describe('compressed bodies', () => {
  // A megabyte on the wire would be a gigabyte in memory.
  const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, 'x'));

  test.each(['gzip', 'deflate', 'br'])('%s is never unpacked', async (encoding) => {
    const wire = await heardAfter(
      Buffer.concat([
        Buffer.from(
          `${head('POST /api/v1/messages')}${authorization}\r\nContent-Type: application/x-www-form-urlencoded\r\n` +
            `Content-Encoding: ${encoding}\r\nContent-Length: ${bomb.length}\r\n\r\n`,
        ),
        bomb,
      ]),
    );
    expect(wire.statuses).toEqual([400]);
    wire.hangUp();
  });
});
