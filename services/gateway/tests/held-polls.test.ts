/** Held polls: where they go, and how they survive the loss of their node. */
import { request as sendRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';

import { holdersOfQueue } from '@parley/placement';
import { waitUntil } from '@parley/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import {
  GatewayUnderTest,
  answerJson,
  authorization,
  identityOf,
  success,
} from './support/gateway-under-test.ts';
import type { TestUser, Upstream, UpstreamHandler } from './support/gateway-under-test.ts';

let gateway: GatewayUnderTest;
let user: TestUser;

beforeEach(async () => {
  gateway = await GatewayUnderTest.start({
    PARLEY_HEARTBEAT_MIN_SECS: '1',
    PARLEY_HEARTBEAT_MAX_SECS: '25',
  });
  user = await gateway.addUser();
});

afterEach(async () => {
  await gateway.stop();
});

const queueId = '17:abcdef';
const hold: UpstreamHandler = () => undefined;
const noEvents = { ...success, events: [], queue_id: queueId };

/** Two event nodes: the queue's holder first. */
async function addNodes(handler: UpstreamHandler): Promise<[Upstream, Upstream]> {
  const nodes = [
    await gateway.addUpstream('events', handler),
    await gateway.addUpstream('events', handler),
  ];
  const [holder, next] = holdersOfQueue(queueId, nodes);
  if (holder === undefined || next === undefined) throw new Error('there are two nodes');
  return [holder, next];
}

async function poll(
  signal?: AbortSignal,
  more = '',
): Promise<{ status: number; json: unknown; headers: Headers }> {
  const response = await fetch(
    `${gateway.url}/api/v1/events?queue_id=${encodeURIComponent(queueId)}&last_event_id=4${more}`,
    { headers: authorization(user), ...(signal === undefined ? {} : { signal }) },
  );
  return { status: response.status, json: await response.json(), headers: response.headers };
}

const answerEvents: UpstreamHandler = (_request, response) => {
  response.setHeader('x-parley-node', 'node-name');
  answerJson(response, { ...success, events: [{ id: 5 }], queue_id: queueId });
};

