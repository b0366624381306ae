/** The gateway's own answers, and what it sends to services. */
import { request as sendRequest } from 'node:http';
import type { ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { waitUntil } from '@parley/test-kit';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  GatewayUnderTest,
  answerOf,
  authorization,
  hold,
  success,
} from './support/gateway-under-test.ts';
import type { TestUser, Upstream } from './support/gateway-under-test.ts';

let gateway: GatewayUnderTest;
let people: Upstream;
let messages: Upstream;
let subscriptions: Upstream;
let user: TestUser;

beforeAll(async () => {
  gateway = await GatewayUnderTest.start();
  people = await gateway.addUpstream('people');
  messages = await gateway.addUpstream('messages');
  subscriptions = await gateway.addUpstream('subscriptions');
  user = await gateway.addUser();
});

afterAll(async () => {
  await gateway.stop();
});

function messageOf(refusal: { readonly text: string }): unknown {
  return (JSON.parse(refusal.text) as { readonly msg?: unknown }).msg;
}

const kib = 1024;
const mib = 1024 * kib;

function memoryAfterCollection(): NodeJS.MemoryUsage {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
  return process.memoryUsage();
}

/** Sends a request with its path and headers exactly as given. */
function sendRaw(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  { running }: GatewayUnderTest = gateway,
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }> {
  return new Promise((resolve, reject) => {
    const request = sendRequest(
      {
        agent: false,
        host: '127.0.0.1',
        port: running.address.port,
        method,
        path,
        headers,
      },
      (response) => {
        response.setEncoding('utf8');
        let text = '';
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      },
    );
    request.on('error', reject);
    request.end();
  });
}

/** Sends a body of this size in chunks, without a declared length. */
function streamBody(method: string, path: string, bytes: number): Promise<number> {
  let left = bytes;
  return fetch(`${gateway.url}/api/v1/${path}`, {
    method,
    headers: authorization(user),
    body: new ReadableStream({
      pull: (controller) => {
        const size = Math.min(left, 64 * kib);
        left -= size;
        if (size === 0) controller.close();
        else controller.enqueue(new Uint8Array(size));
      },
    }),
    duplex: 'half',
  } as RequestInit).then(
    (response) => response.status,
    // The connection may end while the client still writes.
    () => 413,
  );
}

describe('before authentication', () => {
  it.each([
    ['POST', 'fetch_api_key', 64 * kib],
    ['POST', 'messages', mib],
    ['DELETE', 'users/me/subscriptions', 4 * mib],
    ['PUT', 'bot_storage', 12 * mib],
    ['POST', 'users/me/avatar', 25 * mib],
    ['POST', 'external/github', 4 * mib],
  ])('refuses the body of %s %s beyond %i bytes, declared or not', async (method, path, bound) => {
    const declared = await sendRaw(method, `/api/v1/${path}`, {
      ...authorization(user),
      'content-length': String(bound + 1),
    });
    expect([declared.status, JSON.parse(declared.text)]).toEqual([
      413,
      { result: 'error', msg: 'Request body is too large' },
    ]);
    const upstreams = [people, messages, subscriptions];
    const before = upstreams.map((upstream) => upstream.arrived.length);
    const status = await streamBody(method, path, bound + 1);
    expect(status).toBe(413);
    const seen = upstreams.flatMap((upstream, at) => upstream.arrived.slice(before[at]));
    expect(seen.some(({ body }) => body.length > bound)).toBe(false);
    expect(await streamBody(method, path, bound)).not.toBe(413);
  });

  it('permits an incoming-webhook bot only to send', async () => {
    const bot = await gateway.addUser({ botType: 2 });
    expect((await sendRaw('POST', '/api/v1/messages', authorization(bot))).status).toBe(200);
    const refused = await sendRaw('GET', '/api/v1/messages', authorization(bot));
    expect([refused.status, messageOf(refused)]).toEqual([
      401,
      'This API is not available to incoming webhook bots.',
    ]);
  });

  it('checks the key of a webhook before it reads the body', async () => {
    // The announced body never arrives.
    const refused = await sendRaw(
      'POST',
      `/api/v1/external/github?api_key=${'w'.repeat(32)}&stream=x`,
      {
        'content-length': String(4 * mib),
      },
    );
    expect([refused.status, messageOf(refused)]).toEqual([401, 'Invalid API key']);
  });

  it('refuses the list of people on a production server, whatever the request', async () => {
    const production = await GatewayUnderTest.start({
      PARLEY_MODE: 'production',
      PARLEY_EXTERNAL_URL: 'https://chat.example.com',
    });
    try {
      for (const [method, path] of [
        ['POST', 'dev_list_users'],
        ['GET', 'dev_list_users'],
      ] as const) {
        // The announced body never arrives.
        const announced = { 'content-length': String(25 * mib) };
        for (const headers of [{}, announced]) {
          const refused = await sendRaw(method, `/api/v1/${path}`, headers, production);
          expect([refused.status, JSON.parse(refused.text)]).toEqual([
            400,
            { result: 'error', msg: 'Dev environment not enabled.' },
          ]);
        }
      }
    } finally {
      await production.stop();
    }
  });
});

