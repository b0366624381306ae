/** Uploads: they are passed on while they arrive, may take long, and have their own bound. */
import { EventEmitter, once } from 'node:events';
import { request as sendRequest } from 'node:http';
import type { ClientRequest } from 'node:http';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { GatewayUnderTest, authorization, success } from './support/gateway-under-test.ts';
import type { TestUser, Upstream } from './support/gateway-under-test.ts';

const mib = 1024 * 1024;

let gateway: GatewayUnderTest;
let upstream: Upstream;
let user: TestUser;
/** The bytes of the current body that the service has received. */
let arrivedBytes = 0;
const arrivals = new EventEmitter();

beforeAll(async () => {
  gateway = await GatewayUnderTest.start({
    PARLEY_MAX_UPLOAD_MIB: '8',
  });
  user = await gateway.addUser();
  upstream = await gateway.addUpstream('messages');
  upstream.server.on('request', (request) => {
    request.on('data', (chunk: Buffer) => {
      arrivedBytes += chunk.length;
      arrivals.emit('bytes');
    });
  });
});

afterAll(() => gateway.stop());

async function untilArrived(bytes: number): Promise<void> {
  while (arrivedBytes < bytes) await once(arrivals, 'bytes');
}

type Answer = { readonly status: number; readonly json: unknown };

/** Starts a request whose body the test writes piece by piece. */
function begin(
  path: string,
  headers: Readonly<Record<string, string>>,
): { readonly sent: ClientRequest; readonly answer: Promise<Answer> } {
  arrivedBytes = 0;
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
    await untilArrived(3 * mib);
    // Longer than all attempts of a request may take for an answer.
    await gateway.advance(20_000);
    sent.end(Buffer.alloc(3 * mib));
    expect(await answer).toEqual({ status: 200, json: success });
    expect(upstream.uploads.at(-1)?.body).toHaveLength(6 * mib);
  });

  it('skips a dead node', async () => {
    const dead = await gateway.addUpstream('messages');
    await dead.crash();
    for (let turn = 0; turn < 4; turn += 1) {
      const { sent, answer } = begin('user_uploads', { 'content-length': String(3 * mib) });
      sent.end(Buffer.alloc(3 * mib, turn));
      expect(await answer).toEqual({ status: 200, json: success });
    }
    await dead.lease.end();
  });

  it('above its limit is refused like in the service, before it is read', async () => {
    const before = upstream.uploads.length;
    const { sent, answer } = begin('user_uploads', { 'content-length': String(40 * mib) });
    sent.flushHeaders();
    expect(await answer).toEqual(tooLarge);
    sent.destroy();
    expect(upstream.uploads).toHaveLength(before);
  });

  it('above its limit is refused during transfer if its length was not declared', async () => {
    const { sent, answer } = begin('user_uploads', { 'transfer-encoding': 'chunked' });
    for (let n = 0; n < 20; n += 1) sent.write(Buffer.alloc(mib));
    sent.end();
    expect(await answer).toEqual(tooLarge);
  });

  it('ends at the service when its client hangs up', async () => {
    const aborted = new Promise<void>((resolve) => {
      upstream.server.once('request', (request) => request.on('aborted', resolve));
    });
    const { sent, answer } = begin('user_uploads', { 'content-length': String(6 * mib) });
    answer.catch(() => undefined);
    sent.write(Buffer.alloc(3 * mib));
    await untilArrived(3 * mib);
    sent.destroy();
    await aborted;
    await gateway.settle();
    await gateway.untilOpen(0);
    expect(await gateway.openRequests()).toBe(0);
  });
});

describe('the service receives', () => {
  it("the signed caller and the endpoint, and no header that imitates a gateway's", async () => {
    const { sent, answer } = begin('user_uploads?a=b', {
      'x-parley-identity': 'forged',
      'X-Parley-Node': 'forged',
      'x-request-id': 'mine',
      'user-agent': 'tests/1',
    });
    sent.end('file');
    await answer;
    const { url, headers, body } = upstream.uploads.at(-1) ?? fail();
    expect([url, body]).toEqual(['/api/v1/user_uploads?a=b', 'file']);
    expect(headers).toMatchObject({ 'user-agent': 'tests/1', 'x-parley-endpoint': 'upload-file' });
    expect([headers.authorization, headers['x-parley-node']]).toEqual([undefined, undefined]);
    expect(headers['x-request-id']).not.toBe('mine');
    expect(gateway.identityOf(headers)).toMatchObject({
      requestId: headers['x-request-id'],
      caller: { userId: user.userId, email: user.email, role: 'member' },
    });
  });
});

function fail(): never {
  throw new Error('nothing was uploaded');
}