describe('a poll', () => {
  it("goes to the queue's holder with its caller, and its answer has the node's name", async () => {
    const [holder, next] = await addNodes(answerEvents);
    const answer = await poll();
    expect([answer.status, answer.json]).toEqual([
      200,
      { ...success, events: [{ id: 5 }], queue_id: queueId },
    ]);
    expect(answer.headers.get('x-parley-node')).toBe('node-name');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('x-request-id')).toBe(holder.seen[0]?.headers['x-request-id']);
    expect([holder.seen.length, next.seen.length]).toEqual([1, 0]);
    expect(holder.seen[0]?.headers.authorization).toBeUndefined();
    expect(identityOf(holder.seen[0]?.headers ?? {})?.caller?.userId).toBe(user.userId);
  });

  it('shares its path with DELETE, which also goes to the holder, wherever the id is', async () => {
    const [holder] = await addNodes(answerEvents);
    const address = `${gateway.url}/api/v1/events`;
    await fetch(`${address}?queue_id=${queueId}`, {
      method: 'DELETE',
      headers: authorization(user),
    });
    await fetch(address, {
      method: 'DELETE',
      headers: authorization(user),
      body: new URLSearchParams({ queue_id: queueId }),
    });
    const form = new FormData();
    form.set('queue_id', queueId);
    await fetch(address, { method: 'DELETE', headers: authorization(user), body: form });
    expect(holder.seen.map(({ method }) => method)).toEqual(['DELETE', 'DELETE', 'DELETE']);
  });

  it('continues at the next node if the holder is dead', async () => {
    const [holder, next] = await addNodes(answerEvents);
    await holder.crash();
    expect((await poll()).status).toBe(200);
    expect(next.seen.length).toBe(1);
  });

  it('continues when its node dies while it is held', async () => {
    const [holder, next] = await addNodes(hold);
    next.handler = answerEvents;
    const answering = poll();
    await waitUntil('the poll is held', () => holder.seen.length === 1);
    await holder.crash();
    expect((await answering).json).toMatchObject({ events: [{ id: 5 }] });
    expect(next.seen[0]?.url).toBe(holder.seen[0]?.url);
    expect(next.seen[0]?.headers['x-request-id']).toBe(holder.seen[0]?.headers['x-request-id']);
  });

  it.each([
    ['lapsed', 'UPDATE service_leases SET lapses_at = now() WHERE node_id = $1'],
    ['was given up', 'DELETE FROM service_leases WHERE node_id = $1'],
  ])('continues when the lease of its node %s, and the node is informed', async (_case, sql) => {
    let isCurrent = true;
    const options = { isCurrent: () => isCurrent };
    const nodes = [
      await gateway.addUpstream('events', hold, options),
      await gateway.addUpstream('events', hold),
    ];
    const [holder, next] = holdersOfQueue('x', nodes)[0] === nodes[0] ? nodes : nodes.toReversed();
    if (holder === undefined || next === undefined) throw new Error('there are two nodes');
    await Promise.all(nodes.map((node) => node.lease.end()));
    // Rows that are not renewed, so that only the test decides when one ends.
    isCurrent = false;
    for (const node of nodes) {
      await gateway.pool.query(
        `INSERT INTO service_leases VALUES ($1, 'events', $2, now(), now() + interval '1 hour')`,
        [node.nodeId, `127.0.0.1:${node.port}`],
      );
    }
    await gateway.waitForNextRead();
    const answering = poll();
    await waitUntil('the poll is held', () => nodes.some((node) => node.seen.length === 1));
    const held = nodes.find((node) => node.seen.length === 1) ?? holder;
    const other = nodes.find((node) => node !== held) ?? next;
    other.handler = answerEvents;
    await gateway.pool.query(sql, [held.nodeId]);
    expect((await answering).json).toMatchObject({ events: [{ id: 5 }] });
    await waitUntil('the first node lost the poll', () => held.sockets.size === 0);
  });

  it('is 503 if no node answers', async () => {
    const answer = await poll();
    expect([answer.status, answer.json]).toMatchObject([503, { code: 'SERVICE_UNAVAILABLE' }]);
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  it('breaks off if its answer broke off', async () => {
    await addNodes((request, response) => {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('{');
      setImmediate(() => request.socket.destroy());
    });
    await expect(poll()).rejects.toThrow();
  });
});

describe('the end of a held poll', () => {
  it('comes with a fresh refusal when the key changed, for that user only', async () => {
    const [holder] = await addNodes(hold);
    const answering = poll();
    const other = await gateway.addUser();
    const otherController = new AbortController();
    const otherPoll = fetch(`${gateway.url}/api/v1/events?queue_id=${queueId}`, {
      headers: authorization(other),
      signal: otherController.signal,
    });
    await waitUntil('both are held', () => holder.seen.length === 2);
    await gateway.changeAccount(user.userId, { apiKey: 'n'.repeat(32) });
    const answer = await answering;
    expect([answer.status, answer.json]).toEqual([
      401,
      { result: 'error', msg: 'Invalid API key' },
    ]);
    expect(await gateway.metric('parley_gateway_held_polls')).toBe(1);
    otherController.abort();
    await expect(otherPoll).rejects.toThrow();
  });

  it('does not come if the account changed in another way', async () => {
    const [holder] = await addNodes(hold);
    const answering = poll();
    await waitUntil('it is held', () => holder.seen.length === 1);
    await gateway.changeAccount(user.userId, {});
    await gateway.waitForNextRead();
    expect(await gateway.metric('parley_gateway_held_polls')).toBe(1);
    await gateway.changeAccount(user.userId, { isActive: false });
    expect(await answering).toMatchObject({ status: 401, json: { msg: 'Account is deactivated' } });
  });

  it('is an empty answer when the gateway stops', async () => {
    const [holder] = await addNodes(hold);
    const answering = poll();
    await waitUntil('it is held', () => holder.seen.length === 1);
    const stopping = gateway.running.stop();
    const answer = await answering;
    expect([answer.status, answer.json]).toEqual([200, noEvents]);
    await stopping;
  });

  it('of a nonblocking poll comes from its node, also when the gateway stops', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const [holder] = await addNodes((request, response, body) => {
      if (request.url?.includes('dont_block=true') !== true) return;
      void released.then(() => answerEvents(request, response, body));
    });
    // Polls that wait get an empty answer, which here would mean that there are no events. They end spread over a short time, so many are
    // needed to show that this one is not among them.
    const waiting = Array.from({ length: 20 }, () => poll());
    const asking = poll(undefined, '&dont_block=true');
    await waitUntil('all are held', () => holder.seen.length === waiting.length + 1);
    const stopping = gateway.running.stop();
    for (const answer of await Promise.all(waiting)) expect(answer.json).toEqual(noEvents);
    release();
    expect((await asking).json).toMatchObject({ events: [{ id: 5 }] });
    await stopping;
  });

  it(
    'reaches the node when the client hangs up, hundreds of times, and leaves nothing behind',
    { timeout: 120_000 },
    async () => {
      const [holder, next] = await addNodes(hold);
      const { port } = gateway.running.address;
      const open = (): { end: () => void; failed: Promise<unknown> } => {
        const request = sendRequest({
          port,
          host: '127.0.0.1',
          path: `/api/v1/events?queue_id=${queueId}`,
          headers: authorization(user),
          agent: false,
        });
        const failed = new Promise<unknown>((resolve) => {
          request.on('error', resolve);
          request.on('response', (response: IncomingMessage) => resolve(response.statusCode));
        });
        request.end();
        return { end: () => request.destroy(), failed };
      };
      for (let batch = 0; batch < 5; batch += 1) {
        const polls = Array.from({ length: 60 }, open);
        // The first ten are aborted before they arrive, the rest while they are held.
        for (const early of polls.slice(0, 10)) early.end();
        await waitUntil('polls are held', () => holder.seen.length >= 50 * (batch + 1), {
          deadlineMs: 25_000,
        });
        for (const late of polls.slice(10)) late.end();
        await Promise.all(polls.map(({ failed }) => failed));
        await waitUntil(
          'the nodes have no connections',
          () => holder.sockets.size + next.sockets.size === 0,
        );
      }
      await waitUntil(
        'no poll is held',
        async () => (await gateway.metric('parley_gateway_held_polls')) === 0,
      );
      expect(await gateway.metric('parley_http_requests_in_flight')).toBe(0);
    },
  );
});