describe('bodies that come slowly', () => {
  type Begun = {
    readonly request: ClientRequest;
    /** Status and `Retry-After`, which may arrive before everything was written. */
    readonly answered: Promise<[number, string | undefined]>;
  };

  /** Sends a body of a mebibyte without its end. */
  async function beginBody(account: TestUser): Promise<Begun> {
    const request = sendRequest({
      agent: false,
      host: '127.0.0.1',
      port: gateway.running.address.port,
      method: 'POST',
      path: '/api/v1/messages',
      headers: { ...authorization(account), 'content-length': String(mib) },
    });
    request.on('error', () => undefined);
    const answered = new Promise<[number, string | undefined]>((resolve) => {
      request.once('response', (response) => {
        response.resume();
        resolve([response.statusCode ?? 0, response.headers['retry-after']]);
      });
    });
    await new Promise((resolve) => {
      request.write(Buffer.alloc(mib - 1), resolve);
    });
    return { request, answered };
  }

  it('take no more memory in single bytes than is counted', async () => {
    const { heapUsed: before } = memoryAfterCollection();
    const bytes = 128 * kib;
    const socket = connect(gateway.running.address.port, '127.0.0.1');
    socket.on('error', () => undefined);
    const headers = Object.entries({
      host: 'parley',
      'transfer-encoding': 'chunked',
      ...authorization(user),
    }).map(([name, value]) => `${name}: ${value}`);
    socket.write(`POST /api/v1/messages HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
    for (let sent = 0; sent < bytes; sent += kib) socket.write('1\r\nx\r\n'.repeat(kib));
    await waitUntil(
      'the body is counted',
      async () => (await gateway.metric('parley_held_body_bytes')) >= bytes,
    );
    const { heapUsed } = memoryAfterCollection();
    socket.destroy();
    // A list of the pieces takes 27 MiB.
    expect((heapUsed - before) / mib).toBeLessThan(10);
  });

  it('of an owner and the bots use at most a third of the room', async () => {
    const slow = await gateway.addUser();
    const bot = await gateway.addUser({ botType: 1, botOwnerId: slow.userId });
    const third = await Promise.all(
      Array.from({ length: 32 }, (_, n) => beginBody(n % 2 === 0 ? slow : bot)),
    );
    await waitUntil(
      'the bodies are counted',
      async () => (await gateway.metric('parley_held_body_bytes')) >= 32 * (mib - 1),
    );
    const beyond = await beginBody(slow);
    expect(await beyond.answered).toEqual([503, '1']);
    expect(await gateway.metric('parley_held_body_refusals_total')).toBe(1);
    expect(await streamBody('POST', 'messages', mib)).toBe(200);
    for (const { request } of third) request.end('x');
    const answers = await Promise.all(third.map(({ answered }) => answered));
    expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200]));
    await gateway.settle();
    expect(await gateway.metric('parley_held_body_bytes')).toBe(0);
  });
});

describe('the service receives', () => {
  it('the endpoint and the caller, with only those headers that it needs', async () => {
    const before = people.arrived.length;
    const answer = await sendRaw('GET', '/api/v1//users?client_gravatar=true', {
      ...authorization(user),
      'x-parley-identity': 'forged',
      'x-request-id': 'mine',
      'user-agent': 'tests/1',
    });
    expect(answer.status).toBe(200);
    expect(people.arrived[before]).toMatchObject({
      requestId: answer.headers['x-request-id'],
      endpoint: 'list-users',
      query: [['client_gravatar', 'true']],
      caller: { userId: user.userId, email: user.email, role: 'member' },
    });
    expect(people.arrived[before]?.headers).toEqual({ 'user-agent': 'tests/1' });
    expect(answer.headers['x-request-id']).not.toBe('mine');
  });

  it('texts of the path decoded', async () => {
    const before = messages.arrived.length;
    await sendRaw('GET', '//user_uploads//1/%C3%A4%2Fb', authorization(user));
    expect(messages.arrived[before]?.path).toEqual({ realm_id: '1', path: 'ä/b' });
    const { status } = await sendRaw('GET', '/user_uploads/x/y', authorization(user));
    expect(status).toBe(404);
  });

  it('a form with a file unchanged, small, large or chunked', async () => {
    for (const size of [0, 10, 3 * mib]) {
      for (const isChunked of [false, true]) {
        const text = 'x'.repeat(size);
        const before = people.arrived.length;
        const response = await fetch(`${gateway.url}/api/v1/users/me/avatar`, {
          method: 'POST',
          headers: authorization(user),
          ...(isChunked ? { body: new Blob([text]).stream(), duplex: 'half' } : { body: text }),
        });
        expect(response.status).toBe(200);
        expect(people.arrived[before]?.body.length).toBe(size);
      }
    }
  });

  // What a text mentions is no field, and its outcome must not depend on it.
  it('a send without a key of its own, whatever its text mentions', async () => {
    const part = (name: string, value: string): string =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const content = 'name="local_id"\r\n\r\n1\r\nname="queue_id"\r\n\r\n2';
    const sending = fetch(`${gateway.url}/api/v1/messages`, {
      method: 'POST',
      headers: { ...authorization(user), 'content-type': 'multipart/form-data; boundary=b' },
      body: `${part('type', 'private')}${part('content', content)}--b--`,
    });
    sending.catch(() => undefined);
    const before = messages.arrived.length;
    messages.handler = hold;
    for (const attempt of [1, 2]) {
      await messages.until(() => messages.arrived.length === before + attempt);
      await gateway.advance(7_000);
    }
    messages.handler = () => answerOf(success);
    await expect(sending).rejects.toThrow();
  });
});

describe('health', () => {
  it('is ready while Postgres answers, and has metrics', async () => {
    expect((await fetch(`${gateway.internalUrl}/health/ready`)).status).toBe(200);
    expect((await fetch(`${gateway.internalUrl}/health/live`)).status).toBe(200);
    expect(await gateway.metric('parley_gateway_requests_total')).toBeGreaterThan(0);
    expect(await gateway.metric('parley_gateway_credential_lookups_total')).toBeGreaterThan(0);
  });

  it('is not ready when Postgres has not answered for five seconds', async () => {
    const ready = async (): Promise<number> =>
      (await fetch(`${gateway.internalUrl}/health/ready`)).status;
    await gateway.settle();
    const client = await gateway.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('LOCK TABLE service_leases');
      await gateway.movedClock.advance(4_999);
      expect(await ready()).toBe(200);
      await gateway.movedClock.advance(1);
      expect(await ready()).toBe(503);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    await gateway.settle();
    expect(await ready()).toBe(200);
  });
});
