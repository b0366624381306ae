import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';

import { signIdentity } from '@parley/identity';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { identityHeaders, member, sampleSecret, startSampleServer } from './sample-app.ts';
import type { SampleServer } from './sample-app.ts';

let sample: SampleServer;

beforeAll(async () => {
  sample = await startSampleServer();
});

afterAll(async () => {
  await sample.server.stop(1000);
});

type Answer = { readonly status: number; readonly headers: Headers; readonly body: unknown };

async function call(path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = new Headers(init.headers);
  if (!headers.has('x-parley-identity')) {
    for (const [name, value] of Object.entries(identityHeaders())) headers.set(name, value);
  }
  const response = await fetch(`${sample.url}${path}`, { ...init, headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : (JSON.parse(text) as unknown),
  };
}

const form = (fields: Record<string, string>) => new URLSearchParams(fields);

/** Sends bytes unchanged, for requests that fetch would not send. */
async function callRaw(bytes: string): Promise<string> {
  const socket = connect(sample.server.port, '127.0.0.1');
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

describe('paths and methods', () => {
  it('answers an unknown path with 404 before anything else', async () => {
    for (const path of [
      '/none',
      '/samples/',
      '/Samples',
      '/samples/abc',
      '/samples/-1',
      '/samples/%ff/name',
    ]) {
      const answer = await call(path, { headers: { 'x-parley-identity': 'none' } });
      expect([path, answer.status, answer.body]).toEqual([
        path,
        404,
        { result: 'error', msg: 'Not found' },
      ]);
    }
  });

  it('merges doubled slashes', async () => {
    const answer = await callRaw(
      `GET /api//v1//samples/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toContain('"own":true');
  });

  it('answers OPTIONS with 204 and the sorted methods, without identity', async () => {
    const response = await fetch(`${sample.url}/samples`, { method: 'OPTIONS' });
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST']);
  });

  it('answers a wrong method with 405 before it checks the identity', async () => {
    const response = await fetch(`${sample.url}/samples`, { method: 'PATCH' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, POST, HEAD');
    expect(await response.json()).toEqual({
      result: 'error',
      msg: 'Method Not Allowed',
      allowed_methods: ['GET', 'POST', 'HEAD'],
    });
  });

  it('answers HEAD like GET without a body', async () => {
    const answer = await call('/samples/me', { method: 'HEAD' });
    expect([answer.status, answer.body, answer.headers.get('content-length')]).toEqual([
      200,
      undefined,
      '40',
    ]);
  });

  it('dispatches a POST by the field method of its form, not of its query', async () => {
    const identity = identityHeaders({ role: 'administrator' });
    const body = form({ method: 'PATCH', full_name: 'x' });
    const changed = await call('/samples/3', { method: 'POST', body, headers: identity });
    expect(changed.body).toEqual({ result: 'success', msg: '', sample_id: 3, full_name: 'x' });
    const refused = await call('/samples/3?method=PATCH', { method: 'POST', headers: identity });
    expect(refused.status).toBe(405);
  });
});

describe('identity and access', () => {
  const signed = (nowMs: number, secret = sampleSecret) => ({
    'x-parley-identity': signIdentity(secret, member, { requestId: 'r', nowMs }),
  });

  it.each<[string, Record<string, string>]>([
    ['absent', { 'x-parley-identity': '' }],
    ['of another secret', signed(Date.now(), 'some other secret')],
    ['too old', signed(Date.now() - 60_000)],
    ['malformed', { 'x-parley-identity': 'e30.e30' }],
  ])('refuses an identity that is %s', async (_case, headers) => {
    const answer = await call('/samples?num_before=1', { headers });
    expect(answer.status).toBe(401);
    expect(answer.body).toMatchObject({ result: 'error' });
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="zulip"');
  });

  it('checks the role before the parameters', async () => {
    const change = async (caller: Parameters<typeof identityHeaders>[0]) => {
      const answer = await call('/samples/3', {
        method: 'PATCH',
        headers: identityHeaders(caller),
      });
      return [answer.status, (answer.body as { msg: string }).msg];
    };
    expect(await change({})).toEqual([400, 'Must be an organization administrator']);
    expect(await change({ botType: 2 })).toEqual([
      401,
      'This API is not available to incoming webhook bots.',
    ]);
    expect(await change({ role: 'administrator', botType: 1 })).toEqual([
      400,
      'This endpoint does not accept bot requests.',
    ]);
    expect(await change({ role: 'administrator' })).toEqual([400, "Missing 'full_name' argument"]);
  });

  it('checks admission between the role and the parameters', async () => {
    const add = async (caller: Parameters<typeof identityHeaders>[0]) => {
      const headers = identityHeaders(caller);
      const answer = await call('/admitted', { method: 'POST', headers });
      return (answer.body as { msg: string }).msg;
    };
    expect(await add({ role: 'guest' })).toBe('Not allowed for guest users');
    expect(await add({})).toBe('Not now');
    expect(await add({ role: 'administrator' })).toBe("Missing 'topic' argument");
  });
});

describe('parameters', () => {
  it('reads body and query of every method, the body first', async () => {
    const headers = identityHeaders({ role: 'administrator' });
    const inQuery = await call('/samples/3?full_name=query', { method: 'PATCH', headers });
    expect(inQuery.body).toMatchObject({ full_name: 'query' });
    const inBoth = await call('/samples/3?full_name=query', {
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'application/json' },
      body: 'full_name=body',
    });
    expect(inBoth.body).toMatchObject({ full_name: 'body' });
  });

  it('gives a POST no body parameters from other content types', async () => {
    const answer = await call('/samples', {
      method: 'POST',
      body: 'topic=x',
      headers: { 'content-type': 'text/plain' },
    });
    expect(answer.body).toMatchObject({ result: 'success', content: '' });
    expect(answer.body).not.toHaveProperty('topic');
  });

  it('reads multipart forms and skips files', async () => {
    const body = new FormData();
    body.set('content', 'é😀\ufeff');
    body.set('messages', '[1,2]');
    body.set('file', new Blob(['x'.repeat(100_000)]), 'name.txt');
    const answer = await call('/samples', { method: 'POST', body });
    expect(answer.body).toMatchObject({ content: 'é😀\ufeff', messages: [1, 2] });
  });

  it('accepts every part without a file name as a field, whatever its type', async () => {
    const part = (disposition: string, type: string, value: string): string =>
      `--b\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n${value}\r\n`;
    const answer = await call('/samples', {
      method: 'POST',
      body: `${[
        part('name="content"', 'application/octet-stream', 'hi'),
        part('name="topic"; filename=""', 'application/octet-stream', 'lunch'),
        part('name="topic"; filename=".."', 'text/plain', 'a file'),
      ].join('')}--b--\r\n`,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    expect(answer.body).toMatchObject({ content: 'hi', topic: 'lunch' });
  });

  it('reads every kind of multipart for endpoints that also accept other bodies', async () => {
    const send = (path: string, method: string) =>
      call(path, {
        method,
        body: '--b\r\nContent-Disposition: form-data; name="full_name"\r\n\r\nAnn\r\n--b--\r\n',
        headers: {
          ...identityHeaders({ role: 'administrator' }),
          'content-type': 'multipart/mixed; boundary="b"',
        },
      });
    expect((await send('/samples/5', 'PATCH')).body).toMatchObject({ full_name: 'Ann' });
    expect((await send('/samples', 'POST')).body).toMatchObject({ content: '' });
  });

  it.each([
    ['without any part', '--b--\r\n', 200],
    ['with an empty body', '', 200],
    ['that ends early', '--b\r\nContent-Disposition: form-data; name="topic"\r\n\r\nabc', 400],
    ['that is not multipart at all', 'hello', 400],
  ])('answers a multipart form %s', async (_case, body, status) => {
    const answer = await call('/samples', {
      method: 'POST',
      body,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    expect(answer.status).toBe(status);
  });

  it('refuses a multipart form without a boundary', async () => {
    const answer = await call('/samples', {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'multipart/form-data' },
    });
    expect(answer.status).toBe(400);
  });

  it('reports only the first invalid parameter in declared order', async () => {
    const answer = await call('/samples?anchor=x&num_before=y');
    expect(answer.body).toMatchObject({ var_name: 'num_before', bad_value: 'y' });
  });

  it('refuses too many fields with 400 and too large a body with 413, as JSON', async () => {
    const fields = await call('/samples', {
      method: 'POST',
      body: new URLSearchParams('a=1&'.repeat(1001)),
    });
    expect([fields.status, fields.body]).toMatchObject([400, { result: 'error' }]);
    const large = await call('/samples', {
      method: 'POST',
      body: Buffer.alloc(25 * 1024 * 1024 + 1, 'a'),
    });
    expect([large.status, large.body]).toMatchObject([413, { result: 'error' }]);
  });

  it('reads percent-encoded UTF-8 in the path', async () => {
    const answer = await call('/samples/%C3%A9%40x/name');
    expect(answer.body).toMatchObject({ email: 'é@x' });
  });

  it('names the client by query, body and User-Agent', async () => {
    const headers = { ...identityHeaders(), 'user-agent': 'My Bot 2.0' };
    expect((await call('/samples?num_before=1', { headers })).body).toMatchObject({
      client: 'My Bot',
    });
    expect((await call('/samples?num_before=1&client=q', { headers })).body).toMatchObject({
      client: 'q',
    });
  });

  it('reads the JSON body of a webhook whatever its label, also below its path', async () => {
    const post = (path: string, contentType: string, body: string) =>
      call(path, { method: 'POST', body, headers: { 'content-type': contentType } });
    const expected = { stream: 's', payload: { a: '&'.repeat(2000) } };
    const text = JSON.stringify(expected.payload);
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
      expect((await post('/external/sample?stream=s', type, text)).body).toMatchObject(expected);
    }
    expect((await post('/external/sample/?stream=s', 'text/plain', text)).status).toBe(200);
    expect((await post('/external/sample/a/b?stream=s', 'text/plain', text)).status).toBe(200);
    expect((await post('/external/sample', 'multipart/form-data', '--x')).body).toMatchObject({
      code: 'INVALID_JSON',
    });
    expect((await call('/external/sample')).body).toMatchObject({ code: 'INVALID_JSON' });
  });
});

describe('answers', () => {
  it('have the headers of the reference facts', async () => {
    const { headers } = await call('/samples?num_before=1');
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('cache-control')).toBe('max-age=0, no-cache, no-store, must-revalidate');
    expect(headers.get('expires')).toBe(headers.get('last-modified'));
    expect(headers.get('vary')).toBe('Accept-Language, Accept-Encoding');
    expect(headers.get('content-language')).toBe('en');
    expect(headers.get('x-request-id')).toBe('request-1');
    expect(headers.has('x-powered-by') || headers.has('etag')).toBe(false);
  });

  const fail = (how: string) => call('/fail', { method: 'POST', body: form({ how }) });

  it('report an unavailable store with 503 and Retry-After', async () => {
    for (const how of ['store', 'cause']) {
      const answer = await fail(how);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
      expect(answer.body).toMatchObject({ result: 'error', code: 'SERVICE_UNAVAILABLE' });
    }
  });

  it('reveal nothing about an internal error, which is logged once with its stack', async () => {
    const answer = await fail('bug');
    expect([answer.status, answer.body]).toEqual([
      500,
      { result: 'error', msg: 'Internal server error' },
    ]);
    const lines = sample.logLines.filter((line) => line.includes('the secret inside'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('sample-app.ts');
  });

  it('refuse a value that no column can hold with 400', async () => {
    expect((await fail('unstorable')).status).toBe(400);
  });

  it('may be empty', async () => {
    expect((await fail('empty')).status).toBe(204);
  });

  it('are compared with their declaration if that is enabled', async () => {
    const answer = await fail('undeclared');
    expect([answer.status, answer.body]).toEqual([
      500,
      { result: 'error', msg: 'Internal server error' },
    ]);
    expect(sample.logLines.join('')).toContain('undeclared');
  });

  it('are logged by endpoint, and without user content', async () => {
    await call('/samples?api_key=TheKeyItself', {
      method: 'POST',
      body: form({ content: 'private words' }),
    });
    const log = sample.logLines.join('');
    expect(log).toContain('"endpoint":"add-sample"');
    expect(log).not.toMatch(/private words|TheKeyItself/);
  });
});

describe('an invalid HTTP request', () => {
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

describe('a client that hangs up', () => {
  it('aborts the signal of its request and causes no error', async () => {
    const request = httpRequest(`${sample.url}/held`);
    request.on('error', () => undefined);
    request.end();
    await expect.poll(() => sample.context.hangUps).toEqual(['waiting']);
    request.destroy();
    await expect.poll(() => sample.context.hangUps).toEqual(['waiting', 'hung up']);
    await expect.poll(() => sample.logLines.join('')).toContain('"hung_up":true');
    expect(sample.logLines.join('')).not.toContain('AbortError');
  });

  it('in the middle of a body is noticed', async () => {
    const before = sample.logLines.length;
    const socket = connect(sample.server.port, '127.0.0.1');
    socket.write('POST /api/v1/samples HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc');
    await once(socket, 'connect');
    socket.end();
    await expect
      .poll(() => sample.logLines.slice(before).join(''))
      .toMatch(/"status":400|"hung_up":true/);
  });
});
