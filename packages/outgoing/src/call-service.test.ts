/** Calls of addresses that a stranger chose: which addresses they may reach, and how much of the caller they may use. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { MovedClock } from '@parley/clock';
import { parseAddressRanges } from '@parley/config';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { AddressRules } from './address-rules.ts';
import { callService } from './call-service.ts';
import type { CallOptions, CallResult, ServiceCall } from './call-service.ts';
import { findAddressesInDns } from './find-addresses.ts';
import type { FindAddresses } from './find-addresses.ts';

const loopback = new AddressRules(parseAddressRanges('127.0.0.1'));
const nobody = new AddressRules([]);
const nowhere: FindAddresses = async (host) => {
  throw new Error(`${host} was looked up`);
};

/** A server that answers byte by byte, as a test tells it. */
class RawServer {
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(speak: (socket: Socket, request: string) => void) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      let request = '';
      socket.on('data', (bytes: Buffer) => {
        request += bytes.toString('latin1');
        const [head = '', body] = request.split('\r\n\r\n');
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        if (body === undefined || body.length < length) return;
        this.requests.push(request);
        const whole = request;
        request = '';
        speak(socket, whole);
      });
    });
  }

  async listen(host = '127.0.0.1', port = 0): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    return this.port;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get openSockets(): number {
    return [...this.#sockets].filter((socket) => !socket.destroyed).length;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

const timeoutMs = 10_000;
let clock: MovedClock;
beforeEach(() => {
  clock = new MovedClock();
});

/** Lets the time pass until a call that can wait for so long and no longer has given up. */
async function waitOut(calling: Promise<CallResult>, limitMs: number): Promise<CallResult> {
  let isOver = false;
  void calling.finally(() => {
    isOver = true;
  });
  await expect.poll(() => clock.nextInMs).toBe(limitMs);
  await clock.advance(limitMs - 1);
  expect(isOver).toBe(false);
  await clock.advance(1);
  return calling;
}

const servers: RawServer[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) await server.stop();
});

async function serve(
  speak: (socket: Socket, request: string) => void,
  host?: string,
  port?: number,
): Promise<RawServer> {
  const server = new RawServer(speak);
  await server.listen(host, port);
  servers.push(server);
  return server;
}

