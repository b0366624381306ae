/** Streams of events: parts from the link of their node are written to clients as they come, and a stream ends where a poll would move. */
import { request as sendRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';

import { holdersOfQueue } from '@parley/placement';
import { FaultProxy, getTestStores, waitUntil } from '@parley/test-kit';
import type { AnswerKind, ReceivedRequest } from '@parley/links';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { GatewayUnderTest, authorization } from './support/gateway-under-test.ts';
import type { LinkHandler, TestUser, Upstream } from './support/gateway-under-test.ts';

let gateway: GatewayUnderTest;
let user: TestUser;
let node: Upstream;

/** A stream as its node sees it. */
type Served = {
  readonly request: ReceivedRequest;
  readonly tell: (text: string, kind?: AnswerKind) => void;
};

const served: Served[] = [];
const queueId = '17:5';
const begin = 'retry: 1000\n\n';

const serve: LinkHandler = (request, reply) => {
  const headers = { 'Content-Type': 'text/event-stream', 'x-parley-node': 'n' };
  served.push({
    request,
    tell: (shared, kind = 'open') => reply({ status: 200, kind, headers, shared, own: '' }),
  });
  served.at(-1)?.tell(begin);
  return new Promise(() => undefined);
};

function notByItself(): never {
  throw new Error('streams come over links');
}

async function start(environment: Readonly<Record<string, string>> = {}): Promise<void> {
  gateway = await GatewayUnderTest.start(environment);
  user = await gateway.addUser();
  served.length = 0;
  node = await gateway.addUpstream('events', notByItself, { linkHandler: serve });
}

beforeEach(() => start());
afterEach(() => gateway.stop());

type Stream = {
  readonly answer: IncomingMessage;
  readonly text: () => string;
  readonly end: () => 'complete' | 'broken off' | undefined;
  readonly close: () => void;
};

type Asking = {
  readonly as?: TestUser;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
};

function open({
  as = user,
  query = `queue_id=${queueId}&last_event_id=4`,
  headers = {},
  method = 'GET',
}: Asking = {}): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const sent = sendRequest(
      `${gateway.url}/api/v1/events/stream?${query}`,
      { headers: { ...authorization(as), ...headers }, agent: false, method },
      (answer) => {
        let text = '';
        let end: 'complete' | 'broken off' | undefined;
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('error', () => undefined);
        answer.on('close', () => {
          end = answer.complete ? 'complete' : 'broken off';
        });
        resolve({ answer, text: () => text, end: () => end, close: () => sent.destroy() });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

async function openAndRead(asking: Asking = {}): Promise<Stream> {
  const stream = await open(asking);
  await waitUntil('the first line came', () => stream.text() === begin);
  return stream;
}

function last(): Served {
  const stream = served.at(-1);
  if (stream === undefined) throw new Error('the node was not asked');
  return stream;
}

const filler = `data: ${'x'.repeat(65_536)}\n\n`;

/** Continues until the stream is cut off. */
async function tellUntilCutOff(): Promise<void> {
  const { request, tell } = last();
  // Far more than the buffers of a connection hold.
  const partsMax = 2_000;
  let parts = 0;
  await waitUntil(
    'the client is cut off',
    () => {
      if (parts === partsMax) throw new Error('everything was taken');
      tell(filler);
      parts += 1;
      return request.signal.aborted;
    },
    { deadlineMs: 40_000, pauseMs: 1 },
  );
}

/** Sends step after step, each after the previous one was taken, until one is not. @returns how many were taken */
async function stepUntilFull(): Promise<() => number> {
  const { request, tell } = last();
  let taken = 0;
  const step = (): void => {
    request.signal.whenTaken(() => {
      taken += 1;
      step();
    });
    tell(filler, 'step');
  };
  step();
  let seen = -1;
  let looks = 0;
  await waitUntil(
    'a step is not taken',
    () => {
      looks = taken === seen ? looks + 1 : 0;
      seen = taken;
      return looks === 20;
    },
    { deadlineMs: 40_000 },
  );
  return () => taken;
}

const event = 'id: 5\ndata: {"type":"message","id":5}\n\n';
const reconnectText = /^retry: \d+\n\n$/;

describe('a stream', () => {
  it('delivers each event when it happens, and ends as its node ends it', async () => {
    const stream = await openAndRead();
    expect(stream.answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-parley-node': 'n',
      'access-control-allow-origin': '*',
      'x-request-id': last().request.requestId,
    });
    last().tell(event);
    await waitUntil('the event came', () => stream.text().endsWith(event));
    expect(await gateway.metric('parley_gateway_open_streams')).toBe(1);
    expect(await gateway.metric('parley_gateway_held_polls')).toBe(0);
    last().tell('retry: 7\n\n', 'raw');
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect(stream.text()).toBe(`${begin}${event}retry: 7\n\n`);
    expect(await gateway.metric('parley_gateway_open_streams')).toBe(0);
    expect(await gateway.metric('parley_gateway_stream_bytes_total')).toBe(stream.text().length);
  });

  it('gets its own parts in order, and shares parts with others, whenever they began', async () => {
    const streams = await Promise.all(Array.from({ length: 30 }, () => openAndRead()));
    const expected = streams.map(() => begin);
    for (let part = 0; part < 20; part += 1) {
      for (const [index, { tell }] of served.entries()) {
        if ((index + part) % 3 === 0) continue;
        tell(`id: ${part}\n\n`);
        expected[index] += `id: ${part}\n\n`;
      }
    }
    for (const { tell } of served) tell('', 'raw');
    for (const stream of streams) expect(await waitUntil('it ends', stream.end)).toBe('complete');
    expect(streams.map(({ text }) => text()).toSorted()).toEqual(expected.toSorted());
    expect(node.sockets.size).toBe(1);
  });

  it('sends its node the resume position and the caller', async () => {
    const stream = await openAndRead({ headers: { 'last-event-id': '9' } });
    const { address, caller, headers } = last().request;
    expect(address).toBe(`/api/v1/events/stream?queue_id=${queueId}&last_event_id=4`);
    expect(headers).toEqual({ 'last-event-id': '9' });
    expect(caller).toMatchObject({ userId: user.userId });
    stream.close();
  });

  it('is recognized in any spelling of the queue parameter', async () => {
    const stream = await open({ query: `queue%5Fid=${queueId}&last_event_id=4` });
    expect(await gateway.metric('parley_gateway_open_streams')).toBe(1);
    stream.close();
  });

  it("is refused with its node's JSON", async () => {
    node.linkHandler = () =>
      Promise.resolve({
        status: 400,
        kind: 'json',
        headers: {},
        shared: '',
        own: '{"result":"error","msg":"No","code":"BAD_REQUEST"}',
      });
    const stream = await open();
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect([stream.answer.statusCode, JSON.parse(stream.text())]).toMatchObject([
      400,
      { msg: 'No' },
    ]);
  });

  it('answers HEAD with its headers, and ends at its node', async () => {
    const stream = await open({ method: 'HEAD' });
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect(stream.answer.headers['content-type']).toBe('text/event-stream');
    expect(last().request.method).toBe('HEAD');
    await waitUntil('the node knows', () => last().request.signal.aborted);
  });

  it('has no chunks for a client that does not know them, such as some proxies', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect({ host: hostname, port: Number(port) });
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString();
    });
    const address = `/api/v1/events/stream?queue_id=${queueId}&last_event_id=4`;
    socket.write(
      `GET ${address} HTTP/1.0\r\nAuthorization: ${authorization(user)['authorization']}\r\n\r\n`,
    );
    await waitUntil('it begins', () => text.endsWith(begin));
    last().tell(event);
    await waitUntil('the event came', () => text.endsWith(`${begin}${event}`));
    last().tell('retry: 7\n\n', 'raw');
    await waitUntil('the end came', () => text.endsWith(`\r\n\r\n${begin}${event}retry: 7\n\n`));
    socket.destroy();
  });

  it('comes after earlier answers on its connection', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect({ host: hostname, port: Number(port) });
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString();
    });
    const poll = Promise.withResolvers<undefined>();
    node.linkHandler = async (request, tell) => {
      if (request.address.includes('/stream')) return serve(request, tell);
      await poll.promise;
      return { status: 200, kind: 'json', headers: {}, shared: '', own: '{"the":"poll"}' };
    };
    const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization(user)['authorization']}\r\n\r\n`;
    socket.write(`GET /api/v1/events?queue_id=1:1&last_event_id=4 ${head}`);
    socket.write(`GET /api/v1/events/stream?queue_id=${queueId}&last_event_id=4 ${head}`);
    await waitUntil('the node has the stream', () => served.length === 1);
    for (const id of [5, 6, 7]) {
      last().tell(`id: ${id}\n\n`);
      await waitUntil(
        'a look has passed',
        () => new Promise((resolve) => setImmediate(() => resolve(true))),
      );
    }
    poll.resolve(undefined);
    await waitUntil('the stream came', () => text.includes('id: 7\n\n'));
    last().tell('id: 8\n\n');
    await waitUntil('it goes on', () => text.includes('id: 8\n\n'));
    const places = ['{"the":"poll"}', begin, ...[5, 6, 7, 8].map((id) => `id: ${id}\n\n`)].map(
      (piece) => text.indexOf(piece),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    socket.destroy();
  });

  it(
    'pauses its node after a step until the client has taken it',
    { timeout: 60_000 },
    async () => {
      const stream = await openAndRead();
      stream.answer.pause();
      const taken = await stepUntilFull();
      const before = taken();
      stream.answer.resume();
      await waitUntil('the node goes on', () => taken() > before, { deadlineMs: 30_000 });
      stream.close();
    },
  );

  it('is cut off if the client leaves too much unread', { timeout: 60_000 }, async () => {
    await gateway.stop();
    await start({ PARLEY_EVENT_STREAM_UNREAD_MAX_BYTES: '65536' });
    const other = await openAndRead({ as: await gateway.addUser() });
    const toOther = last();
    const stream = await openAndRead();
    stream.answer.pause();
    await tellUntilCutOff();
    expect(await gateway.metric('parley_gateway_stream_cut_offs_total')).toBe(1);
    stream.answer.resume();
    expect(await waitUntil('it is over', stream.end)).toBe('broken off');
    toOther.tell(event);
    await waitUntil('another goes on', () => other.text().endsWith(event));
    expect(await gateway.metric('parley_gateway_stream_unread_bytes')).toBe(0);
    other.close();
  });

  it('is cut off if the client reads nothing for too long', { timeout: 60_000 }, async () => {
    await gateway.stop();
    await start({ PARLEY_EVENT_STREAM_STALL_SECS: '0.3' });
    const stream = await openAndRead();
    stream.answer.pause();
    await stepUntilFull();
    await waitUntil('the node knows', () => last().request.signal.aborted, { deadlineMs: 10_000 });
    expect(await gateway.metric('parley_gateway_stream_cut_offs_total')).toBe(1);
    expect(await gateway.metric('parley_gateway_open_streams')).toBe(0);
    stream.answer.resume();
    expect(await waitUntil('it is over', stream.end)).toBe('broken off');
  });

  it(
    'is cut off if the client reads nothing for too long while events come',
    { timeout: 60_000 },
    async () => {
      await gateway.stop();
      await start({ PARLEY_EVENT_STREAM_STALL_SECS: '0.3' });
      const stream = await openAndRead();
      stream.answer.pause();
      await stepUntilFull();
      await waitUntil(
        'the node knows',
        () => {
          last().tell(event);
          return last().request.signal.aborted;
        },
        { deadlineMs: 10_000 },
      );
      expect(await gateway.metric('parley_gateway_stream_cut_offs_total')).toBe(1);
      stream.close();
    },
  );

  it('delivers a long event to a slow client that does read', { timeout: 60_000 }, async () => {
    await gateway.stop();
    // Less than the client needs for all of it, and more than this process is ever kept from reading.
    await start({ PARLEY_EVENT_STREAM_STALL_SECS: '3' });
    const stream = await openAndRead();
    stream.answer.on('data', () => {
      stream.answer.pause();
      setTimeout(() => stream.answer.resume(), 20);
    });
    const long = `data: ${'x'.repeat(24 * 1_048_576)}\n\n`;
    last().tell(long, 'step');
    await waitUntil(
      'all of it came, or the end',
      () => stream.text().length >= begin.length + long.length || stream.end(),
      { deadlineMs: 40_000 },
    );
    expect(stream.end()).toBeUndefined();
    expect(stream.text() === begin + long).toBe(true);
    stream.close();
  });

  it('leaves its connection usable for a poll that is held longer than the stall limit', async () => {
    await gateway.stop();
    await start({ PARLEY_EVENT_STREAM_STALL_SECS: '0.3' });
    const { hostname, port } = new URL(gateway.url);
    const socket = connect({ host: hostname, port: Number(port) });
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString();
    });
    const poll = Promise.withResolvers<undefined>();
    node.linkHandler = async (request, tell) => {
      if (request.address.includes('/stream')) return serve(request, tell);
      await poll.promise;
      return { status: 200, kind: 'json', headers: {}, shared: '', own: '{"the":"poll"}' };
    };
    const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization(user)['authorization']}\r\n\r\n`;
    socket.write(`GET /api/v1/events/stream?queue_id=${queueId}&last_event_id=4 ${head}`);
    socket.write(`GET /api/v1/events?queue_id=1:1&last_event_id=4 ${head}`);
    await waitUntil('the stream began', () => text.endsWith(`${begin}\r\n`));
    last().tell('', 'raw');
    await waitUntil('the stream ended', () => text.endsWith('0\r\n\r\n'));
    // Whoever stalls from now on is cut off first.
    const stalling = await openAndRead();
    stalling.answer.pause();
    await stepUntilFull();
    await waitUntil('another is cut off', () => last().request.signal.aborted);
    poll.resolve(undefined);
    await waitUntil('the poll is answered', () => text.endsWith('{"the":"poll"}'));
    socket.destroy();
    stalling.close();
  });

  it('ends at its node when the client hangs up', async () => {
    const stream = await openAndRead();
    stream.close();
    await waitUntil('the node knows', () => last().request.signal.aborted);
    await waitUntil(
      'no stream is counted',
      async () => (await gateway.metric('parley_gateway_open_streams')) === 0,
    );
  });

  it('goes to a node that supports streams over links', async () => {
    const other = await gateway.addUpstream('events', notByItself);
    const queueOfOther = Array.from({ length: 100 }, (_, n) => `17:${n}`).find(
      (id) => holdersOfQueue(id, [node, other])[0] === other,
    );
    const stream = await openAndRead({ query: `queue_id=${queueOfOther}&last_event_id=4` });
    expect(other.seen).toEqual([]);
    stream.close();
  });
});

