/** What the gateway answers by itself, and what it tells services. */
import { request as sendRequest } from 'node:http';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  GatewayUnderTest,
  answerJson,
  authorization,
  identityOf,
  success,
} from './support/gateway-under-test.ts';
import type { TestUser, Upstream } from './support/gateway-under-test.ts';

let gateway: GatewayUnderTest;
let presence: Upstream;
let messages: Upstream;
let user: TestUser;

beforeAll(async () => {
  gateway = await GatewayUnderTest.start();
  presence = await gateway.addUpstream('presence', (_request, response) =>
    answerJson(response, success),
  );
  messages = await gateway.addUpstream('messages', (_request, response) =>
    answerJson(response, success),
  );
  user = await gateway.addUser();
});

afterAll(async () => {
  await gateway.stop();
});

function messageOf(refusal: { readonly text: string }): unknown {
  return (JSON.parse(refusal.text) as { readonly msg?: unknown }).msg;
}

/** A request whose path and headers go out exactly as given. */
function sendRaw(
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }> {
  return new Promise((resolve, reject) => {
    const request = sendRequest(
      { host: '127.0.0.1', port: gateway.running.address.port, method, path, headers },
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

describe('before authentication', () => {
  it.each(['/', '/api/v1/nothing', '/api/v1/users/', '/api/v2/users', '/api/v1/%zz'])(
    'answers 404 as JSON at %s',
    async (path) => {
      const answer = await sendRaw('GET', path);
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.text)).toEqual({ result: 'error', msg: 'Not found' });
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(answer.headers['cache-control']).toContain('no-store');
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
    },
  );

  it('answers OPTIONS with the methods in alphabetical order', async () => {
    const answer = await sendRaw('OPTIONS', '/api/v1/users/me/subscriptions');
    expect([answer.status, answer.headers.allow, answer.text]).toEqual([
      204,
      'DELETE, GET, HEAD, PATCH, POST',
      '',
    ]);
    expect(answer.headers['access-control-allow-headers']).toBe('Authorization');
    expect((await sendRaw('OPTIONS', '/api/v1/nothing')).status).toBe(404);
  });

  it('answers a wrong method with 405', async () => {
    const answer = await sendRaw('PATCH', '/api/v1/users');
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, POST, HEAD']);
    expect(JSON.parse(answer.text)).toEqual({
      result: 'error',
      msg: 'Method Not Allowed',
      allowed_methods: ['GET', 'POST', 'HEAD'],
    });
  });

  it('lets a POST pass to authentication where a form may override the method', async () => {
    expect((await sendRaw('POST', '/api/v1/events')).status).toBe(401);
    expect((await sendRaw('POST', '/api/v1/streams')).status).toBe(405);
  });

  it('refuses a body beyond 25 MiB, declared or not', async () => {
    const declared = await sendRaw('POST', '/api/v1/messages', {
      ...authorization(user),
      'content-length': String(25 * 1024 * 1024 + 1),
    }).catch((error: unknown) => error);
    expect(declared).toMatchObject({ status: 413 });
    const chunk = new Uint8Array(1024 * 1024);
    let left = 26;
    const streamed = await fetch(`${gateway.url}/api/v1/messages`, {
      method: 'POST',
      headers: authorization(user),
      body: new ReadableStream({
        pull: (controller) => {
          left -= 1;
          if (left < 0) controller.close();
          else controller.enqueue(chunk);
        },
      }),
      duplex: 'half',
    } as RequestInit).then(
      (response) => response.status,
      // The connection may end while the client still writes.
      () => 413,
    );
    expect(streamed).toBe(413);
    expect(messages.seen.some(({ body }) => body.length > 25 * 1024 * 1024)).toBe(false);
  });
});

describe('authentication', () => {
  it('refuses a request without credentials', async () => {
    const answer = await sendRaw('GET', '/api/v1/users');
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      401,
      'Basic realm="zulip"',
    ]);
    expect(JSON.parse(answer.text)).toEqual({
      result: 'error',
      msg: 'Not logged in: API authentication or user session required',
    });
  });

  it('refuses an unknown key, and the key of somebody else', async () => {
    const other = await gateway.addUser();
    for (const wrong of [
      { ...user, apiKey: 'x'.repeat(32) },
      { ...user, apiKey: other.apiKey },
    ]) {
      const answer = await sendRaw('GET', '/api/v1/users', authorization(wrong));
      expect([answer.status, JSON.parse(answer.text)]).toEqual([
        401,
        { result: 'error', msg: 'Invalid API key' },
      ]);
    }
  });

  it('needs none for the endpoints that are open to all', async () => {
    const before = presence.seen.length;
    const answer = await sendRaw('GET', '/api/v1/server_settings', { authorization: 'Bearer x' });
    expect(answer.status).toBe(200);
    expect(identityOf(presence.seen[before]?.headers ?? {})).toMatchObject({ caller: null });
  });

  it('lets an incoming-webhook bot only send', async () => {
    const bot = await gateway.addUser({ botType: 2 });
    expect((await sendRaw('POST', '/api/v1/messages', authorization(bot))).status).toBe(200);
    const refused = await sendRaw('GET', '/api/v1/messages', authorization(bot));
    expect([refused.status, messageOf(refused)]).toEqual([
      401,
      'This API is not available to incoming webhook bots.',
    ]);
  });

  it('refuses a changed key and a deactivated account as soon as the change was read', async () => {
    const changing = await gateway.addUser();
    const old = authorization(changing);
    expect((await sendRaw('GET', '/api/v1/users', old)).status).toBe(200);
    const newKey = 'n'.repeat(32);
    await gateway.changeAccount(changing.userId, { apiKey: newKey });
    await gateway.waitForNextRead();
    expect((await sendRaw('GET', '/api/v1/users', old)).status).toBe(401);
    changing.apiKey = newKey;
    expect((await sendRaw('GET', '/api/v1/users', authorization(changing))).status).toBe(200);
    await gateway.changeAccount(changing.userId, { isActive: false });
    await gateway.waitForNextRead();
    const refused = await sendRaw('GET', '/api/v1/users', authorization(changing));
    expect([refused.status, messageOf(refused)]).toEqual([401, 'Account is deactivated']);
  });
});