function answerWith(head: readonly string[], body = ''): (socket: Socket) => void {
  return (socket) => {
    socket.end(
      `${[...head, `content-length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`,
    );
  };
}

const fine = answerWith(['HTTP/1.1 200 OK'], 'fine');
const redirectTo =
  (location: string, status = 302) =>
  (socket: Socket): void =>
    answerWith([`HTTP/1.1 ${status} Moved`, `location: ${location}`])(socket);

async function call(
  url: string,
  options: Partial<CallOptions> = {},
  more: Partial<ServiceCall> = {},
  signal = new AbortController().signal,
): Promise<CallResult> {
  return callService(
    {
      url,
      contentType: 'application/json',
      body: '{"token":"t0ken"}',
      headers: { 'x-parley-delivery': 'a key' },
      ...more,
    },
    { clock, rules: loopback, findAddresses: nowhere, timeoutMs, ...options },
    signal,
  );
}

const refused = { kind: 'fault', type: 'AddressNotAllowed' };

describe('a call goes', () => {
  test('to a permitted address', async () => {
    const server = await serve(fine);
    expect(await call(`http://127.0.0.1:${server.port}/path?q=1#part`)).toEqual({
      kind: 'answer',
      status: 200,
      text: 'fine',
      retryAfter: undefined,
    });
    const [request = ''] = server.requests;
    expect(request).toMatch(/^POST \/path\?q=1 HTTP\/1\.1\r\n/);
    expect(request).toMatch(/\r\n\r\n\{"token":"t0ken"\}$/);
    expect(request).toMatch(new RegExp(`^host: 127\\.0\\.0\\.1:${server.port}\r$`, 'im'));
    expect(request).toMatch(/^accept-encoding: identity\r$/im);
    expect(request).not.toMatch(/^authorization:/im);
  });

  test.each([
    ['127.0.0.1'],
    ['127.1'],
    ['2130706433'],
    ['0x7f000001'],
    ['0177.0.0.1'],
    ['0x7f.0.0.1'],
    ['127.0.0.1.'],
    ['%31%32%37.0.0.1'],
    ['１２７.0.0.1'],
    ['0'],
    ['0.0.0.0'],
    ['169.254.169.254'],
    ['2852039166'],
    ['[::1]'],
    ['[::]'],
    ['[::ffff:127.0.0.1]'],
    ['[::ffff:7f00:1]'],
    ['[0:0:0:0:0:ffff:127.0.0.1]'],
    ['[64:ff9b::7f00:1]'],
    ['[fd00:ec2::254]'],
    ['[fe80::1]'],
    ['user:pass@127.0.0.1'],
    ['example.com@127.0.0.1'],
  ])('to no forbidden address, in any spelling: %s', async (host) => {
    const server = await serve(fine);
    const result = await call(`http://${host}:${server.port}/`, { rules: nobody });
    expect(result).toMatchObject(refused);
    expect(JSON.stringify(result)).not.toMatch(/127|169\.254/);
    expect(server.requests).toEqual([]);
  });

  test.each([
    ['file:///etc/passwd', 'InvalidURL'],
    ['gopher://127.0.0.1/', 'InvalidURL'],
    ['ftp://127.0.0.1/', 'InvalidURL'],
    ['data:text/plain,x', 'InvalidURL'],
    ['', 'InvalidURL'],
    ['/path', 'InvalidURL'],
    ['http://', 'InvalidURL'],
    ['http://[fe80::1%25lo]/', 'InvalidURL'],
    ['http://[::1%lo]/', 'InvalidURL'],
    ['http://127.0.0.1:99999/', 'InvalidURL'],
    ['http://256.0.0.1/', 'InvalidURL'],
  ])('nowhere for a URL that is not a web address: %s', async (url, type) => {
    expect(await call(url)).toMatchObject({ kind: 'fault', type });
  });

  test('to the permitted addresses of a name only', async () => {
    const server = await serve(fine);
    const other = await serve(fine, '127.0.0.2', server.port);
    const lookups: string[] = [];
    const result = await call(`http://Service.Example.:${server.port}/`, {
      findAddresses: async (host) => {
        lookups.push(host);
        return ['10.0.0.1', '127.0.0.2', '127.0.0.1', '::1'];
      },
    });
    expect(result).toMatchObject({ kind: 'answer' });
    expect(lookups).toEqual(['service.example.']);
    expect(server.requests[0]).toMatch(/^host: service\.example\.:\d+\r$/im);
    expect(other.requests).toEqual([]);
    expect(
      await call('http://service.example/', { findAddresses: async () => ['10.0.0.1', '::1'] }),
    ).toMatchObject(refused);
    expect(await call('http://service.example/', { findAddresses: async () => [] })).toMatchObject(
      refused,
    );
  });

  test('to the checked address, even if the name changes a moment later', async () => {
    const server = await serve((socket, request) =>
      request.startsWith('POST /again')
        ? redirectTo(`http://rebinding.example:${server.port}/next`, 307)(socket)
        : fine(socket),
    );
    const inside = await serve(fine, '127.0.0.2', server.port);
    let lookups = 0;
    const findAddresses: FindAddresses = async () => {
      lookups += 1;
      return lookups === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
    };
    const url = `http://rebinding.example:${server.port}`;
    expect(await call(`${url}/once`, { findAddresses })).toMatchObject({ kind: 'answer' });
    expect(lookups).toBe(1);
    // After a redirect the name is looked up and checked again.
    lookups = 0;
    expect(await call(`${url}/again`, { findAddresses })).toMatchObject(refused);
    expect(lookups).toBe(2);
    expect(server.requests).toHaveLength(2);
    expect(inside.requests).toEqual([]);
  });

  test.each([
    ['http://127.0.0.2/', refused],
    ['http://169.254.169.254/latest/meta-data/', refused],
    ['//127.0.0.2/', refused],
    ['http://[::1]/', refused],
    ['file:///etc/passwd', { kind: 'fault', type: 'InvalidURL' }],
    ['gopher://127.0.0.1:6379/_FLUSHALL', { kind: 'fault', type: 'InvalidURL' }],
    ['http://[fe80::1%25lo]/', { kind: 'fault', type: 'InvalidURL' }],
  ])('nowhere after a redirect to %s', async (location, expected) => {
    const server = await serve(redirectTo(location, 307));
    expect(await call(`http://127.0.0.1:${server.port}/`)).toMatchObject(expected);
    expect(server.requests).toHaveLength(1);
  });

  test('nowhere after five redirects', async () => {
    const server = await serve(redirectTo('/again', 308));
    expect(await call(`http://127.0.0.1:${server.port}/`)).toMatchObject({
      kind: 'fault',
      type: 'TooManyRedirects',
    });
    expect(server.requests).toHaveLength(6);
  });

  test('a proxy of the environment is not used', async () => {
    const server = await serve(fine);
    const proxy = await serve(fine);
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    expect(await call(`http://127.0.0.1:${server.port}/`)).toMatchObject({ kind: 'answer' });
    expect(proxy.requests).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });
});

