/** Hostile connections: requests within requests, endless headers, and compressed bodies. */
import { gzipSync } from 'node:zlib';

import { waitUntil } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import { Wire, head } from '../support/wire.ts';
import { useFixture } from '../support/use-fixture.ts';

let authorization: string;

const organization = useFixture(() => startSmallOrganization());
beforeAll(async () => {
  authorization = `Authorization: ${organization.client('bob').credentials['authorization']}`;
});

async function heardAfter(text: string | Buffer): Promise<Wire> {
  const wire = await Wire.open(organization.cluster.url);
  wire.say(text);
  await waitUntil('an answer or the end comes', () => wire.statuses.length > 0 || wire.isClosed);
  return wire;
}

const begin = (): string => `${head('POST /api/v1/messages')}${authorization}\r\n`;
const inner = (): string => `${head('DELETE /api/v1/users/me')}${authorization}\r\n\r\n`;

/** What follows the credentials of a request whose bounds two servers may parse differently, up to the inner request, of LENGTH bytes. */
const smuggled: readonly (readonly [what: string, lines: string])[] = [
  ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['two lengths that differ', 'Content-Length: 0\r\nContent-Length: LENGTH\r\n\r\n'],
  ['a length with a sign', 'Content-Length: +0\r\n\r\n'],
  ['a space before the colon', 'Transfer-Encoding : chunked\r\nContent-Length: 0\r\n\r\n'],
  ['another encoding before chunks', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
  ['a header folded over two lines', 'Transfer-Encoding:\r\n chunked\r\nContent-Length: 0\r\n\r\n'],
  [
    'a chunk size with an extension and an unusual line end',
    'Transfer-Encoding: chunked\r\n\r\n0;x\ny\r\n\r\n',
  ],
];

async function expectRefused(request: string): Promise<Wire> {
  const wire = await heardAfter(request);
  await waitUntil('the connection ends', () => wire.isClosed);
  expect(wire.statuses).toEqual([400]);
  // If any server had parsed the inner request, the account would be gone.
  expect((await organization.client('bob').request('GET', 'users/me')).status).toBe(200);
  return wire;
}

describe('a request within a request', () => {
  test.each(smuggled)('%s is refused, and the rest is never read', async (_what, lines) => {
    const sized = lines.replace('LENGTH', String(inner().length));
    await expectRefused(`${begin()}${sized}${inner()}`);
  });

  test('bare line feeds are refused, and the rest is never read', async () => {
    const lines = 'Content-Length: 0\nTransfer-Encoding: chunked\n\n0\n\n';
    const request = `POST /api/v1/messages HTTP/1.1\nHost: chat.example\n${authorization}\n`;
    await expectRefused(`${request}${lines}${inner()}`);
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
        framing,
        'Content-Type: application/x-www-form-urlencoded',
        'Idempotency-Key: one',
        'Last-Event-ID: 7',
        'X-Other: 1',
        'X-Other: 2',
        '',
      ].join('\r\n');
      const wire = await expectRefused(`${begin()}${once}${name}: ${value}\r\n\r\n${inner()}`);
      expect(wire.heard).toMatch(
        /\{"result":"error","msg":"(?:Duplicate [\w-]+ header|Bad Request)"\}$/,
      );
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

describe('compressed bodies', () => {
  // A megabyte on the wire would be a gigabyte in memory.
  const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, 'x'));

  test.each(['gzip', 'deflate', 'br'])('%s is never unpacked', async (encoding) => {
    const wire = await heardAfter(
      Buffer.concat([
        Buffer.from(
          `${begin()}Content-Type: application/x-www-form-urlencoded\r\n` +
            `Content-Encoding: ${encoding}\r\nContent-Length: ${bomb.length}\r\n\r\n`,
        ),
        bomb,
      ]),
    );
    expect(wire.statuses).toEqual([400]);
    wire.hangUp();
  });
});
