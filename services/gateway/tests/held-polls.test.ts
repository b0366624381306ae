/** Held polls: where they go, and how they survive the loss of their node. */
import { request as sendRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';

import { limits } from '@parley/api';
import { holdersOfQueue } from '@parley/cluster/placement';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import {
  GatewayUnderTest,
  answerOf,
  authorization,
  hold,
  success,
} from './support/gateway-under-test.ts';
import type { NodeHandler, TestUser, Upstream } from './support/gateway-under-test.ts';

let gateway: GatewayUnderTest;
let user: TestUser;

async function start(): Promise<void> {
  gateway = await GatewayUnderTest.start({
    PARLEY_HEARTBEAT_MIN_SECS: '4',
    PARLEY_HEARTBEAT_MAX_SECS: '5',
  });
}

beforeAll(start);

beforeEach(async () => {
  user = await gateway.addUser();
  // What is spread over a time comes after half of it.
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await gateway.removeUpstreams();
});

afterAll(() => gateway.stop());

const queueId = '17:abcdef';
const noEvents = { ...success, events: [], queue_id: queueId };

/** Two event nodes: the queue's holder first. */
async function addNodes(handler: NodeHandler): Promise<[Upstream, Upstream]> {
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
  id = 4,
): Promise<{ status: number; json: unknown; headers: Headers }> {
  const response = await fetch(
    `${gateway.url}/api/v1/events?queue_id=${encodeURIComponent(queueId)}&last_event_id=${id}${more}`,
    { headers: authorization(user), ...(signal === undefined ? {} : { signal }) },
  );
  return { status: response.status, json: await response.json(), headers: response.headers };
}

const events = [{ id: 5, name: 'ünïcode 🎉' }];
const answered = { ...success, events, queue_id: queueId };

/** Its beginning may be shared with other answers. */
const answerEvents: NodeHandler = () => ({
  status: 200,
  kind: 'json',
  headers: { 'x-parley-node': 'node-name' },
  shared: JSON.stringify({ ...success, events }).slice(0, -1),
  own: `,"queue_id":"${queueId}"}`,
});

const refuse: NodeHandler = () =>
  answerOf({ result: 'error', msg: 'x', code: 'SERVICE_UNAVAILABLE' }, 503, { 'Retry-After': '7' });

describe('a poll', () => {
  it("goes to the queue's holder with its caller, and is answered like any request", async () => {
    const [holder, next] = await addNodes(answerEvents);
    const answer = await poll();
    expect([answer.status, answer.json]).toEqual([200, answered]);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-parley-node')).toBe('node-name');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const [received] = holder.arrived;
    expect(answer.headers.get('x-request-id')).toBe(received?.requestId);
    expect(received).toMatchObject({
      endpoint: 'get-events',
      query: [
        ['queue_id', queueId],
        ['last_event_id', '4'],
      ],
      caller: { userId: user.userId, email: user.email },
    });
    expect(next.arrived.length).toBe(0);
  });

  it('shares its connection with all others to the node, and gets its own answer in any order', async () => {
    const release = Promise.withResolvers<undefined>();
    const [holder] = await addNodes(async ({ query }) => {
      const id = Number(new Map(query).get('last_event_id'));
      if (id % 2 === 0) await release.promise;
      return { status: 200, kind: 'json', headers: {}, shared: '{"id":', own: `${id}}` };
    });
    const ids = Array.from({ length: 100 }, (_, id) => id);
    const answers = ids.map(async (id) => (await poll(undefined, '', id)).json);
    await Promise.all(answers.filter((_answer, id) => id % 2 === 1));
    release.resolve(undefined);
    expect(await Promise.all(answers)).toEqual(ids.map((id) => ({ id })));
    expect(holder.sockets.size).toBe(1);
  });

  it('delivers a refusal with its status and headers', async () => {
    await addNodes(refuse);
    const answer = await poll();
    expect([answer.status, answer.json]).toMatchObject([503, { msg: 'x' }]);
    expect(answer.headers.get('retry-after')).toBe('7');
  });

  it('is refused for too many fields before it waits for a node', async () => {
    const answer = await poll(undefined, '&x'.repeat(limits.bodyFieldsMax));
    expect([answer.status, answer.json]).toMatchObject([
      400,
      { msg: 'Too many fields in the request' },
    ]);
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
    expect(holder.arrived.map(({ endpoint }) => endpoint)).toEqual(
      Array.from({ length: 3 }, () => 'delete-queue'),
    );
  });

  it('continues at the next node if the holder is dead', async () => {
    const [holder, next] = await addNodes(answerEvents);
    await holder.crash();
    expect((await poll()).status).toBe(200);
    expect(next.arrived.length).toBe(1);
  });

  it.each([
    ['ends its links', (node: Upstream) => node.links.end()],
    ['dies', (node: Upstream) => void node.crash()],
    [
      'violates the protocol',
      (node: Upstream) => {
        for (const socket of node.sockets) socket.write(Buffer.alloc(64, 0xff));
      },
    ],
  ])('continues when its node %s while it is held', async (_case, lose) => {
    const [holder, next] = await addNodes(hold);
    next.handler = answerEvents;
    const answers = Promise.all(Array.from({ length: 50 }, () => poll()));
    await holder.until(() => holder.arrived.length === 50);
    lose(holder);
    expect((await answers).map(({ json }) => json)).toEqual(
      Array.from({ length: 50 }, () => answered),
    );
    const idsOf = ({ arrived }: Upstream): string[] =>
      arrived.map(({ requestId }) => requestId).toSorted();
    expect(idsOf(next)).toEqual(idsOf(holder));
  });

  it('moves elsewhere when its node announced that it stops', async () => {
    const [holder, next] = await addNodes(answerEvents);
    await poll();
    // Resolves when the gateway has heard of it, as no request is open.
    await holder.links.finish();
    await poll();
    expect([holder.arrived.length, next.arrived.length]).toEqual([1, 1]);
  });

  it('continues at the next node if its own stops before it arrived there', async () => {
    const [holder, next] = await addNodes(answerEvents);
    holder.handler = (request, tell, node) => {
      node.links.sayLeaving();
      return refuse(request, tell, node);
    };
    expect((await poll()).json).toEqual(answered);
    expect(next.arrived.length).toBe(1);
  });

  it.each([
    ['lapsed', (held: Upstream) => void (held.isCurrent = false), 4_000],
    // Polls move spread over two seconds.
    ['was given up', (held: Upstream) => held.lease.end(), 1_000],
  ])('continues when the lease of its node %s, and the node is informed', async (_how, end, ms) => {
    const [holder, next] = await addNodes(hold);
    next.handler = answerEvents;
    const answering = poll();
    await holder.until(() => holder.arrived.length === 1);
    await end(holder);
    await gateway.settle();
    await gateway.advance(ms - 1);
    expect(next.arrived).toEqual([]);
    await gateway.advance(1);
    expect((await answering).json).toEqual(answered);
    await holder.until(() => holder.arrived[0]?.signal.aborted === true);
  });

  it('is 503 if no node is found in three seconds', async () => {
    const answering = poll();
    await gateway.untilHeld(1);
    await gateway.advance(2_999);
    expect(await gateway.openRequests()).toBe(1);
    await gateway.advance(1);
    await gateway.untilOpen(0);
    const answer = await answering;
    expect([answer.status, answer.json]).toMatchObject([503, { code: 'SERVICE_UNAVAILABLE' }]);
    expect(answer.headers.get('retry-after')).toBe('1');
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
    await holder.until(() => holder.arrived.length === 2);
    await gateway.changeAccount(user.userId, { apiKey: 'n'.repeat(32) });
    await gateway.settle();
    // So long the node may take for the last event.
    await gateway.reachLimit(200, 2);
    const answer = await answering;
    expect([answer.status, answer.json]).toEqual([
      401,
      { result: 'error', msg: 'Invalid API key' },
    ]);
    expect(await gateway.metric('parley_gateway_held_polls')).toBe(1);
    otherController.abort();
    await expect(otherPoll).rejects.toThrow();
  });

  it('comes as well for a poll that a form asks for', async () => {
    const [holder] = await addNodes(hold);
    const answering = fetch(`${gateway.url}/api/v1/events`, {
      method: 'POST',
      headers: authorization(user),
      body: new URLSearchParams({ method: 'GET', queue_id: queueId, last_event_id: '4' }),
    });
    await holder.until(() => holder.arrived.length === 1);
    expect(holder.arrived[0]).toMatchObject({
      endpoint: 'get-events',
      query: [
        ['method', 'GET'],
        ['queue_id', queueId],
        ['last_event_id', '4'],
      ],
    });
    expect(await gateway.metric('parley_gateway_held_polls')).toBe(1);
    await gateway.changeAccount(user.userId, { apiKey: 'f'.repeat(32) });
    await gateway.settle();
    await gateway.reachLimit(200);
    expect((await answering).status).toBe(401);
  });

  it('does not come if the account changed in another way', async () => {
    const [holder] = await addNodes(hold);
    const answering = poll();
    await holder.until(() => holder.arrived.length === 1);
    await gateway.changeAccount(user.userId, {});
    await gateway.settle();
    await gateway.advance(200);
    expect(await gateway.metric('parley_gateway_held_polls')).toBe(1);
    await gateway.changeAccount(user.userId, { isActive: false });
    await gateway.settle();
    await gateway.advance(200);
    expect(await answering).toMatchObject({ status: 401, json: { msg: 'Account is deactivated' } });
  });

  it('is an empty answer five seconds after the longest heartbeat, whatever its node does', async () => {
    // Polls are looked at every second, from the start of the gateway.
    await gateway.advance(1_000 - (gateway.clock.elapsedMs() % 1_000));
    const [holder] = await addNodes(hold);
    const answering = poll();
    await holder.until(() => holder.arrived.length === 1);
    await gateway.reachLimit(10_000);
    const answer = await answering;
    expect([answer.status, answer.json]).toEqual([200, noEvents]);
    await holder.until(() => holder.arrived[0]?.signal.aborted === true);
  });

  it('reaches the node when the client hangs up, hundreds of times, and leaves nothing behind', async () => {
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
      await holder.until(() => holder.arrived.length >= 50 * (batch + 1));
      for (const late of polls.slice(10)) late.end();
      await Promise.all(polls.map(({ failed }) => failed));
      await holder.until(() => holder.arrived.every(({ signal }) => signal.aborted));
    }
    await gateway.settle();
    expect(next.arrived).toEqual([]);
    await gateway.untilHeld(0);
    await gateway.untilOpen(0);
  });
});

describe('when the gateway stops', () => {
  afterEach(async () => {
    await gateway.stop();
    await start();
  });

  it('a held poll gets an empty answer, spread over a second', async () => {
    const [holder] = await addNodes(hold);
    const answering = poll();
    await holder.until(() => holder.arrived.length === 1);
    const stopping = gateway.running.stop();
    await gateway.advance(499);
    expect(await gateway.openRequests()).toBe(1);
    await gateway.advance(1);
    const answer = await answering;
    expect([answer.status, answer.json]).toEqual([200, noEvents]);
    await stopping;
  });

  it('a nonblocking poll gets the answer of its node', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const [holder] = await addNodes((request, tell, node) =>
      new Map(request.query).get('dont_block') === 'true'
        ? released.then(async () => answerEvents(request, tell, node) ?? answerOf({}))
        : undefined,
    );
    // It gets an empty answer, which for the other one would mean that there are no events.
    const waiting = poll();
    const asking = poll(undefined, '&dont_block=true');
    await holder.until(() => holder.arrived.length === 2);
    const stopping = gateway.running.stop();
    await gateway.advance(1_000);
    expect((await waiting).json).toEqual(noEvents);
    release();
    expect((await asking).json).toEqual(answered);
    await stopping;
  });
});