test('credentials in the URL go to its own server only', async () => {
  const other = await serve(fine);
  const server = await serve((socket, request) =>
    redirectTo(
      request.startsWith('POST /first')
        ? '/second'
        : `http://eve:secret@127.0.0.1:${other.port}/third`,
      307,
    )(socket),
  );
  await call(`http://us%C3%A9r:p%40ss@127.0.0.1:${server.port}/first`);
  const expected = `authorization: Basic ${Buffer.from('usér:p@ss').toString('base64')}`;
  expect(server.requests.map((request) => request.includes(expected))).toEqual([true, true]);
  expect(other.requests).toHaveLength(1);
  expect(other.requests[0]).not.toMatch(/^authorization:/im);
});

test('a GET after a redirect has no body, and a repeated request has it', async () => {
  const server = await serve((socket, request) => {
    const [, from = ''] = /^POST \/(\d+)/.exec(request) ?? [];
    if (from === '') fine(socket);
    else redirectTo('/there', Number(from))(socket);
  });
  for (const status of [301, 302, 303, 307, 308])
    await call(`http://127.0.0.1:${server.port}/${status}`);
  const second = server.requests.filter((request) => request.includes(' /there '));
  const methods = second.map((request) => request.slice(0, request.indexOf(' ')));
  expect(methods.join(' ')).toBe('GET GET GET POST POST');
  for (const [n, request] of second.entries())
    expect(request.includes('t0ken')).toBe(methods[n] === 'POST');
  expect(second.every((request) => /^x-parley-delivery: a key\r$/im.test(request))).toBe(true);
});