describe('what a service is told', () => {
  it('is the caller, signed, and nothing that claims to be from a gateway', async () => {
    const before = presence.seen.length;
    const answer = await sendRaw('GET', '/api/v1//users?client_gravatar=true', {
      ...authorization(user),
      'x-parley-identity': 'forged',
      'X-Parley-Node': 'forged',
      'x-request-id': 'mine',
      'user-agent': 'tests/1',
      connection: 'close',
    });
    expect(answer.status).toBe(200);
    const seen = presence.seen[before];
    expect(seen?.url).toBe('/api/v1/users?client_gravatar=true');
    expect(seen?.headers).toMatchObject({ 'user-agent': 'tests/1', connection: 'keep-alive' });
    expect(seen?.headers.authorization).toBeUndefined();
    expect(seen?.headers['x-parley-node']).toBeUndefined();
    expect(seen?.headers['x-request-id']).toBe(answer.headers['x-request-id']);
    expect(answer.headers['x-request-id']).not.toBe('mine');
    expect(identityOf(seen?.headers ?? {})).toEqual({
      requestId: answer.headers['x-request-id'],
      caller: {
        userId: user.userId,
        email: user.email,
        role: 'member',
        botType: null,
        botOwnerId: null,
      },
    });
  });

  it('is the body as it came, small, large and chunked', async () => {
    for (const size of [0, 10, 3 * 1024 * 1024]) {
      for (const isChunked of [false, true]) {
        const text = 'x'.repeat(size);
        const before = messages.seen.length;
        const response = await fetch(`${gateway.url}/api/v1/messages`, {
          method: 'POST',
          headers: authorization(user),
          ...(isChunked ? { body: new Blob([text]).stream(), duplex: 'half' } : { body: text }),
        });
        expect(response.status).toBe(200);
        expect(messages.seen[before]?.body.length).toBe(size);
      }
    }
  });

  it('is nothing of a GET body', async () => {
    const before = presence.seen.length;
    await sendRaw('GET', '/api/v1/users', { ...authorization(user), 'content-length': '0' });
    expect(presence.seen[before]?.headers['content-length']).toBeUndefined();
  });
});

describe('health', () => {
  it('is ready while Postgres is heard, and counts', async () => {
    expect((await fetch(`${gateway.internalUrl}/health/ready`)).status).toBe(200);
    expect((await fetch(`${gateway.internalUrl}/health/live`)).status).toBe(200);
    expect(await gateway.metric('parley_gateway_requests_total')).toBeGreaterThan(0);
    expect(await gateway.metric('parley_gateway_credential_lookups_total')).toBeGreaterThan(0);
  });
});