/** Gives a node a lease that nobody renews or gives up. */
async function holdLeaseFor({ lease, nodeId, port }: Upstream): Promise<void> {
  await lease.end();
  await gateway.pool.query(
    `INSERT INTO service_leases VALUES ($1, 'events', $2, now(), now() + interval '1 hour')`,
    [nodeId, `127.0.0.1:${port}`],
  );
  await gateway.waitForNextRead();
}

describe('the end of a stream', () => {
  it("comes with its node's end, with a reconnect time", async () => {
    const stream = await openAndRead();
    await node.crash();
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect(stream.text().slice(begin.length)).toMatch(reconnectText);
  });

  it('comes after the longest lifetime', async () => {
    await gateway.stop();
    await start({ PARLEY_EVENT_STREAM_LIFETIME_SECS: '0.2' });
    const stream = await openAndRead();
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect(stream.text().slice(begin.length)).toMatch(reconnectText);
    await waitUntil('the node knows', () => last().request.signal.aborted);
  });

  it.each([
    ['lapsed', 'UPDATE service_leases SET lapses_at = now() WHERE node_id = $1'],
    ['was given up', 'DELETE FROM service_leases WHERE node_id = $1'],
  ])('comes when the lease of its node %s', async (_case, sql) => {
    await holdLeaseFor(node);
    const stream = await openAndRead();
    await gateway.pool.query(sql, [node.nodeId]);
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect(stream.text().slice(begin.length)).toMatch(reconnectText);
  });

  it('comes if its node gave up its lease before the first part', async () => {
    // What is given up moves after half of the longest time.
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
    onTestFinished(() => random.mockRestore());
    await holdLeaseFor(node);
    node.linkHandler = (request, reply) => {
      const headers = { 'Content-Type': 'text/event-stream' };
      const tell = (shared: string): void =>
        reply({ status: 200, kind: 'open', headers, shared, own: '' });
      served.push({ request, tell });
      return new Promise(() => undefined);
    };
    const opening = open();
    await waitUntil('the node is asked', () => served.length === 1);
    await gateway.pool.query('DELETE FROM service_leases WHERE node_id = $1', [node.nodeId]);
    await gateway.waitForNextRead();
    last().tell(begin);
    const stream = await opening;
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect(stream.text().slice(begin.length)).toMatch(reconnectText);
  });

  it('comes with a fresh refusal when the key changed, for that user only', async () => {
    const stream = await openAndRead();
    const other = await open({ as: await gateway.addUser() });
    await gateway.changeAccount(user.userId, { apiKey: 'n'.repeat(32) });
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect(stream.text()).toContain(
      'event: error\ndata: {"result":"error","msg":"Invalid API key"}\n\n',
    );
    expect(other.end()).toBeUndefined();
    other.close();
  });

  it('comes with that refusal if the key changed while the request was being admitted', async () => {
    await gateway.stop();
    await using redis = await FaultProxy.start(getTestStores().redisUrl);
    const redisUrl = new URL(getTestStores().redisUrl);
    redisUrl.port = String(redis.port);
    await start({ REDIS_URL: redisUrl.href, PARLEY_RATE_LIMITS: '60:1000' });
    const counting = redis.holdBack('to-server', (bytes) => bytes.includes('eval'));
    const opening = open();
    await counting.caught;
    await gateway.changeAccount(user.userId, { apiKey: 'n'.repeat(32) });
    await gateway.waitForNextRead();
    counting.release();
    const stream = await opening;
    await waitUntil('it is over', stream.end);
    expect(stream.text()).toContain('Invalid API key');
  });

  it('comes with a reconnect time when the gateway stops', async () => {
    const stream = await openAndRead();
    const stopping = gateway.running.stop();
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect(stream.text().slice(begin.length)).toMatch(reconnectText);
    await stopping;
  });

  it('comes before the first byte, with a reconnect time, when the gateway stops', async () => {
    let isAsked = false;
    node.linkHandler = () => {
      isAsked = true;
      return new Promise(() => undefined);
    };
    const opening = open();
    await waitUntil('the node is asked', () => isAsked);
    const stopping = gateway.running.stop();
    const stream = await opening;
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect(stream.answer.headers['content-type']).toBe('text/event-stream');
    expect(stream.text()).toMatch(reconnectText);
    await stopping;
  });
});
