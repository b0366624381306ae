/** Requests on links have the same guarantees as proxied ones. */
import { connect } from 'node:net';
import type { Socket } from 'node:net';

import { answerMaxBytes, notOverLinksStatus, partBytes } from '@parley/links';
import type { LinkAnswer, LinkBody } from '@parley/links';
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

async function start(upstreamTimeoutSecs: string): Promise<void> {
  gateway = await GatewayUnderTest.start({ PARLEY_UPSTREAM_TIMEOUT_SECS: upstreamTimeoutSecs });
  user = await gateway.addUser();
}

async function startAgain(upstreamTimeoutSecs: string): Promise<void> {
  await gateway.stop();
  await start(upstreamTimeoutSecs);
}

beforeEach(() => start('3'));

afterEach(async () => {
  await gateway.stop();
});

const unavailable = {
  result: 'error',
  msg: 'Service temporarily unavailable',
  code: 'SERVICE_UNAVAILABLE',
};
const send = 'type=private&content=x';

function answerOf(
  json: object,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): LinkAnswer {
  return { status, kind: 'json', headers, shared: JSON.stringify(json), own: '' };
}

const hold = (): Promise<LinkAnswer> => new Promise(() => undefined);
const answerAll: LinkHandler = () => Promise.resolve(answerOf(success));

function notByHttp(): never {
  throw new Error('it comes over the link');
}

