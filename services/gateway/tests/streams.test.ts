/** Streams of events: parts from the link of their node are written to clients as they come, and a stream ends where a poll would move. */
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { systemClock } from '@parley/clock';
import type { Clock } from '@parley/clock';
import { FaultProxy, getTestStores, waitUntil } from '@parley/test-kit';
import type { AnswerKind, ReceivedRequest } from '@parley/server/links';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { collect, openStream } from './support/event-stream.ts';
import type { EventStream } from './support/event-stream.ts';
import { GatewayUnderTest, answerOf, authorization, hold } from './support/gateway-under-test.ts';
import type { NodeHandler, TestUser, Upstream } from './support/gateway-under-test.ts';

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

const serve: NodeHandler = (request, reply) => {
  const headers = { 'Content-Type': 'text/event-stream', 'x-parley-node': 'n' };
  served.push({
    request,
    tell: (shared, kind = 'open') => reply({ status: 200, kind, headers, shared, own: '' }),
  });
  served.at(-1)?.tell(begin);
  return undefined;
};

const lifetimeMs = 5_000;

async function start(
  environment: Readonly<Record<string, string>> = {},
  clock?: Clock,
): Promise<void> {
  gateway = await GatewayUnderTest.start(
    {
      PARLEY_EVENT_STREAM_LIFETIME_SECS: String(lifetimeMs / 1_000),
      PARLEY_EVENT_STREAM_UNREAD_MAX_BYTES: '65536',
      ...environment,
    },
    clock,
  );
}

async function addNode(): Promise<void> {
  user = await gateway.addUser();
  served.length = 0;
  node = await gateway.addUpstream('events', serve);
}

beforeAll(() => start());
beforeEach(addNode);
afterEach(() => gateway.removeUpstreams());
afterAll(() => gateway.stop());

type Asking = {
  readonly as?: TestUser;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
};

function open({
  as = user,
  query = `queue_id=${queueId}&last_event_id=4`,
  ...asking
}: Asking = {}): Promise<EventStream> {
  return openStream(gateway, as, { query, ...asking });
}

async function openAndRead(asking: Asking = {}): Promise<EventStream> {
  const stream = await open(asking);
  await stream.until((text) => text === begin);
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
  for (let parts = 0; !request.signal.aborted; parts += 1) {
    if (parts === partsMax) throw new Error('everything was taken');
    tell(filler);
    await nextTurn();
  }
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
    { pauseMs: 5 },
  );
  return () => taken;
}

const event = 'id: 5\ndata: {"type":"message","id":5}\n\n';
const reconnectText = /^retry: \d+\n\n$/;

