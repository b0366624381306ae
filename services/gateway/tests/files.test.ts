/** Bodies with a file: they are streamed, may take long, and have their own bound. */
import { request as sendRequest } from 'node:http';
import type { ClientRequest } from 'node:http';

import { waitUntil } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  GatewayUnderTest,
  answerJson,
  authorization,
  success,
} from './support/gateway-under-test.ts';
import type { TestUser, Upstream } from './support/gateway-under-test.ts';

const mib = 1024 * 1024;
const answerTimeoutSecs = 1;

let gateway: GatewayUnderTest;
let upstream: Upstream;
let user: TestUser;
/** The bytes of the current body that the service has received. */
let arrivedBytes = 0;

beforeAll(async () => {
  gateway = await GatewayUnderTest.start({
    PARLEY_UPSTREAM_TIMEOUT_SECS: String(answerTimeoutSecs),
    PARLEY_MAX_UPLOAD_MIB: '8',
  });
  user = await gateway.addUser();
  upstream = await gateway.addUpstream('messages', (_request, response) =>
    answerJson(response, success),
  );
  upstream.server.on('request', (request) => {
    arrivedBytes = 0;
    request.on('data', (chunk: Buffer) => {
      arrivedBytes += chunk.length;
    });
  });
});

afterAll(() => gateway.stop());

type Answer = { readonly status: number; readonly json: unknown };

/** Starts a request whose body the test writes piece by piece. */
function begin(
  path: string,
  headers: Readonly<Record<string, string>>,
): { readonly sent: ClientRequest; readonly answer: Promise<Answer> } {
  const sent = sendRequest(`${gateway.url}/api/v1/${path}`, {
    method: 'POST',
    agent: false,
    headers: { ...authorization(user), 'content-type': 'application/x', ...headers },
  });
  const answer = new Promise<Answer>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          json: JSON.parse(Buffer.concat(chunks).toString()),
        }),
      );
    });
  });
  return { sent, answer };
}

const tooLarge = {
  status: 400,
  json: { result: 'error', msg: 'Uploaded file is larger than the allowed limit of 8 MB' },
};

describe('a body with a file', () => {
  it('is streamed to its service, and may take longer than the time limit of an answer', async () => {
    const { sent, answer } = begin('user_uploads', { 'content-length': String(6 * mib) });
    sent.write(Buffer.alloc(3 * mib));
    await waitUntil('half of it has arrived', () => arrivedBytes === 3 * mib);
    const beganAtMs = performance.now();
    await waitUntil(
      'longer passed than all attempts of a request may take for an answer',
      () => performance.now() - beganAtMs > answerTimeoutSecs * 2500,
    );
    sent.end(Buffer.alloc(3 * mib));
    expect(await answer).toEqual({ status: 200, json: success });
    expect(upstream.seen.at(-1)?.body).toHaveLength(6 * mib);
  });

  it('skips a dead node', async () => {
    const dead = await gateway.addUpstream('messages', (_request, response) =>
      answerJson(response, success),
    );
    await dead.crash();
    for (let turn = 0; turn < 4; turn += 1) {
      const { sent, answer } = begin('user_uploads', { 'content-length': String(3 * mib) });
      sent.end(Buffer.alloc(3 * mib, turn));
      expect(await answer).toEqual({ status: 200, json: success });
    }
    await dead.lease.end();
  });

  it('above its limit is refused like in the service, before it is read', async () => {
    const before = upstream.seen.length;
    const { sent, answer } = begin('user_uploads', { 'content-length': String(40 * mib) });
    sent.flushHeaders();
    expect(await answer).toEqual(tooLarge);
    sent.destroy();
    expect(upstream.seen).toHaveLength(before);
  });

  it('above its limit is refused during transfer if its length was not declared', async () => {
    const { sent, answer } = begin('user_uploads', { 'transfer-encoding': 'chunked' });
    for (let n = 0; n < 20; n += 1) sent.write(Buffer.alloc(mib));
    sent.end();
    expect(await answer).toEqual(tooLarge);
  });

  it('does not change the limit of other bodies', async () => {
    const { sent, answer } = begin('messages', { 'content-length': String(26 * mib) });
    sent.flushHeaders();
    expect((await answer).status).toBe(413);
    sent.destroy();
  });

  it('ends at the service when its client hangs up', async () => {
    const aborted = new Promise<void>((resolve) => {
      upstream.server.once('request', (request) => request.on('aborted', resolve));
    });
    const { sent, answer } = begin('user_uploads', { 'content-length': String(6 * mib) });
    answer.catch(() => undefined);
    sent.write(Buffer.alloc(3 * mib));
    await waitUntil('half of it has arrived', () => arrivedBytes === 3 * mib);
    sent.destroy();
    await aborted;
    await waitUntil(
      'nothing is under way',
      async () => (await gateway.metric('parley_requests_in_flight')) === 0,
    );
  });
});

describe('a route below the root', () => {
  it.each([
    ['/user_uploads/1/ab/token/name.txt', '/user_uploads/1/ab/token/name.txt'],
    ['/user_uploads/1/%C3%A4%2Fb', '/user_uploads/1/%C3%A4%2Fb'],
    ['//user_uploads//1/a', '/user_uploads/1/a'],
  ])('forwards %s to its service', async (path, forwarded) => {
    const response = await fetch(`${gateway.url}${path}?api_key=${user.apiKey}&x=1`);
    expect(response.status).toBe(200);
    expect(upstream.seen.at(-1)?.url).toBe(`${forwarded}?api_key=${user.apiKey}&x=1`);
  });

  it.each([
    '/user_uploads',
    '/user_uploads/',
    '/user_uploads/1',
    '/user_uploads/1/',
    '/user_uploads/x/y',
  ])('does not forward %s', async (path) => {
    const response = await fetch(gateway.url + path, { headers: authorization(user) });
    expect(response.status).toBe(404);
  });
});