describe('limits of a call', () => {
  /** Writes a text, and then another one again and again. */
  const drip =
    (text: string, begin = '') =>
    (socket: Socket): void => {
      socket.write(begin);
      const timer = setInterval(() => {
        if (socket.destroyed) clearInterval(timer);
        else socket.write(text);
      }, 20);
    };
  const ok = 'HTTP/1.1 200 OK\r\n';
  const chunked = 'transfer-encoding: chunked\r\n\r\n';
  const chunkOfOne = '1\r\nx\r\n';
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n';

  test.each<[string, number, (socket: Socket) => void]>([
    ['no answer', timeoutMs, () => undefined],
    ['a head that never ends', timeoutMs, drip('x: y\r\n', ok)],
    ['endless informational heads', timeoutMs, drip(hints)],
    ['a body that drips', 2 * timeoutMs, drip('x', `${ok}content-length: 100000\r\n\r\n`)],
    ['a body that lasts until the connection ends', 2 * timeoutMs, drip('x', `${ok}\r\n`)],
    ['chunks that drip', 2 * timeoutMs, drip(chunkOfOne, `${ok}${chunked}`)],
    ['a failure that drips', 2 * timeoutMs, drip(chunkOfOne, `HTTP/1.1 500 No\r\n${chunked}`)],
  ])('time is up for %s', async (_name, afterMs, speak) => {
    const server = await serve(speak);
    expect(await waitOut(call(`http://127.0.0.1:${server.port}/`), afterMs)).toEqual({
      kind: 'timeout',
    });
  });

  test('the time limit covers an endless name look-up', async () => {
    const findAddresses: FindAddresses = async (_host, signal) => {
      await once(signal, 'abort');
      throw new Error('cancelled');
    };
    expect(await waitOut(call('http://slow.example/', { findAddresses }), timeoutMs)).toEqual({
      kind: 'timeout',
    });
  });

  const chunk = `8000\r\n${'x'.repeat(0x80_00)}\r\n`;
  const endless = (socket: Socket): void => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', more);
    more();
  };

  test('an endless answer is too large, and the beginning of a failure is kept', async () => {
    const server = await serve((socket, request) => {
      const status = request.includes(' /failure ') ? '500 No' : '200 OK';
      socket.write(`HTTP/1.1 ${status}\r\ntransfer-encoding: chunked\r\n\r\n`);
      endless(socket);
    });
    const url = `http://127.0.0.1:${server.port}`;
    expect(await call(`${url}/`)).toMatchObject({ kind: 'fault', type: 'AnswerTooLarge' });
    const failure = await call(`${url}/failure`);
    expect(failure).toMatchObject({ kind: 'answer', status: 500 });
    expect(failure.kind === 'answer' && failure.text.length).toBe(256 * 1024);
  });

  test('compressed answers are not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const server = await serve((socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`,
      );
      socket.end(bomb);
    });
    const result = await call(`http://127.0.0.1:${server.port}/`);
    expect(result).toMatchObject({ kind: 'answer', status: 200 });
    expect(result.kind === 'answer' && result.text.length).toBeLessThan(100_000);
  });

  test.each<[string, string, string]>([
    ['huge heads', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 'HPE_HEADER_OVERFLOW'],
    ['many heads', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}\r\n`, 'HPE_HEADER_OVERFLOW'],
    ['bytes that are not HTTP', '220 mail.example ESMTP\r\n', 'HPE_INVALID_CONSTANT'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx',
      'HPE_UNEXPECTED_CONTENT_LENGTH',
    ],
    [
      'another protocol',
      'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      'UnexpectedUpgrade',
    ],
  ])('%s are a fault', async (_name, bytes, type) => {
    const server = await serve((socket) => socket.write(bytes));
    expect(await call(`http://127.0.0.1:${server.port}/`)).toMatchObject({ kind: 'fault', type });
  });

  test('an oversized message is not sent', async () => {
    const server = await serve(fine);
    expect(
      await call(`http://127.0.0.1:${server.port}/`, {}, { body: 'x'.repeat(1024 * 1024 + 1) }),
    ).toMatchObject({ kind: 'fault', type: 'RequestTooLarge' });
    expect(server.requests).toEqual([]);
  });

  test('nothing stays open', async () => {
    const server = await serve((socket, request) =>
      request.includes(' /moved ')
        ? redirectTo('/x', 308)(socket)
        : socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
    );
    await call(`http://127.0.0.1:${server.port}/`);
    await call(`http://127.0.0.1:${server.port}/moved`);
    await expect.poll(() => server.openSockets).toBe(0);
  });
});

describe('outcomes of a call', () => {
  test('connection refused, or closed before, in or after the header', async () => {
    const gone = await serve(fine);
    const { port } = gone;
    await gone.stop();
    servers.splice(servers.indexOf(gone), 1);
    expect(await call(`http://127.0.0.1:${port}/`)).toEqual({ kind: 'connection' });
    for (const bytes of [
      '',
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx',
    ]) {
      const server = await serve((socket) => {
        socket.write(bytes, () => socket.destroy());
      });
      const result = await call(`http://127.0.0.1:${server.port}/`);
      expect({ bytes, result }).toEqual({ bytes, result: { kind: 'connection' } });
    }
  });

  test('a name that DNS does not know is a connection error', async () => {
    const findAddresses: FindAddresses = async () => {
      throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    expect(await call('http://nothing.example/', { findAddresses })).toEqual({
      kind: 'connection',
    });
  });

  test('localhost is this machine without DNS', async () => {
    const { signal } = new AbortController();
    for (const host of ['localhost', 'localhost.', 'a.localhost'])
      expect(await findAddressesInDns(host, signal)).toEqual(['127.0.0.1', '::1']);
    expect(
      await call('http://localhost:1/', { rules: nobody, findAddresses: findAddressesInDns }),
    ).toMatchObject(refused);
  });

  test('an aborted call is called off', async () => {
    const ending = new AbortController();
    const server = await serve(() => ending.abort());
    expect(await call(`http://127.0.0.1:${server.port}/`, {}, {}, ending.signal)).toEqual({
      kind: 'called-off',
    });
  });
});
