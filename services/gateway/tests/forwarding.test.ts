/** Requests while a replica is down, breaks off or is silent. */
import { Agent, request as sendRequest } from 'node:http';

import { waitUntil } from '@parley/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import {
  GatewayUnderTest,
  answerJson,
  authorization,
  success,
} from './support/gateway-under-test.ts';
import type { TestUser, Upstream, UpstreamHandler } from './support/gateway-under-test.ts';

let gateway: GatewayUnderTest;
let user: TestUser;

async function start(timeoutSecs: number): Promise<void> {
  gateway = await GatewayUnderTest.start({ PARLEY_UPSTREAM_TIMEOUT_SECS: String(timeoutSecs) });
  user = await gateway.addUser();
}

beforeEach(() => start(3));

afterEach(async () => {
  await gateway.stop();
});

const unavailable = {
  result: 'error',
  msg: 'Service temporarily unavailable',
  code: 'SERVICE_UNAVAILABLE',
};

const breakOff: UpstreamHandler = (request) => request.socket.destroy();

function named(name: string): UpstreamHandler {
  return (_request, response) => answerJson(response, { ...success, name });
}

async function call(
  method: string,
  path: string,
  body?: string,
): Promise<{ status: number; json: unknown; headers: Headers }> {
  const response = await fetch(`${gateway.url}/api/v1/${path}`, {
    method,
    headers: { ...authorization(user), 'content-type': 'application/x-www-form-urlencoded' },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, json: await response.json(), headers: response.headers };
}

function seenBy(...upstreams: Upstream[]): number {
  return upstreams.reduce((sum, upstream) => sum + upstream.seen.length, 0);
}

describe('choosing a replica', () => {
  it('answers 503 if a service has no node', async () => {
    const answer = await call('GET', 'streams');
    expect([answer.status, answer.json]).toEqual([503, unavailable]);
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  it('takes nodes in turn', async () => {
    const one = await gateway.addUpstream('subscriptions', named('one'));
    const two = await gateway.addUpstream('subscriptions', named('two'));
    for (let count = 0; count < 6; count += 1) await call('GET', 'streams');
    expect([one.seen.length, two.seen.length]).toEqual([3, 3]);
  });

  it('skips a dead node, whatever the request, and remembers it', async () => {
    const dead = await gateway.addUpstream('subscriptions', named('dead'));
    await gateway.addUpstream('subscriptions', named('alive'));
    await dead.crash();
    for (let count = 0; count < 4; count += 1) {
      const answer = await call('POST', 'users/me/subscriptions', 'subscriptions=[]');
      expect(answer.json).toMatchObject({ name: 'alive' });
    }
    expect(await gateway.metric('parley_gateway_upstream_retries_total')).toBe(1);
  });

  it('finds the node that has just replaced the last one', async () => {
    const replaced = await gateway.addUpstream('subscriptions', named('replaced'));
    const other = await gateway.addUpstream('people', named('new'));
    await replaced.crash();
    // No hint says so, and the next read of leases may be a third of a second away.
    await gateway.pool.query({
      text: "UPDATE service_leases SET service = 'subscriptions' WHERE node_id = $1",
      values: [other.nodeId],
    });
    expect((await call('GET', 'streams')).json).toMatchObject({ name: 'new' });
  });

  it('stops choosing a node that gave up its lease', async () => {
    const leaving = await gateway.addUpstream('subscriptions', named('leaving'));
    await gateway.addUpstream('subscriptions', named('staying'));
    await leaving.lease.end();
    await gateway.waitForNextRead();
    for (let count = 0; count < 4; count += 1) {
      expect((await call('GET', 'streams')).json).toMatchObject({ name: 'staying' });
    }
  });
});

describe('a reply that breaks off before its headers', () => {
  it.each([
    ['GET', 'messages', undefined],
    ['POST', 'messages', 'type=private&content=x'],
    ['POST', 'messages/flags', 'op=add'],
    ['POST', 'mark_all_as_read', ''],
  ])('repeats %s %s at another replica under the same id', async (method, path, body) => {
    const one = await gateway.addUpstream('messages', breakOff);
    const two = await gateway.addUpstream('messages', breakOff);
    // The first one asked breaks off; the other one answers.
    const answerSecond: UpstreamHandler = (request, response, text) => {
      if (seenBy(one, two) === 1) breakOff(request, response, text);
      else answerJson(response, success);
    };
    one.handler = answerSecond;
    two.handler = answerSecond;
    const answer = await call(method, path, body);
    expect(answer.status).toBe(200);
    expect([one.seen.length, two.seen.length]).toEqual([1, 1]);
    const ids = [...one.seen, ...two.seen].map((seen) => seen.headers['x-request-id']);
    expect(new Set(ids)).toEqual(new Set([answer.headers.get('x-request-id')]));
    expect(new Set([...one.seen, ...two.seen].map((seen) => seen.body)).size).toBe(1);
  });

  it('is 503 for a change that must not be done twice', async () => {
    const one = await gateway.addUpstream('subscriptions', breakOff);
    const two = await gateway.addUpstream('subscriptions', breakOff);
    const answer = await call('POST', 'users/me/subscriptions', 'subscriptions=[]');
    expect([answer.status, answer.json]).toEqual([503, unavailable]);
    expect(seenBy(one, two)).toBe(1);
  });

  it('never turns a send of unknown outcome into a 503', async () => {
    const only = await gateway.addUpstream('messages', breakOff);
    await expect(call('POST', 'messages', 'type=private&content=x')).rejects.toThrow();
    expect(only.seen.length).toBeGreaterThan(1);
    // Nor the 503 of a later attempt, which says nothing about the earlier one.
    only.handler = (request, response, body) => {
      if (only.seen.length % 2 === 1) breakOff(request, response, body);
      else answerJson(response, unavailable, 503);
    };
    only.seen.length = 0;
    await expect(call('POST', 'messages', 'type=private&content=x')).rejects.toThrow();
    // A repeat under the client's own key is harmless.
    const keyed = await call('POST', 'messages', 'type=private&content=x&local_id=1&queue_id=2');
    expect([keyed.status, keyed.json]).toEqual([503, unavailable]);
  });

  it('forwards a 503, which means that nothing happened', async () => {
    const only = await gateway.addUpstream('messages', (_request, response) =>
      answerJson(response, unavailable, 503),
    );
    expect((await call('POST', 'messages', 'type=private&content=x')).status).toBe(503);
    expect(only.seen.length).toBe(1);
  });

  it('waits for the outcome of a send until a replica is back', async () => {
    const only = await gateway.addUpstream('messages', (request, response, body) => {
      if (only.seen.length === 1) breakOff(request, response, body);
      else answerJson(response, success);
    });
    expect((await call('POST', 'messages', 'type=private&content=x')).status).toBe(200);
    expect(only.seen.length).toBe(2);
  });
});

describe('a reply that does not come', () => {
  it('is 503 after the time limit', async () => {
    await gateway.addUpstream('subscriptions', () => undefined);
    const answer = await call('POST', 'users/me/subscriptions', 'subscriptions=[]');
    expect([answer.status, answer.json]).toEqual([503, unavailable]);
  });

  it('is not repeated at another replica for a read', async () => {
    const replicas = [
      await gateway.addUpstream('messages', () => undefined),
      await gateway.addUpstream('messages', () => undefined),
    ];
    const answer = await call('GET', 'messages');
    expect([answer.status, answer.json]).toEqual([503, unavailable]);
    expect(seenBy(...replicas)).toBe(1);
  });

  it('breaks the connection if the answer has begun and breaks off', async () => {
    await gateway.addUpstream('messages', (request, response) => {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('{"result":');
      setImmediate(() => request.socket.destroy());
    });
    await expect(call('GET', 'messages')).rejects.toThrow();
  });

  it('moves to another node when the lease of a silent node lapses', async () => {
    // Longer than a new gateway needs to believe that a lease has lapsed.
    await gateway.stop();
    await start(8);
    let isCurrent = true;
    const silent = await gateway.addUpstream('messages', () => undefined, {
      isCurrent: () => isCurrent,
    });
    const answering = call('GET', 'messages');
    await waitUntil('the silent node has the request', () => silent.seen.length === 1);
    isCurrent = false;
    await gateway.addUpstream('messages', named('other'));
    // The effect of the four seconds.
    await gateway.pool.query('UPDATE service_leases SET lapses_at = now() WHERE node_id = $1', [
      silent.nodeId,
    ]);
    expect((await answering).json).toMatchObject({ name: 'other' });
  });
});

describe('a client that hangs up', () => {
  it(
    'ends the request at the service and leaves nothing behind, hundreds of times',
    { timeout: 120_000 },
    async () => {
      let held = 0;
      let ended = 0;
      await gateway.addUpstream('messages', (_request, response) => {
        held += 1;
        response.on('close', () => {
          ended += 1;
        });
      });
      const agent = new Agent({ keepAlive: false });
      const aborted = 200;
      for (let batch = 0; batch < 6; batch += 1) {
        const requests = Array.from({ length: aborted / 6 }, (_none, index) => {
          // Every tenth is too large to keep, and is streamed.
          const body = 'x'.repeat(index % 10 === 1 ? 1_500_000 : 1000);
          const request = sendRequest(`${gateway.url}/api/v1/messages`, {
            agent,
            method: index % 3 === 0 ? 'GET' : 'POST',
            headers: authorization(user),
          });
          request.on('error', () => undefined);
          if (index % 3 === 0) request.end();
          else if (index % 5 === 0) request.write(body);
          else request.end(body);
          return request;
        });
        const before = ended;
        await waitUntil('some are held', () => held > before, { deadlineMs: 25_000 });
        for (const request of requests) request.destroy();
        await waitUntil('those held are ended', () => ended === held);
      }
      agent.destroy();
      const { running } = gateway;
      await waitUntil(
        'no request is in flight',
        async () => (await gateway.metric('parley_http_requests_in_flight')) === 0,
      );
      expect(held).toBeGreaterThan(0);
      expect(running.frame.stopping.aborted).toBe(false);
      // Sockets of abandoned requests are closed, not kept.
      const resources = (): number =>
        process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
      const after = resources();
      expect(after).toBeLessThan(40);
    },
  );
});
