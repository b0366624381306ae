/** Requests on their way to a replica and back, also while one is down, breaks off or is silent. */
import { Agent, request as sendRequest } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';

import { answerMaxBytes, partBytes } from '@parley/server/links';
import type { LinkAnswer, LinkBody } from '@parley/server/links';
import { waitUntil } from '@parley/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import {
  GatewayUnderTest,
  answerOf,
  authorization,
  formFieldOf,
  hold,
  success,
} from './support/gateway-under-test.ts';
import type { NodeHandler, TestUser, Upstream } from './support/gateway-under-test.ts';

let gateway: GatewayUnderTest;
let user: TestUser;

beforeAll(async () => {
  gateway = await GatewayUnderTest.start();
  user = await gateway.addUser();
});

afterEach(() => gateway.removeUpstreams());

afterAll(() => gateway.stop());

/** The longest wait for one answer. All attempts of a request together may take twice as long. */
const answerTimeoutMs = 7_000;

const unavailable = {
  result: 'error',
  msg: 'Service temporarily unavailable',
  code: 'SERVICE_UNAVAILABLE',
};
const unknown = {
  result: 'error',
  msg: 'It is not known whether the change was made',
  code: 'OUTCOME_UNKNOWN',
};
const send = 'type=private&content=x';

const breakOff: NodeHandler = (_request, _tell, node) => {
  node.breakOff();
  return undefined;
};

function named(name: string): NodeHandler {
  return () => answerOf({ ...success, name });
}

async function call(
  method: string,
  path: string,
  body?: string,
  init: RequestInit = {},
): Promise<{ status: number; json: unknown; headers: Headers }> {
  const response = await fetch(`${gateway.url}/api/v1/${path}`, {
    method,
    headers: {
      ...authorization(user),
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'ParleyTests/1.0',
    },
    ...(body === undefined ? {} : { body }),
    ...init,
  });
  return { status: response.status, json: await response.json(), headers: response.headers };
}

function seenBy(...upstreams: readonly Upstream[]): number {
  return upstreams.reduce((sum, { arrived }) => sum + arrived.length, 0);
}

async function addNode(handler?: NodeHandler, service = 'messages'): Promise<Upstream> {
  return gateway.addUpstream(service, handler);
}

/** @returns the node that gets the first request */
async function firstAsked(nodes: readonly Upstream[]): Promise<Upstream> {
  return Promise.race(
    nodes.map(async (node) => {
      await node.until(() => node.arrived.length === 1);
      return node;
    }),
  );
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
    expect([one.arrived.length, two.arrived.length]).toEqual([3, 3]);
  });

  it('skips a dead node, whatever the request, and remembers it', async () => {
    const dead = await gateway.addUpstream('subscriptions', named('dead'));
    await gateway.addUpstream('subscriptions', named('alive'));
    await dead.crash();
    const before = await gateway.metric('parley_gateway_upstream_retries_total');
    for (let count = 0; count < 4; count += 1) {
      const answer = await call('POST', 'users/me/subscriptions', 'subscriptions=[]');
      expect(answer.json).toMatchObject({ name: 'alive' });
    }
    expect(await gateway.metric('parley_gateway_upstream_retries_total')).toBe(before + 1);
  });

  it('finds the node that has just replaced the last one', async () => {
    const replaced = await gateway.addUpstream('subscriptions', named('replaced'));
    const other = await gateway.addUpstream('people', named('new'));
    await replaced.crash();
    // No hint says so, and the next read of leases is a third of a second away.
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
    await gateway.settle();
    for (let count = 0; count < 4; count += 1) {
      expect((await call('GET', 'streams')).json).toMatchObject({ name: 'staying' });
    }
  });

  it('does not choose a node that has announced that it stops', async () => {
    const stopping = await addNode();
    await call('POST', 'messages', send);
    await stopping.links.finish();
    expect((await call('POST', 'messages', send)).status).toBe(503);
    const other = await addNode();
    expect((await call('POST', 'messages', send)).status).toBe(200);
    expect([stopping.arrived.length, other.arrived.length]).toEqual([1, 1]);
  });
});

