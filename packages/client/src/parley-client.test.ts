/** How requests are repeated, against a server that answers as it is told. */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { ApiError, NoAnswerError } from './errors.ts';
import { ParleyClient } from './parley-client.ts';
import type { ClientOptions } from './parley-client.ts';

type Reply = (response: ServerResponse) => void;

const success = { result: 'success', msg: '' };

function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

function page(status: number): Reply {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'text/html' });
    response.end('<h1>Bad Gateway</h1>');
  };
}

const cut: Reply = (response) => response.destroy();
const limited = json(
  429,
  { result: 'error', msg: 'API usage exceeded rate limit', 'retry-after': 0.001 },
  { 'Retry-After': '0.001' },
);
const unavailable = json(
  503,
  { result: 'error', msg: 'Service temporarily unavailable', code: 'SERVICE_UNAVAILABLE' },
  { 'Retry-After': '0' },
);

let server: Server;
let site: string;
/** What the next requests are answered; the last one stays. */
let replies: Reply[] = [];
let seen: IncomingMessage[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(request);
    request.resume();
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    request.on('end', () => reply?.(response));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen = [];
});

function client(options: Partial<ClientOptions> = {}): ParleyClient {
  return new ParleyClient({ site, email: 'ann@example.com', apiKey: 'k', ...options });
}

const message = { type: 'private', to: 'bob@example.com', content: 'hi' } as const;

describe('what is repeated', () => {
  test.each([
    ['a request over the limit', limited],
    ['a store that is away', unavailable],
    ['a gateway that is away', page(502)],
    ['a connection that is lost', cut],
  ])('a GET after %s', async (_, failure) => {
    replies = [failure, failure, json(200, { ...success, user_id: 3 })];
    expect(await client().request('GET /users/me')).toMatchObject({ user_id: 3 });
    expect(seen).toHaveLength(3);
  });

  test('a send, under the same key, and another send under another one', async () => {
    replies = [cut, unavailable, json(200, { ...success, id: 5 })];
    expect(await client().request('POST /messages', message)).toMatchObject({ id: 5 });
    await client().request('POST /messages', message);
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys.slice(0, 3)).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[3]).not.toBe(keys[0]);
  });

  test('a change that was refused for too many requests, since nothing was done', async () => {
    replies = [limited, json(200, success)];
    expect(await client().request('POST /mark_all_as_read')).toEqual(success);
  });
});

describe('what is not repeated', () => {
  test.each([
    ['a store that is away', unavailable, ApiError],
    ['a gateway that is away', page(502), NoAnswerError],
    ['a connection that is lost', cut, NoAnswerError],
  ])('a change after %s', async (_, failure, expected) => {
    replies = [failure];
    await expect(client().request('POST /mark_all_as_read')).rejects.toBeInstanceOf(expected);
    expect(seen).toHaveLength(1);
  });

  test('a refusal, nor a fault of the server', async () => {
    replies = [json(400, { result: 'error', msg: 'No', code: 'BAD_REQUEST' })];
    await expect(client().request('GET /users/me')).rejects.toBeInstanceOf(ApiError);
    replies = [json(500, { result: 'error', msg: 'Internal server error' })];
    await expect(client().request('GET /users/me')).rejects.toBeInstanceOf(ApiError);
    expect(seen).toHaveLength(2);
  });

  test('more often than is allowed', async () => {
    replies = [limited];
    await expect(client({ repeatsMax: 2 }).request('GET /users/me')).rejects.toMatchObject({
      status: 429,
      retryAfterSecs: 0.001,
    });
    expect(seen).toHaveLength(3);
  });
});

describe('answers', () => {
  test('a refusal is an error with what the server said', async () => {
    const body = {
      result: 'error',
      msg: "Stream 'x' does not exist",
      stream: 'x',
      code: 'STREAM_DOES_NOT_EXIST',
    };
    replies = [json(400, body)];
    const error = await client()
      .request('POST /messages', message)
      .catch((failure: unknown) => failure);
    expect(error).toMatchObject({ status: 400, message: body.msg, operation: 'POST /messages' });
    expect(error instanceof ApiError && error.is('STREAM_DOES_NOT_EXIST') && error.body).toEqual(
      body,
    );
    expect(error instanceof ApiError && error.is('BAD_NARROW')).toBe(false);
    expect(await client().attempt('POST /messages', message)).toEqual(body);
  });

  test('what is no JSON, or not an answer of the interface, is none', async () => {
    for (const reply of [
      page(404),
      json(200, []),
      json(200, { result: 'maybe' }),
      json(404, 'x'),
    ]) {
      replies = [reply];
      await expect(client().request('POST /mark_all_as_read')).rejects.toBeInstanceOf(
        NoAnswerError,
      );
    }
  });

  test('one that is late is none, and the caller can end the wait', async () => {
    replies = [() => undefined];
    await expect(
      client({ timeoutMs: 20, repeatsMax: 1 }).request('GET /users/me'),
    ).rejects.toMatchObject({ name: 'NoAnswerError', message: 'GET /users/me: no answer in time' });
    expect(seen).toHaveLength(2);
    const stopping = new AbortController();
    const waiting = client().request('GET /users/me', {}, { signal: stopping.signal });
    while (seen.length < 3) await new Promise((resolve) => setImmediate(resolve));
    stopping.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  test('the caller can end the pause before a repeat', async () => {
    replies = [json(429, { result: 'error', msg: 'x', 'retry-after': 200 })];
    const stopping = new AbortController();
    const waiting = client().request('GET /users/me', {}, { signal: stopping.signal });
    while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stopping.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(seen).toHaveLength(1);
  });
});

describe('headers', () => {
  test('credentials of any letters, and a name', async () => {
    replies = [json(200, success)];
    await client({ email: 'ä@example.com', userAgent: 'Probe' }).request('GET /users/me');
    const { authorization, 'user-agent': agent } = seen[0]?.headers ?? {};
    expect(authorization).toBe(`Basic ${Buffer.from('ä@example.com:k').toString('base64')}`);
    expect(agent).toBe('Probe/0.1');
  });

  test('nobody sends no credentials', async () => {
    replies = [json(200, success)];
    await new ParleyClient({ site }).request('GET /server_settings');
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
  });

  test('a page of another origin makes none of its own', async () => {
    replies = [json(200, { ...success, id: 1 })];
    Object.assign(globalThis, { location: { origin: 'https://elsewhere.example.com' } });
    try {
      await client({ userAgent: 'Probe' }).request('POST /messages', message);
    } finally {
      Reflect.deleteProperty(globalThis, 'location');
    }
    expect(seen[0]?.headers).not.toHaveProperty('idempotency-key');
    expect(seen[0]?.headers['user-agent']).not.toContain('Probe');
  });
});