/** A connection on which requests are written by hand; polls are answered when the test says so. */
function askByHand() {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const poll = Promise.withResolvers<undefined>();
  node.handler = (request, tell) =>
    request.endpoint === 'stream-events'
      ? serve(request, tell, node)
      : poll.promise.then(() => answerOf({ the: 'poll' }));
  const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization(user)['authorization']}\r\n\r\n`;
  const ask = (path: string): boolean => socket.write(`GET /api/v1/${path} ${head}`);
  return { socket, poll, ask, ...collect(socket) };
}

describe('a stream', () => {
  it('delivers each event when it happens, and ends as its node ends it', async () => {
    const bytesBefore = await gateway.metric('parley_gateway_stream_bytes_total');
    const stream = await openAndRead();
    expect(stream.answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-parley-node': 'n',
      'access-control-allow-origin': '*',
      'x-request-id': last().request.requestId,
    });
    last().tell(event);
    await stream.until((text) => text.endsWith(event));
    expect(await gateway.metric('parley_gateway_open_streams')).toBe(1);
    expect(await gateway.metric('parley_gateway_held_polls')).toBe(0);
    last().tell('retry: 7\n\n', 'raw');
    expect(await stream.ended).toBe('complete');
    expect(stream.text()).toBe(`${begin}${event}retry: 7\n\n`);
    await gateway.settle();
    expect(await gateway.metric('parley_gateway_open_streams')).toBe(0);
    expect(await gateway.metric('parley_gateway_stream_bytes_total')).toBe(
      bytesBefore + stream.text().length,
    );
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
    for (const stream of streams) expect(await stream.ended).toBe('complete');
    expect(streams.map(({ text }) => text()).toSorted()).toEqual(expected.toSorted());
    expect(node.sockets.size).toBe(1);
  });

  it('sends its node the resume position and the caller', async () => {
    const stream = await openAndRead({ headers: { 'last-event-id': '9' } });
    const { endpoint, query, caller, headers } = last().request;
    expect([endpoint, Object.fromEntries(query)]).toEqual([
      'stream-events',
      { queue_id: queueId, last_event_id: '4' },
    ]);
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
    node.handler = () => answerOf({ result: 'error', msg: 'No', code: 'BAD_REQUEST' }, 400);
    const stream = await open();
    expect(await stream.ended).toBe('complete');
    expect([stream.answer.statusCode, JSON.parse(stream.text())]).toMatchObject([
      400,
      { msg: 'No' },
    ]);
  });

  it('answers HEAD with its headers, and ends at its node', async () => {
    const stream = await open({ method: 'HEAD' });
    expect(await stream.ended).toBe('complete');
    expect(stream.answer.headers['content-type']).toBe('text/event-stream');
    expect(last().request.wants).toBe('headers');
    await node.until(() => last().request.signal.aborted);
  });

  it('has no chunks for a client that does not know them, such as some proxies', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const { text, until } = collect(socket);
    const address = `/api/v1/events/stream?queue_id=${queueId}&last_event_id=4`;
    socket.write(
      `GET ${address} HTTP/1.0\r\nAuthorization: ${authorization(user)['authorization']}\r\n\r\n`,
    );
    await until((received) => received.endsWith(begin));
    last().tell(event);
    await until((received) => received.endsWith(event));
    last().tell('retry: 7\n\n', 'raw');
    await until((received) => received.endsWith('retry: 7\n\n'));
    expect(text().split('\r\n\r\n')[1]).toBe(`${begin}${event}retry: 7\n\n`);
    socket.destroy();
  });

  it('comes after earlier answers on its connection', async () => {
    const { socket, text, until, poll, ask } = askByHand();
    ask('events?queue_id=1:1&last_event_id=4');
    ask(`events/stream?queue_id=${queueId}&last_event_id=4`);
    await node.until(() => served.length === 1);
    for (const id of [5, 6, 7]) {
      last().tell(`id: ${id}\n\n`);
      await nextTurn();
    }
    poll.resolve(undefined);
    await until((received) => received.includes('id: 7\n\n'));
    last().tell('id: 8\n\n');
    await until((received) => received.includes('id: 8\n\n'));
    const places = ['{"the":"poll"}', begin, ...[5, 6, 7, 8].map((id) => `id: ${id}\n\n`)].map(
      (piece) => text().indexOf(piece),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    socket.destroy();
  });

  it('pauses its node after a step until the client has taken it', async () => {
    const stream = await openAndRead();
    stream.answer.pause();
    const taken = await stepUntilFull();
    const before = taken();
    stream.answer.resume();
    await waitUntil('the node goes on', () => taken() > before);
    stream.close();
  });

  it('is cut off if the client leaves too much unread', async () => {
    const cutOffsBefore = await gateway.metric('parley_gateway_stream_cut_offs_total');
    const other = await openAndRead({ as: await gateway.addUser() });
    const toOther = last();
    const stream = await openAndRead();
    stream.answer.pause();
    await tellUntilCutOff();
    expect(await gateway.metric('parley_gateway_stream_cut_offs_total')).toBe(cutOffsBefore + 1);
    stream.answer.resume();
    expect(await stream.ended).toBe('broken off');
    toOther.tell(event);
    await other.until((text) => text.endsWith(event));
    expect(await gateway.metric('parley_gateway_stream_unread_bytes')).toBe(0);
    other.close();
  });

  it('ends at its node when the client hangs up', async () => {
    const stream = await openAndRead();
    stream.close();
    await node.until(() => last().request.signal.aborted);
    expect(await gateway.metric('parley_gateway_open_streams')).toBe(0);
  });
});

describe('the end of a stream', () => {
  beforeEach(() => {
    // What is spread over a time comes after half of it.
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Expects that a stream ends with a reconnect time after a time, and no sooner. */
  async function expectEndAfter(ms: number, stream: EventStream): Promise<void> {
    await gateway.reachLimit(ms);
    expect(await stream.ended).toBe('complete');
    expect(stream.text().slice(begin.length)).toMatch(reconnectText);
  }

  it("comes with its node's end, with a reconnect time", async () => {
    const stream = await openAndRead();
    await node.crash();
    expect(await stream.ended).toBe('complete');
    expect(stream.text().slice(begin.length)).toMatch(reconnectText);
  });

  it('comes after the longest lifetime', async () => {
    // Streams are looked at every second, from the start of the gateway.
    await gateway.advance(1_000 - (gateway.clock.elapsedMs() % 1_000));
    await expectEndAfter(lifetimeMs, await openAndRead());
    await node.until(() => last().request.signal.aborted);
  });

  it('comes when the lease of its node lapsed', async () => {
    const stream = await openAndRead();
    await gateway.advance(1_000 - (gateway.clock.elapsedMs() % 1_000));
    node.isCurrent = false;
    await expectEndAfter(4_000, stream);
  });

  it('comes when the lease of its node was given up', async () => {
    const stream = await openAndRead();
    await node.lease.end();
    await gateway.settle();
    await expectEndAfter(1_000, stream);
  });

  it('comes if its node gave up its lease before the first part', async () => {
    node.handler = (request, reply) => {
      const headers = { 'Content-Type': 'text/event-stream' };
      const tell = (shared: string): void =>
        reply({ status: 200, kind: 'open', headers, shared, own: '' });
      served.push({ request, tell });
      return undefined;
    };
    const opening = open();
    await node.until(() => served.length === 1);
    await node.lease.end();
    await gateway.settle();
    last().tell(begin);
    await expectEndAfter(1_000, await opening);
  });

  it('closes the connection of a client that does not read it within ten seconds', async () => {
    node.handler = (request, tell) =>
      request.endpoint === 'stream-events' ? serve(request, tell, node) : answerOf({});
    const stream = await openAndRead();
    stream.answer.pause();
    await stepUntilFull();
    last().tell('', 'raw');
    // Its answer comes over the same link, after the end.
    const poll = await fetch(`${gateway.url}/api/v1/events?queue_id=1:1&last_event_id=4`, {
      headers: authorization(user),
    });
    expect(await poll.text()).toBe('{}');
    await gateway.reachLimit(10_000);
    stream.answer.resume();
    expect(await stream.ended).toBe('broken off');
  });

  it('comes with a fresh refusal when the key changed, for that user only', async () => {
    const stream = await openAndRead();
    const other = await open({ as: await gateway.addUser() });
    await gateway.changeAccount(user.userId, { apiKey: 'n'.repeat(32) });
    await gateway.settle();
    await gateway.reachLimit(200, 2);
    expect(await stream.ended).toBe('complete');
    expect(stream.text()).toContain(
      'event: error\ndata: {"result":"error","msg":"Invalid API key"}\n\n',
    );
    expect(other.end()).toBeUndefined();
    other.close();
  });

  describe('of a gateway', () => {
    afterEach(async () => {
      await gateway.stop();
      await start();
    });

    it('comes with that refusal if the key changed while the request was being admitted', async () => {
      await gateway.stop();
      await using redis = await FaultProxy.start(getTestStores().redisUrl);
      const redisUrl = new URL(getTestStores().redisUrl);
      redisUrl.port = String(redis.port);
      await start({ REDIS_URL: redisUrl.href, PARLEY_RATE_LIMITS: '60:1000' });
      await addNode();
      const counting = redis.holdBack('to-server', (bytes) => bytes.includes('eval'));
      const opening = open();
      await counting.caught;
      await gateway.changeAccount(user.userId, { apiKey: 'n'.repeat(32) });
      await gateway.catchUp();
      counting.release();
      const stream = await opening;
      await gateway.settle();
      await gateway.reachLimit(200);
      await stream.ended;
      expect(stream.text()).toContain('Invalid API key');
    });

    it('that stops comes with a reconnect time, spread over a second', async () => {
      const stream = await openAndRead();
      const stopping = gateway.running.stop();
      await gateway.advance(499);
      expect(await gateway.openRequests()).toBe(1);
      await gateway.advance(1);
      expect(await stream.ended).toBe('complete');
      expect(stream.text().slice(begin.length)).toMatch(reconnectText);
      await stopping;
    });

    it('that stops before the first byte comes with a reconnect time', async () => {
      node.handler = hold;
      const opening = open();
      await node.until(() => node.arrived.length === 1);
      const stopping = gateway.running.stop();
      await gateway.advance(500);
      const stream = await opening;
      expect(await stream.ended).toBe('complete');
      expect(stream.answer.headers['content-type']).toBe('text/event-stream');
      expect(stream.text()).toMatch(reconnectText);
      await stopping;
    });
  });
});

/** Node alone sees how much of a long write a client has read, so it measures that time itself. */
describe('by the time of the machine, a stream', () => {
  beforeAll(async () => {
    await gateway.stop();
    await start(
      { PARLEY_EVENT_STREAM_STALL_SECS: '0.3', PARLEY_EVENT_STREAM_UNREAD_MAX_BYTES: '1048576' },
      systemClock,
    );
  });

  const cutOffs = (): Promise<number> => gateway.metric('parley_gateway_stream_cut_offs_total');

  it('is cut off if the client reads nothing for too long', async () => {
    const before = await cutOffs();
    const stream = await openAndRead();
    stream.answer.pause();
    await stepUntilFull();
    await node.until(() => last().request.signal.aborted);
    expect(await cutOffs()).toBe(before + 1);
    expect(await gateway.metric('parley_gateway_open_streams')).toBe(0);
    stream.answer.resume();
    expect(await stream.ended).toBe('broken off');
  });

  it('is cut off if the client reads nothing for too long while events come', async () => {
    const before = await cutOffs();
    const stream = await openAndRead();
    stream.answer.pause();
    await stepUntilFull();
    await waitUntil('the node knows', () => {
      last().tell(event);
      return last().request.signal.aborted;
    });
    expect(await cutOffs()).toBe(before + 1);
    stream.close();
  });

  it('leaves its connection usable for a poll that is held longer than the stall limit', async () => {
    const { socket, text, until, poll, ask } = askByHand();
    ask(`events/stream?queue_id=${queueId}&last_event_id=4`);
    ask('events?queue_id=1:1&last_event_id=4');
    await until((received) => received.endsWith(`${begin}\r\n`));
    last().tell('', 'raw');
    await until((received) => received.endsWith('0\r\n\r\n'));
    // Whoever stalls from now on is cut off first.
    const stalling = await openAndRead();
    stalling.answer.pause();
    await stepUntilFull();
    await node.until(() => last().request.signal.aborted);
    poll.resolve(undefined);
    await until((received) => received.includes('"poll"'));
    expect(text().endsWith('\r\n\r\n{"the":"poll"}')).toBe(true);
    socket.destroy();
    stalling.close();
  });
});