describe('a request', () => {
  it('arrives as the caller sent it, and its answer has the usual headers', async () => {
    const node = await gateway.addUpstream('messages', () =>
      answerOf({ ...success, name: 'ünïcode 🎉' }, 200, { 'x-parley-node': 'n' }),
    );
    const body = 'op=add&flag=read&messages=%5B1%5D';
    const answer = await call('POST', 'messages/flags?a=b', body);
    expect([answer.status, answer.json]).toEqual([200, { ...success, name: 'ünïcode 🎉' }]);
    const [received] = node.arrived;
    expect(received).toMatchObject({
      endpoint: 'change-flags',
      path: {},
      query: [['a', 'b']],
      caller: { userId: user.userId, email: user.email },
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': 'ParleyTests/1.0',
      },
    });
    expect(JSON.parse(received?.body.toString() ?? '')).toEqual([
      ['op', 'add'],
      ['flag', 'read'],
      ['messages', '[1]'],
    ]);
    expect(JSON.stringify(received?.headers)).not.toContain('asic');
    const { headers } = answer;
    expect(headers.get('x-request-id')).toBe(received?.requestId);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('x-parley-node')).toBe('n');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('shares the connection to its node, and gets its own answer', async () => {
    const node = await gateway.addUpstream('messages', (request) =>
      answerOf({ ...success, of: formFieldOf(request, 'content') }),
    );
    const texts = Array.from({ length: 80 }, (_, at) => `${at}${'y'.repeat(at * 120)}`);
    const answers = await Promise.all(
      texts.map((content) => call('POST', 'messages', `content=${content}`)),
    );
    expect(answers.map(({ json }) => json)).toEqual(texts.map((of) => ({ ...success, of })));
    expect(node.sockets.size).toBe(1);
  });

  it('gets a refusal with its status and headers', async () => {
    await gateway.addUpstream('messages', () =>
      answerOf({ result: 'error', msg: 'x' }, 429, { 'Retry-After': '7' }),
    );
    const answer = await call('POST', 'messages', send);
    expect([answer.status, answer.json]).toEqual([429, { result: 'error', msg: 'x' }]);
    expect(answer.headers.get('retry-after')).toBe('7');
  });

  it('with HEAD gets the headers only', async () => {
    await gateway.addUpstream('people', () => answerOf({ ...success, long: 'x' }));
    const response = await fetch(`${gateway.url}/api/v1/users/me`, {
      method: 'HEAD',
      headers: authorization(user),
    });
    const text = JSON.stringify({ ...success, long: 'x' });
    expect(response.headers.get('content-length')).toBe(String(text.length));
    expect(await response.text()).toBe('');
  });

  it('is cancelled at its node when the client hangs up', async () => {
    const node = await gateway.addUpstream('messages', hold);
    const controller = new AbortController();
    const leaving = call('POST', 'messages/flags', 'op=add', { signal: controller.signal });
    await node.until(() => node.arrived.length === 1);
    controller.abort();
    await expect(leaving).rejects.toThrow();
    await node.until(() => node.arrived[0]?.signal.aborted === true);
  });

  it.each([
    ['a webhook', 'POST', 'external/helloworld', '{"a":1}', 'messages', '{"a":1}'],
    [
      'a long form',
      'PUT',
      'bot_storage',
      `a=${'x'.repeat(3_000_000)}`,
      'people',
      `[["a","${'x'.repeat(3_000_000)}"]]`,
    ],
  ])('may be %s', async (_what, method, path, body, service, expected) => {
    const node = await gateway.addUpstream(service);
    expect((await call(method, path, body)).status).toBe(200);
    expect(node.arrived[0]?.body.toString() === expected).toBe(true);
  });
});

