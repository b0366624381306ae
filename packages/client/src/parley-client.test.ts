/** How requests are repeated, with a scripted server. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import {
  ScriptedServer,
  cut,
  hold,
  json,
  limited,
  page,
  success,
  unavailable,
} from '../tests/scripted-server.ts';
import { ApiError, NoAnswerError } from './errors.ts';
import { ParleyClient } from './parley-client.ts';
import type { ClientOptions } from './parley-client.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await ScriptedServer.start();
});
afterAll(() => server.stop());

function client(options: Partial<ClientOptions> = {}): ParleyClient {
  return new ParleyClient({ site: server.site, email: 'ann@example.com', apiKey: 'k', ...options });
}

const message = { type: 'private', to: 'bob@example.com', content: 'hi' } as const;

describe('repeats', () => {
  test.each([
    ['a request over the limit', limited],
    ['an unavailable store', unavailable],
    ['an unavailable gateway', page(502)],
    ['a lost connection', cut],
  ])('a GET after %s', async (_, failure) => {
    server.script(failure, failure, json(200, { ...success, user_id: 3 }));
    expect(await client().request('GET /users/me')).toMatchObject({ user_id: 3 });
    expect(server.seen).toHaveLength(3);
  });

  test('a page with half as many messages after each failure, but as many after a wait for its turn', async () => {
    server.script(limited, unavailable, cut, json(200, { ...success, messages: [] }));
    await client().request('GET /messages', { anchor: 'newest', num_before: 1001, num_after: 0 });
    const asked = server.seen.map(({ url = '' }) => new URLSearchParams(url).get('num_before'));
    expect(asked).toEqual(['1001', '1001', '501', '251']);
    expect(server.seen.every(({ url = '' }) => url.includes('num_after=0'))).toBe(true);
  });

  test('a send, under the same key, and another send under another key', async () => {
    server.script(cut, unavailable, json(200, { ...success, id: 5 }));
    expect(await client().request('POST /messages', message)).toMatchObject({ id: 5 });
    await client().request('POST /messages', message);
    const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys.slice(0, 3)).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[3]).not.toBe(keys[0]);
  });

  test('a change that was refused for too many requests, because nothing was done', async () => {
    server.script(limited, json(200, success));
    expect(await client().request('POST /mark_all_as_read')).toEqual(success);
  });
});

describe('does not repeat', () => {
  test.each([
    ['an unavailable store', unavailable, ApiError],
    ['an unavailable gateway', page(502), NoAnswerError],
    ['a lost connection', cut, NoAnswerError],
  ])('a change after %s', async (_, failure, expected) => {
    server.script(failure);
    await expect(client().request('POST /mark_all_as_read')).rejects.toBeInstanceOf(expected);
    expect(server.seen).toHaveLength(1);
  });

  test('a refusal or an error of the server', async () => {
    server.script(json(400, { result: 'error', msg: 'No', code: 'BAD_REQUEST' }));
    await expect(client().request('GET /users/me')).rejects.toBeInstanceOf(ApiError);
    expect(server.seen).toHaveLength(1);
    server.script(json(500, { result: 'error', msg: 'Internal server error' }));
    await expect(client().request('GET /users/me')).rejects.toBeInstanceOf(ApiError);
    expect(server.seen).toHaveLength(1);
  });

  test('more often than is allowed', async () => {
    server.script(limited);
    await expect(client({ repeatsMax: 2 }).request('GET /users/me')).rejects.toMatchObject({
      status: 429,
      retryAfterSecs: 0.001,
    });
    expect(server.seen).toHaveLength(3);
  });
});

describe('answers', () => {
  test("a refusal is an error with the server's text", async () => {
    const body = {
      result: 'error',
      msg: "Stream 'x' does not exist",
      stream: 'x',
      code: 'STREAM_DOES_NOT_EXIST',
    };
    server.script(json(400, body));
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

  test('text that is not JSON or not an answer of the interface is no answer', async () => {
    for (const reply of [
      page(404),
      json(200, []),
      json(200, { result: 'maybe' }),
      json(404, 'x'),
    ]) {
      server.script(reply);
      await expect(client().request('POST /mark_all_as_read')).rejects.toBeInstanceOf(
        NoAnswerError,
      );
    }
  });

  test('a late answer is no answer, and the caller can stop waiting', async () => {
    server.script(hold);
    // The server is this process as well: it must see a request before it is given up.
    await expect(
      client({ timeoutMs: 1_000, repeatsMax: 1 }).request('GET /users/me'),
    ).rejects.toMatchObject({ name: 'NoAnswerError', message: 'GET /users/me: no answer in time' });
    expect(server.seen).toHaveLength(2);
    const stopping = new AbortController();
    const waiting = client().request('GET /users/me', {}, { signal: stopping.signal });
    await server.hasSeen(3);
    stopping.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  test('nothing is repeated after an hour: the machine slept, and the server may have forgotten the key', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      server.script((response) => {
        vi.setSystemTime(Date.now() + 2 * 3_600_000);
        response.destroy();
      });
      await expect(client().request('POST /messages', message)).rejects.toBeInstanceOf(
        NoAnswerError,
      );
      expect(server.seen).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });

  test('the caller can stop the pause before a repeat', async () => {
    server.script(json(429, { result: 'error', msg: 'x', 'retry-after': 200 }));
    const stopping = new AbortController();
    const waiting = client().request('GET /users/me', {}, { signal: stopping.signal });
    await server.hasSeen(1);
    stopping.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(server.seen).toHaveLength(1);
  });
});

describe('headers', () => {
  test('credentials may have any letters, and there is a client name', async () => {
    server.script(json(200, success));
    await client({ email: 'ä@example.com', userAgent: 'Probe' }).request('GET /users/me');
    const { authorization, 'user-agent': agent } = server.seen[0]?.headers ?? {};
    expect(authorization).toBe(`Basic ${Buffer.from('ä@example.com:k').toString('base64')}`);
    expect(agent).toBe('Probe/0.1');
  });

  test('without credentials there is no authorization header', async () => {
    server.script(json(200, success));
    await new ParleyClient({ site: server.site }).request('GET /server_settings');
    expect(server.seen[0]?.headers).not.toHaveProperty('authorization');
  });

  test('a page of another origin adds no headers of its own', async () => {
    server.script(json(200, { ...success, id: 1 }));
    Object.assign(globalThis, { location: { origin: 'https://elsewhere.example.com' } });
    try {
      await client({ userAgent: 'Probe' }).request('POST /messages', message);
    } finally {
      Reflect.deleteProperty(globalThis, 'location');
    }
    expect(server.seen[0]?.headers).not.toHaveProperty('idempotency-key');
    expect(server.seen[0]?.headers['user-agent']).not.toContain('Probe');
  });
});