async function addNode(linkHandler: LinkHandler, service = 'messages'): Promise<Upstream> {
  return gateway.addUpstream(service, notByHttp, { linkHandler });
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

describe('a request', () => {
  it('arrives as the caller sent it, and its answer has the usual headers', async () => {
    const node = await addNode(() =>
      Promise.resolve(answerOf({ ...success, name: 'ünïcode 🎉' }, 200, { 'x-parley-node': 'n' })),
    );
    const body = 'op=add&flag=read&messages=%5B1%5D';
    const answer = await call('POST', 'messages/flags?a=b', body);
    expect([answer.status, answer.json]).toEqual([200, { ...success, name: 'ünïcode 🎉' }]);
    const [received] = node.arrived;
    expect(received).toMatchObject({
      method: 'POST',
      address: '/api/v1/messages/flags?a=b',
      caller: { userId: user.userId, email: user.email },
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': 'ParleyTests/1.0',
      },
    });
    expect(received?.body.toString()).toBe(body);
    expect(JSON.stringify(received?.headers)).not.toContain('asic');
    const { headers } = answer;
    expect(headers.get('x-request-id')).toBe(received?.requestId);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('x-parley-node')).toBe('n');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('shares the connection to its node, and gets its own answer', async () => {
    const node = await addNode(({ body }) =>
      Promise.resolve(answerOf({ ...success, of: body.toString() })),
    );
    const bodies = Array.from({ length: 200 }, (_, at) => `content=${at}&x=${'y'.repeat(at * 50)}`);
    const answers = await Promise.all(bodies.map((body) => call('POST', 'messages', body)));
    expect(answers.map(({ json }) => json)).toEqual(bodies.map((of) => ({ ...success, of })));
    expect(node.sockets.size).toBe(1);
  });

  it('gets a refusal with its status and headers', async () => {
    await addNode(() =>
      Promise.resolve(answerOf({ result: 'error', msg: 'x' }, 429, { 'Retry-After': '7' })),
    );
    const answer = await call('POST', 'messages', send);
    expect([answer.status, answer.json]).toEqual([429, { result: 'error', msg: 'x' }]);
    expect(answer.headers.get('retry-after')).toBe('7');
  });

  it('with HEAD gets the headers only', async () => {
    await addNode(() => Promise.resolve(answerOf({ ...success, long: 'x' })), 'people');
    const response = await fetch(`${gateway.url}/api/v1/users/me`, {
      method: 'HEAD',
      headers: authorization(user),
    });
    const text = JSON.stringify({ ...success, long: 'x' });
    expect(response.headers.get('content-length')).toBe(String(text.length));
    expect(await response.text()).toBe('');
  });

  it('is cancelled at its node when the client hangs up', async () => {
    const node = await addNode(hold);
    const controller = new AbortController();
    const leaving = call('POST', 'messages/flags', 'op=add', { signal: controller.signal });
    await waitUntil('the node has it', () => node.arrived.length === 1);
    controller.abort();
    await expect(leaving).rejects.toThrow();
    await waitUntil('the node hears of it', () => node.arrived[0]?.signal.aborted === true);
  });

  it.each([
    ['to a webhook', 'POST', 'external/helloworld', '{}', 'messages'],
    ['with a long body', 'PUT', 'bot_storage', 'x'.repeat(1_100_000), 'people'],
  ])('%s is proxied', async (_what, method, path, body, service) => {
    const node = await gateway.addUpstream(
      service,
      (_request, response) => answerJson(response, success),
      { linkHandler: answerAll },
    );
    expect((await call(method, path, body)).status).toBe(200);
    expect([node.arrived.length, node.seen.length]).toEqual([0, 1]);
  });
});

it('a node that requires HTTP for a request gets it by HTTP, once', async () => {
  const node = await gateway.addUpstream(
    'messages',
    (_request, response) => answerJson(response, { ...success, by: 'http' }),
    { linkHandler: () => Promise.resolve(answerOf({}, notOverLinksStatus)) },
  );
  const body = 'method=GET&anchor=newest';
  const answer = await call('POST', 'messages', body);
  expect([answer.status, answer.json]).toEqual([200, { ...success, by: 'http' }]);
  expect(node.arrived.length).toBe(1);
  expect(node.seen).toMatchObject([{ method: 'POST', url: '/api/v1/messages', body }]);
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
  ): LinkHandler {
    return () => Promise.resolve({ status, kind: 'raw', headers, shared, own: '' });
  }

  it('has its own headers and those of the gateway', async () => {
    const bytes = Buffer.from([0, 255, 128, 10, 13]);
    const node = await addNode(
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
    await addNode(answerRaw(status, { Location: '/elsewhere', ETag: '"tag"' }));
    const answer = await get('/user_uploads/1/a/b.png');
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-length')).toBe(length);
    expect(answer.headers.get('location')).toBe('/elsewhere');
    expect(await answer.text()).toBe('');
  });

  it("tells HEAD the file's length", async () => {
    await addNode(answerRaw(200, { 'Content-Type': 'image/png', 'Content-Length': '123456789' }));
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
    const node = await addNode(({ method }) =>
      Promise.resolve(answerOf(method === 'GET' ? { ...success, word } : success)),
    );
    const idle = askIdly('messages');
    await waitUntil('the node has answered it', () => node.arrived.length === 1);
    expect((await call('GET', 'messages')).json).toEqual({ ...success, word });
    expect((await call('POST', 'messages', send)).status).toBe(200);
    expect(node.sockets.size).toBe(1);
    idle.destroy();
    await waitUntil('the gateway is done with it', async () => {
      const inFlight = await gateway.metric('parley_http_requests_in_flight');
      return inFlight === 0;
    });
  });

  it('that is not read and fills the gateway makes repeatable reads use HTTP, and nothing else', async () => {
    await startAgain('20');
    const shared = [Buffer.alloc(answerMaxBytes)];
    const node = await gateway.addUpstream(
      'messages',
      (_request, response) => answerJson(response, { ...success, by: 'http' }),
      {
        linkHandler: ({ address }) =>
          Promise.resolve(
            address.endsWith('?long')
              ? { status: 200, kind: 'json', headers: {}, shared, own: '' }
              : answerOf({ ...success, by: 'link' }),
          ),
      },
    );
    const idle = askIdly('messages?long');
    await waitUntil('reads go by HTTP', async () => {
      const { json } = await call('GET', 'messages');
      return (json as { by?: string }).by === 'http';
    });
    const arrivedBefore = node.arrived.length;
    expect((await call('GET', 'messages')).json).toEqual({ ...success, by: 'http' });
    expect(node.arrived.length).toBe(arrivedBefore);
    expect((await call('POST', 'messages', send)).json).toEqual({ ...success, by: 'link' });
    idle.destroy();
    await waitUntil('reads go over the link again', async () => {
      const { json } = await call('GET', 'messages');
      return (json as { by?: string }).by === 'link';
    });
  });

  /** Starts to answer, and dies before everything is sent. */
  function dieAnswering(node: Upstream): Promise<LinkAnswer> {
    const [link] = node.sockets;
    const before = link?.bytesWritten ?? 0;
    const dieLater = (): void => {
      if ((link?.bytesWritten ?? 0) > before + partBytes) void node.crash();
      else setImmediate(dieLater);
    };
    setImmediate(dieLater);
    return Promise.resolve({
      status: 200,
      kind: 'json',
      headers: {},
      shared: [Buffer.alloc(120e6)],
      own: '',
    });
  }

  it('that breaks off is requested again elsewhere if that is harmless', async () => {
    const nodes = [await addNode(hold), await addNode(hold)];
    for (const node of nodes)
      node.linkHandler = async () =>
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
    for (const node of nodes) node.linkHandler = () => dieAnswering(node);
    const answer = await call('POST', 'register');
    expect([answer.status, answer.json]).toEqual([503, unavailable]);
    expect(nodes.flatMap(({ arrived }) => arrived).length).toBe(1);
  });
});

describe('a node that is lost', () => {
  const lose = async (node: Upstream): Promise<LinkAnswer> => {
    await node.crash();
    return hold();
  };

  it.each([
    ['POST', 'messages', send],
    ['POST', 'messages/flags', 'op=add'],
  ])('lets %s %s continue at another under the same id', async (method, path, body) => {
    const nodes = [await addNode(hold), await addNode(hold)];
    for (const node of nodes)
      node.linkHandler = async () =>
        nodes.every(({ arrived }) => arrived.length === 1) ? answerOf(success) : lose(node);
    const answer = await call(method, path, body);
    expect(answer.status).toBe(200);
    const received = nodes.flatMap(({ arrived }) => arrived);
    expect(received.map(({ requestId }) => requestId)).toEqual(
      Array.from({ length: 2 }, () => answer.headers.get('x-request-id')),
    );
    expect(new Set(received.map((each) => each.body.toString()))).toEqual(new Set([body]));
  });

  it('causes no third attempt for a read', async () => {
    const nodes = [await addNode(hold), await addNode(hold), await addNode(hold)];
    for (const node of nodes) node.linkHandler = () => lose(node);
    const answer = await call('GET', 'messages');
    expect([answer.status, answer.json]).toEqual([503, unavailable]);
    expect(nodes.flatMap(({ arrived }) => arrived).length).toBe(2);
  });

  it('causes 503 for a change that must not be done twice', async () => {
    const nodes = [await addNode(hold, 'subscriptions'), await addNode(hold, 'subscriptions')];
    for (const node of nodes) node.linkHandler = () => lose(node);
    const answer = await call('POST', 'users/me/subscriptions', 'subscriptions=[]');
    expect([answer.status, answer.json]).toEqual([503, unavailable]);
    expect(nodes.flatMap(({ arrived }) => arrived).length).toBe(1);
  });

  it('never turns a send of unknown outcome into a 503', async () => {
    const node = await addNode(hold);
    // Its link breaks but the node stays; the 503 of a later attempt says nothing about the earlier one.
    node.linkHandler = async () => {
      if (node.arrived.length % 2 === 0) return answerOf(unavailable, 503);
      for (const socket of node.sockets) socket.destroy();
      return hold();
    };
    await expect(call('POST', 'messages', send)).rejects.toThrow();
    expect(node.arrived.length).toBeGreaterThan(1);
  });

  it('forwards a 503, which means that nothing happened', async () => {
    const node = await addNode(() => Promise.resolve(answerOf(unavailable, 503)));
    expect((await call('POST', 'messages', send)).status).toBe(503);
    expect(node.arrived.length).toBe(1);
  });

  it('is skipped if it cannot be reached, whatever the request', async () => {
    const dead = await addNode(answerAll, 'subscriptions');
    const alive = await addNode(answerAll, 'subscriptions');
    await dead.crash();
    for (let count = 0; count < 4; count += 1)
      expect((await call('POST', 'users/me/subscriptions', 'subscriptions=[]')).status).toBe(200);
    expect(alive.arrived.length).toBe(4);
  });
});

describe('a request that ran out of time', () => {
  beforeEach(() => startAgain('1'));

  it.each([
    ['GET', 'messages?anchor=newest', undefined],
    ['POST', 'messages', 'method=GET&anchor=newest'],
    ['POST', 'messages/render', 'content=x'],
  ])('is not repeated if it only reads: %s %s', async (method, path, body) => {
    const nodes = [await addNode(hold), await addNode(hold)];
    const answer = await call(method, path, body);
    expect([answer.status, answer.json]).toEqual([503, unavailable]);
    const [only, ...others] = nodes.flatMap(({ arrived }) => arrived);
    expect(others).toEqual([]);
    await waitUntil('its node hears of it', () => only?.signal.aborted === true);
  });

  it.each([
    ['a send', 'messages', send],
    ['a change that may be done twice', 'messages/flags', 'op=add'],
  ])('continues at another node if it is %s', async (_what, path, body) => {
    const nodes = [await addNode(hold), await addNode(hold)];
    for (const node of nodes)
      node.linkHandler = () =>
        nodes.every(({ arrived }) => arrived.length === 1)
          ? Promise.resolve(answerOf(success))
          : hold();
    const answer = await call('POST', path, body);
    expect([answer.status, answer.json]).toEqual([200, success]);
  });
});

it('a silent node is given up after the time limit', async () => {
  const node = await addNode(hold, 'subscriptions');
  const answer = await call('POST', 'users/me/subscriptions', 'subscriptions=[]');
  expect([answer.status, answer.json]).toEqual([503, unavailable]);
  await waitUntil('the node hears of it', () => node.arrived[0]?.signal.aborted === true);
});

describe('a node that stops', () => {
  it('gets requests by HTTP if there is no other, and is left when it has answered', async () => {
    const release = Promise.withResolvers<undefined>();
    const node = await gateway.addUpstream(
      'messages',
      (_request, response) => answerJson(response, { ...success, by: 'http' }),
      {
        linkHandler: async () => {
          await release.promise;
          return answerOf({ ...success, by: 'link' });
        },
      },
    );
    const before = call('POST', 'messages', send);
    await waitUntil('the node has it', () => node.arrived.length === 1);
    let isQuiet = false;
    const quiet = node.links.finish().then(() => {
      isQuiet = true;
    });
    await waitUntil('later requests go by HTTP', async () => {
      const later = await Promise.race([call('POST', 'messages/flags', 'op=add'), before]);
      return (later.json as { by?: string }).by === 'http';
    });
    expect(isQuiet).toBe(false);
    release.resolve(undefined);
    expect((await before).json).toEqual({ ...success, by: 'link' });
    await quiet;
  });
});