describe('an answer that is not JSON', () => {
  async function get(path: string, method = 'GET'): Promise<Response> {
    return fetch(`${gateway.url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...authorization(user), range: 'bytes=0-9', 'if-none-match': '"tag"' },
    });
  }

  function answerRaw(
    status: number,
    headers: Readonly<Record<string, string>>,
    shared: LinkBody = '',
  ): NodeHandler {
    return () => ({ status, kind: 'raw', headers, shared, own: '' });
  }

  it('has its own headers and those of the gateway', async () => {
    const bytes = Buffer.from([0, 255, 128, 10, 13]);
    const node = await gateway.addUpstream(
      'messages',
      answerRaw(200, { 'Content-Type': 'image/png', 'X-Content-Type-Options': 'forged' }, [bytes]),
    );
    const answer = await get('/user_uploads/1/a/b.png');
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
    const { date, connection, 'keep-alive': _, ...headers } = Object.fromEntries(answer.headers);
    expect([date, connection]).toEqual([expect.any(String), 'keep-alive']);
    expect(headers).toEqual({
      'content-type': 'image/png',
      'content-length': '5',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'Authorization',
      'access-control-allow-methods': 'GET, POST, DELETE, PUT, PATCH, HEAD',
      'x-request-id': node.arrived[0]?.requestId,
    });
    expect(node.arrived[0]?.headers).toMatchObject({
      range: 'bytes=0-9',
      'if-none-match': '"tag"',
    });
  });

  it.each([
    [204, null],
    [304, null],
    [302, '0'],
  ])('with status %s has no body', async (status, length) => {
    await gateway.addUpstream(
      'messages',
      answerRaw(status, { Location: '/elsewhere', ETag: '"tag"' }),
    );
    const answer = await get('/user_uploads/1/a/b.png');
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-length')).toBe(length);
    expect(answer.headers.get('location')).toBe('/elsewhere');
    expect(await answer.text()).toBe('');
  });

  it("tells HEAD the file's length", async () => {
    await gateway.addUpstream(
      'messages',
      answerRaw(200, { 'Content-Type': 'image/png', 'Content-Length': '123456789' }),
    );
    const answer = await get('/user_uploads/1/a/b.png', 'HEAD');
    expect(answer.headers.get('content-length')).toBe('123456789');
    expect(await answer.text()).toBe('');
  });
});

describe('a long answer', () => {
  const word = 'ü'.repeat(4_000_000);

  /** Sends a request and reads nothing of the answer. */
  function askIdly(path: string): Socket {
    const { port } = new URL(gateway.url);
    const { authorization: key = '' } = authorization(user);
    const idle = connect({ host: '127.0.0.1', port: Number(port) }).pause();
    idle.write(`GET /api/v1/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\n\r\n`);
    return idle;
  }

  it('arrives completely, and a client that does not read delays nobody', async () => {
    const node = await gateway.addUpstream('messages', ({ endpoint }) =>
      answerOf(endpoint === 'get-messages' ? { ...success, word } : success),
    );
    const idle = askIdly('messages');
    await node.until(() => node.arrived.length === 1);
    expect((await call('GET', 'messages')).json).toEqual({ ...success, word });
    expect((await call('POST', 'messages', send)).status).toBe(200);
    expect(node.sockets.size).toBe(1);
    idle.destroy();
    await gateway.settle();
    await gateway.untilOpen(0);
  });

  it('that is not read and fills the gateway makes long answers to reads come in steps, and nothing else', async () => {
    const shared = [Buffer.alloc(answerMaxBytes)];
    const node = await gateway.addUpstream('messages', ({ query, wants }) =>
      query.length > 0
        ? { status: 200, kind: 'json', headers: {}, shared, own: '' }
        : answerOf({ ...success, wants }),
    );
    const wanted = async (method: string, path: string, body?: string): Promise<unknown> =>
      (await call(method, path, body)).json;
    const idle = askIdly('messages?long');
    await waitUntil('reads come in steps', async () => {
      const json = await wanted('GET', 'messages');
      return (json as { wants?: string }).wants === 'steps';
    });
    // Whole answers are not worth a second request.
    const before = node.arrived.length;
    expect(await wanted('GET', 'messages')).toEqual({ ...success, wants: 'steps' });
    expect(node.arrived.length).toBe(before + 1);
    idle.destroy();
    await gateway.settle();
    expect(await wanted('GET', 'messages')).toEqual({ ...success, wants: 'whole' });
  });

  /** Starts to answer, and dies before everything is sent. */
  function dieAnswering(node: Upstream): LinkAnswer {
    const [link] = node.sockets;
    const before = link?.bytesWritten ?? 0;
    const dieLater = (): void => {
      if ((link?.bytesWritten ?? 0) > before + partBytes) void node.crash();
      else setImmediate(dieLater);
    };
    setImmediate(dieLater);
    return {
      status: 200,
      kind: 'json',
      headers: {},
      shared: [Buffer.alloc(120e6)],
      own: '',
    };
  }

  it('that breaks off is requested again elsewhere if that is harmless', async () => {
    const nodes = [await addNode(hold), await addNode(hold)];
    for (const node of nodes)
      node.handler = () =>
        nodes.every(({ arrived }) => arrived.length === 1)
          ? answerOf({ ...success, word })
          : dieAnswering(node);
    expect(await call('GET', 'messages')).toMatchObject({
      status: 200,
      json: { ...success, word },
    });
    expect(nodes.map(({ arrived }) => arrived.length)).toEqual([1, 1]);
  });

  it('that breaks off is 503 if the request must not be repeated', async () => {
    const nodes = [await addNode(hold, 'events'), await addNode(hold, 'events')];
    for (const node of nodes) node.handler = () => dieAnswering(node);
    const answer = await call('POST', 'register');
    expect([answer.status, answer.json]).toEqual([503, unavailable]);
    expect(nodes.flatMap(({ arrived }) => arrived).length).toBe(1);
  });
});

describe('an answer in steps', () => {
  const headers = { 'Content-Type': 'image/png', 'Content-Length': '3' };
  const step = (shared: string): LinkAnswer => ({
    status: 200,
    kind: 'step',
    headers,
    shared,
    own: '',
  });

  /** Sends two steps, each when the previous one was taken, and then the end. */
  function answerInSteps(end: LinkAnswer): NodeHandler {
    return ({ signal }, tell) => {
      signal.whenTaken(() => {
        signal.whenTaken(() => tell(end));
        tell(step('b'));
      });
      tell(step('a'));
      return undefined;
    };
  }

  async function get(): Promise<Response> {
    return fetch(`${gateway.url}/user_uploads/1/a/b.png`, { headers: authorization(user) });
  }

  it('arrives as it was sent', async () => {
    await addNode(answerInSteps({ ...step('c'), kind: 'raw' }));
    const answer = await get();
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(await answer.text()).toBe('abc');
  });

  it('that breaks off does not look complete', async () => {
    await addNode(answerInSteps({ ...step(''), kind: 'broken' }));
    await expect(get().then((answer) => answer.text())).rejects.toThrow();
  });

  it('ends with its node, and does not look complete', async () => {
    const node = await addNode((_request, tell) => {
      tell(step('a'));
      return undefined;
    });
    const answer = await get();
    node.breakOff();
    await expect(answer.text()).rejects.toThrow();
  });

  it('ends at its node when the client hangs up', async () => {
    const node = await addNode((_request, tell) => {
      tell(step('a'));
      return undefined;
    });
    const answer = await get();
    await answer.body?.cancel();
    await node.until(() => node.arrived[0]?.signal.aborted === true);
    expect(node.arrived.length).toBe(1);
  });
});

describe('an answer that breaks off', () => {
  it.each([
    ['GET', 'messages', undefined],
    ['POST', 'messages', 'type=private&content=x'],
    ['POST', 'messages/flags', 'op=add'],
    ['POST', 'mark_all_as_read', ''],
  ])('repeats %s %s at another replica under the same id', async (method, path, body) => {
    const one = await gateway.addUpstream('messages', breakOff);
    const two = await gateway.addUpstream('messages', breakOff);
    // The first one asked breaks off; the other one answers.
    const answerSecond: NodeHandler = (...given) =>
      seenBy(one, two) === 1 ? breakOff(...given) : answerOf(success);
    one.handler = answerSecond;
    two.handler = answerSecond;
    const answer = await call(method, path, body);
    expect(answer.status).toBe(200);
    expect([one.arrived.length, two.arrived.length]).toEqual([1, 1]);
    const ids = [...one.arrived, ...two.arrived].map(({ requestId }) => requestId);
    expect(new Set(ids)).toEqual(new Set([answer.headers.get('x-request-id')]));
    expect(new Set([...one.arrived, ...two.arrived].map((seen) => seen.body.toString())).size).toBe(
      1,
    );
  });

  it.each([
    ['504 for a change that must not be done twice', 'users/me/subscriptions', 504, unknown],
    ['503 where nothing is left that has an effect', 'register', 503, unavailable],
  ])('is %s', async (_what, path, status, json) => {
    const service = path === 'register' ? 'events' : 'subscriptions';
    const one = await gateway.addUpstream(service, breakOff);
    const two = await gateway.addUpstream(service, breakOff);
    const answer = await call('POST', path, 'subscriptions=[]');
    expect([answer.status, answer.json]).toEqual([status, json]);
    expect(seenBy(one, two)).toBe(1);
  });

  describe('never turns a send of unknown outcome into a 503', () => {
    /** The first attempt breaks off; the last ones get no answer until all the time is used up. */
    async function loseSend(body: string, then: NodeHandler = breakOff): ReturnType<typeof call> {
      const only = await gateway.addUpstream('messages', breakOff);
      const answering = call('POST', 'messages', body);
      answering.catch(() => undefined);
      await only.until(() => only.arrived.length === 1);
      only.handler = then;
      await only.until(() => only.arrived.length === 3);
      only.handler = hold;
      await only.until(() => only.arrived.length === 4);
      await gateway.advance(answerTimeoutMs);
      await only.until(() => only.arrived.length === 5);
      await gateway.reachLimit(answerTimeoutMs);
      return answering;
    }

    it('but closes the connection when twice the time of an answer is over', async () => {
      await expect(loseSend('type=private&content=x')).rejects.toThrow();
    });

    it('nor passes on the 503 of a later attempt, which says nothing about the earlier one', async () => {
      const unavailableLater: NodeHandler = () => answerOf(unavailable, 503);
      await expect(loseSend('type=private&content=x', unavailableLater)).rejects.toThrow();
    });

    it("unless it has the client's own key, under which a repeat is harmless", async () => {
      const keyed = await loseSend('type=private&content=x&local_id=1&queue_id=2');
      expect([keyed.status, keyed.json]).toEqual([503, unavailable]);
    });
  });

  it('forwards a 503, which means that nothing happened', async () => {
    const only = await gateway.addUpstream('messages', () => answerOf(unavailable, 503));
    expect((await call('POST', 'messages', 'type=private&content=x')).status).toBe(503);
    expect(only.arrived.length).toBe(1);
  });

  it('waits for the outcome of a send until a replica is back', async () => {
    const only = await gateway.addUpstream('messages', (...given) =>
      only.arrived.length === 1 ? breakOff(...given) : answerOf(success),
    );
    expect((await call('POST', 'messages', 'type=private&content=x')).status).toBe(200);
    expect(only.arrived.length).toBe(2);
  });

  it('causes no third attempt for a read', async () => {
    const nodes = [await addNode(hold), await addNode(hold), await addNode(hold)];
    for (const node of nodes)
      node.handler = () => {
        void node.crash();
        return undefined;
      };
    const answer = await call('GET', 'messages');
    expect([answer.status, answer.json]).toEqual([503, unavailable]);
    expect(nodes.flatMap(({ arrived }) => arrived).length).toBe(2);
  });
});

describe('an answer that does not come', () => {
  it.each([
    ['GET', 'messages?anchor=newest', undefined],
    ['POST', 'messages', 'method=GET&anchor=newest'],
    ['POST', 'messages/render', 'content=x'],
  ])('is not repeated if it only reads: %s %s', async (method, path, body) => {
    const nodes = [await addNode(hold), await addNode(hold)];
    const answering = call(method, path, body);
    const asked = await firstAsked(nodes);
    await gateway.reachLimit(answerTimeoutMs);
    const answer = await answering;
    expect([answer.status, answer.json]).toEqual([503, unavailable]);
    expect(nodes.flatMap(({ arrived }) => arrived).length).toBe(1);
    await asked.until(() => asked.arrived[0]?.signal.aborted === true);
  });

  it.each([
    ['a send', 'messages', send],
    ['a change that may be done twice', 'messages/flags', 'op=add'],
  ])('continues at another node if it is %s', async (_what, path, body) => {
    const nodes = [await addNode(hold), await addNode(hold)];
    for (const node of nodes)
      node.handler = () =>
        nodes.every(({ arrived }) => arrived.length === 1) ? answerOf(success) : hold();
    const answering = call('POST', path, body);
    await firstAsked(nodes);
    await gateway.advance(answerTimeoutMs);
    const answer = await answering;
    expect([answer.status, answer.json]).toEqual([200, success]);
  });

  it('is given up at its node if it must not be repeated, later than its change', async () => {
    const node = await addNode(hold, 'subscriptions');
    const answering = call('POST', 'users/me/subscriptions', 'subscriptions=[]');
    await node.until(() => node.arrived.length === 1);
    await gateway.reachLimit(answerTimeoutMs);
    const answer = await answering;
    expect([answer.status, answer.json]).toEqual([504, unknown]);
    expect(node.arrived[0]?.headers['x-parley-change-within-ms']).toBe('4900');
    await node.until(() => node.arrived[0]?.signal.aborted === true);
  });

  it('moves to another node when the lease of a silent node lapses', async () => {
    const paused = await gateway.addUpstream('messages', hold);
    paused.isCurrent = false;
    const answering = call('GET', 'messages');
    await paused.until(() => paused.arrived.length === 1);
    const other = await gateway.addUpstream('messages', named('other'));
    await gateway.advance(3_999);
    expect(other.arrived).toEqual([]);
    await gateway.advance(1);
    expect((await answering).json).toMatchObject({ name: 'other' });
  });
});

describe('a client that hangs up', () => {
  it('ends the request at the service and leaves nothing behind, hundreds of times', async () => {
    const upstream = await gateway.addUpstream('messages', hold);
    const ended = (): number => upstream.arrived.filter(({ signal }) => signal.aborted).length;
    const agent = new Agent({ keepAlive: false });
    const aborted = 200;
    for (let batch = 0; batch < 6; batch += 1) {
      const requests = Array.from({ length: aborted / 6 }, (_none, index) => {
        // Every tenth has a long body.
        const body = 'x'.repeat(index % 10 === 1 ? 1_000_000 : 1000);
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
      const before = ended();
      await upstream.until(() => upstream.arrived.length > before);
      for (const request of requests) request.destroy();
      await upstream.until(() => ended() === upstream.arrived.length);
    }
    agent.destroy();
    await gateway.settle();
    await gateway.untilOpen(0);
    expect(gateway.running.frame.stopping.aborted).toBe(false);
    // Sockets of abandoned requests are closed, not kept.
    const sockets = process
      .getActiveResourcesInfo()
      .filter((kind) => kind === 'TCPSocketWrap').length;
    expect(sockets).toBeLessThan(40);
  });
});
