/** Held polls on links: one connection to a node carries all of them. */
import { holdersOfQueue } from '@parley/placement';
import { waitUntil } from '@parley/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import {
  GatewayUnderTest,
  answerJson,
  authorization,
  success,
} from './support/gateway-under-test.ts';
import type { LinkHandler, TestUser, Upstream } from './support/gateway-under-test.ts';

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
const hold: LinkHandler = () => new Promise(() => undefined);
const shared = `{"result":"success","msg":"","events":[{"id":5,"name":"ünïcode 🎉"}`;
const headers = { 'x-parley-node': 'node-name' };
const answerEvents: LinkHandler = () =>
  Promise.resolve({
    status: 200,
    kind: 'json',
    headers,
    shared,
    own: `],"queue_id":"${queueId}"}`,
  });
const refuse: LinkHandler = () =>
  Promise.resolve({
    status: 503,
    kind: 'json',
    headers: { 'Retry-After': '7' },
    shared: '',
    own: '{"result":"error","msg":"x","code":"SERVICE_UNAVAILABLE"}',
  });
const answered = { ...success, events: [{ id: 5, name: 'ünïcode 🎉' }], queue_id: queueId };

function notByItself(): never {
  throw new Error('polls come over links');
}

async function addNodes(linkHandler: LinkHandler): Promise<[Upstream, Upstream]> {
  const nodes = [
    await gateway.addUpstream('events', notByItself, { linkHandler }),
    await gateway.addUpstream('events', notByItself, { linkHandler }),
  ];
  const [holder, next] = holdersOfQueue(queueId, nodes);
  if (holder === undefined || next === undefined) throw new Error('there are two nodes');
  return [holder, next];
}

async function poll(
  options: { readonly signal?: AbortSignal; readonly id?: number } = {},
): Promise<{ status: number; json: unknown; headers: Headers }> {
  const { signal, id = 4 } = options;
  const response = await fetch(
    `${gateway.url}/api/v1/events?queue_id=${encodeURIComponent(queueId)}&last_event_id=${id}`,
    { headers: authorization(user), ...(signal === undefined ? {} : { signal }) },
  );
  return { status: response.status, json: await response.json(), headers: response.headers };
}

describe('a poll on a link', () => {
  it('goes to the holder with its caller, and is answered like any request', async () => {
    const [holder, next] = await addNodes(answerEvents);
    const answer = await poll();
    expect([answer.status, answer.json]).toEqual([200, answered]);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-parley-node')).toBe('node-name');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const [received] = holder.arrived;
    expect(answer.headers.get('x-request-id')).toBe(received?.requestId);
    expect(received?.caller).toMatchObject({ userId: user.userId, email: user.email });
    expect(received?.address).toBe('/api/v1/events?queue_id=17%3Aabcdef&last_event_id=4');
    expect(next.arrived.length).toBe(0);
  });

  it('shares its connection with all others to the node', async () => {
    const [holder] = await addNodes(answerEvents);
    const answers = await Promise.all(
      Array.from({ length: 300 }, async (_, id) => (await poll({ id })).json),
    );
    expect(answers).toEqual(Array.from({ length: 300 }, () => answered));
    expect(holder.sockets.size).toBe(1);
  });

  it('gets its own answer, in any order', async () => {
    const release = Promise.withResolvers<undefined>();
    await addNodes(async ({ address }) => {
      const id = Number(/last_event_id=(\d+)/.exec(address)?.[1]);
      if (id % 2 === 0) await release.promise;
      return { status: 200, kind: 'json', headers, shared: '{"id":', own: `${id}}` };
    });
    const ids = Array.from({ length: 40 }, (_, id) => id);
    const answers = ids.map(async (id) => (await poll({ id })).json);
    await Promise.all(answers.filter((_answer, id) => id % 2 === 1));
    release.resolve(undefined);
    expect(await Promise.all(answers)).toEqual(ids.map((id) => ({ id })));
  });

  it('delivers a refusal with its status and headers', async () => {
    await addNodes(refuse);
    const answer = await poll();
    expect([answer.status, answer.json]).toEqual([
      503,
      { result: 'error', msg: 'x', code: 'SERVICE_UNAVAILABLE' },
    ]);
    expect(answer.headers.get('retry-after')).toBe('7');
  });

  it('is cancelled at the node when its client hangs up, without effect on others', async () => {
    const [holder] = await addNodes(hold);
    const controller = new AbortController();
    const leaving = poll({ signal: controller.signal }).catch(() => undefined);
    await waitUntil('the poll is held', () => holder.arrived.length === 1);
    const staying = poll({ id: 6 }).catch(() => undefined);
    await waitUntil('both polls are held', () => holder.arrived.length === 2);
    controller.abort();
    await leaving;
    await waitUntil('the node hears of it', () => holder.arrived[0]?.signal.aborted === true);
    expect(holder.arrived[1]?.signal.aborted).toBe(false);
    await gateway.running.stop();
    await staying;
  });

  it.each([
    ['ends its links', async (node: Upstream) => node.links.end()],
    ['dies', (node: Upstream) => node.crash()],
  ])('continues at the next node when its own %s', async (_case, lose) => {
    const [holder, next] = await addNodes(hold);
    next.linkHandler = answerEvents;
    const answers = Promise.all(Array.from({ length: 50 }, () => poll()));
    await waitUntil('the polls are held', () => holder.arrived.length === 50);
    await lose(holder);
    expect((await answers).map(({ json }) => json)).toEqual(
      Array.from({ length: 50 }, () => answered),
    );
    expect(next.arrived.map(({ requestId }) => requestId).toSorted()).toEqual(
      holder.arrived.map(({ requestId }) => requestId).toSorted(),
    );
  });

  it('moves elsewhere when its node announced that it stops', async () => {
    const [holder, next] = await addNodes(answerEvents);
    await poll();
    holder.links.sayLeaving();
    await waitUntil('polls go to the other node', async () => {
      await poll();
      return next.arrived.length > 0;
    });
    expect(holder.sockets.size).toBe(1);
  });

  it('continues at the next node if its own stops before it arrived there', async () => {
    const [holder, next] = await addNodes(answerEvents);
    holder.linkHandler = (request, tell) => {
      holder.links.sayLeaving();
      return refuse(request, tell);
    };
    expect((await poll()).json).toEqual(answered);
    expect(next.arrived.length).toBe(1);
  });

  it('continues at the next node if its own violates the protocol', async () => {
    const [holder, next] = await addNodes(answerEvents);
    holder.linkHandler = () => {
      for (const socket of holder.sockets) socket.write(Buffer.alloc(64, 0xff));
      return new Promise(() => undefined);
    };
    expect((await poll()).json).toEqual(answered);
    expect(next.arrived.length).toBe(1);
  });

  it('uses HTTP with a node that knows no links', async () => {
    const node = await gateway.addUpstream('events', (_request, response) =>
      answerJson(response, answered),
    );
    expect((await poll()).json).toEqual(answered);
    expect((await poll()).json).toEqual(answered);
    expect(node.seen.length).toBe(2);
  });
});
