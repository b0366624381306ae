/** Streams of events: passed on as they come, without being held, and ended where a poll would move. */
import { request as sendRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { FaultProxy, getTestStores, waitUntil } from '@parley/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { GatewayUnderTest, answerJson, authorization } from './support/gateway-under-test.ts';
import type { TestUser, Upstream } from './support/gateway-under-test.ts';

let gateway: GatewayUnderTest;
let user: TestUser;
let node: Upstream;
const answers: ServerResponse[] = [];

async function start(environment: Readonly<Record<string, string>> = {}): Promise<void> {
  gateway = await GatewayUnderTest.start(environment);
  user = await gateway.addUser();
  answers.length = 0;
  node = await gateway.addUpstream('events', (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('retry: 1000\n\n');
    answers.push(response);
  });
}

beforeEach(() => start());
afterEach(() => gateway.stop());

type Stream = {
  readonly answer: IncomingMessage;
  readonly text: () => string;
  readonly end: () => 'complete' | 'broken off' | undefined;
  readonly close: () => void;
};

function open(as: TestUser = user, queue = 'queue_id=17:5'): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const sent = sendRequest(
      `${gateway.url}/api/v1/events/stream?${queue}&last_event_id=4`,
      { headers: authorization(as), agent: false },
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

async function openAndRead(): Promise<Stream> {
  const stream = await open();
  await waitUntil('the first line came', () => stream.text() === 'retry: 1000\n\n');
  return stream;
}

function lastAnswer(): ServerResponse {
  const answer = answers.at(-1);
  if (answer === undefined) throw new Error('the node was not asked');
  return answer;
}

/** Writes until nothing has been taken any more for a while, or the answer is cut off. */
async function writeUntilFull(answer: ServerResponse): Promise<void> {
  const filler = `data: ${'x'.repeat(65_536)}\n\n`;
  // Far more than the buffers of both connections take.
  const writesMax = 2_000;
  let written = 0;
  let waited = 0;
  await waitUntil(
    'the node cannot write more',
    () => {
      waited = answer.writableLength > 0 ? waited + 1 : 0;
      if (waited > 0) return waited === 20 || answer.destroyed;
      if (written === writesMax) throw new Error('everything was taken');
      answer.write(filler);
      written += 1;
      return answer.destroyed;
    },
    { deadlineMs: 40_000, pauseMs: 5 },
  );
}

const event = 'id: 5\ndata: {"type":"message","id":5}\n\n';
const comeBack = /^retry: \d+\n\n$/;

describe('a stream', () => {
  it('brings each event when it comes, and ends as its node ends it', async () => {
    const stream = await openAndRead();
    lastAnswer().write(event);
    await waitUntil('the event came', () => stream.text().endsWith(event));
    expect(await gateway.metric('parley_gateway_open_streams')).toBe(1);
    expect(await gateway.metric('parley_gateway_held_polls')).toBe(0);
    lastAnswer().end('retry: 7\n\n');
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect(stream.text()).toBe(`retry: 1000\n\n${event}retry: 7\n\n`);
    expect(await gateway.metric('parley_gateway_open_streams')).toBe(0);
    expect(await gateway.metric('parley_gateway_stream_bytes_total')).toBe(stream.text().length);
  });

  it('is one however the name of its queue is written', async () => {
    const stream = await open(user, 'queue%5Fid=17:5');
    expect(await gateway.metric('parley_gateway_open_streams')).toBe(1);
    stream.close();
  });

  it('is refused with the JSON of its node', async () => {
    node.handler = (_request, response) =>
      answerJson(response, { result: 'error', msg: 'No', code: 'BAD_REQUEST' }, 400);
    const stream = await open();
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect([stream.answer.statusCode, JSON.parse(stream.text())]).toMatchObject([
      400,
      { msg: 'No' },
    ]);
  });

  it('stops its node where the client takes nothing', { timeout: 60_000 }, async () => {
    const stream = await openAndRead();
    stream.answer.pause();
    const answer = lastAnswer();
    await writeUntilFull(answer);
    const before = await gateway.metric('parley_gateway_stream_bytes_total');
    await gateway.waitForNextRead();
    expect(await gateway.metric('parley_gateway_stream_bytes_total')).toBe(before);
    stream.answer.resume();
    answer.end(event);
    await waitUntil('the rest came', () => stream.text().endsWith(event), { deadlineMs: 30_000 });
  });

  it('is cut off where the client takes nothing for too long', { timeout: 60_000 }, async () => {
    await gateway.stop();
    await start({ PARLEY_EVENT_STREAM_STALL_SECS: '0.3' });
    const stream = await openAndRead();
    stream.answer.pause();
    const answer = lastAnswer();
    await writeUntilFull(answer);
    await waitUntil('the node knows', () => answer.destroyed, { deadlineMs: 10_000 });
    expect(await gateway.metric('parley_gateway_stream_cut_offs_total')).toBe(1);
    expect(await gateway.metric('parley_gateway_open_streams')).toBe(0);
    stream.answer.resume();
    expect(await waitUntil('it is over', stream.end)).toBe('broken off');
  });

  it('leaves its node when the client hangs up', async () => {
    const stream = await openAndRead();
    stream.close();
    await waitUntil('the node knows', () => lastAnswer().destroyed);
    await waitUntil(
      'no stream is counted',
      async () => (await gateway.metric('parley_gateway_open_streams')) === 0,
    );
  });
});

describe('the end of a stream', () => {
  it('comes with its node, between two events with a hint', async () => {
    const stream = await openAndRead();
    await node.crash();
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect(stream.text().slice('retry: 1000\n\n'.length)).toMatch(comeBack);
  });

  it('comes with its node, within an event without a word', async () => {
    const stream = await openAndRead();
    lastAnswer().write('id: 5\ndata: {"ty');
    await waitUntil('half an event came', () => stream.text().endsWith('"ty'));
    await node.crash();
    expect(await waitUntil('it is over', stream.end)).toBe('broken off');
    expect(stream.text()).toBe('retry: 1000\n\nid: 5\ndata: {"ty');
  });

  it.each([
    ['lapsed', 'UPDATE service_leases SET lapses_at = now() WHERE node_id = $1'],
    ['was given up', 'DELETE FROM service_leases WHERE node_id = $1'],
  ])('comes when the lease of its node %s', async (_case, sql) => {
    await node.lease.end();
    await gateway.pool.query(
      `INSERT INTO service_leases VALUES ($1, 'events', $2, now(), now() + interval '1 hour')`,
      [node.nodeId, `127.0.0.1:${node.port}`],
    );
    await gateway.waitForNextRead();
    const stream = await openAndRead();
    await gateway.pool.query(sql, [node.nodeId]);
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect(stream.text().slice('retry: 1000\n\n'.length)).toMatch(comeBack);
  });

  it('waits for the end of an event that is on its way', async () => {
    const stream = await openAndRead();
    lastAnswer().write('id: 5\ndata: {"ty');
    await waitUntil('half an event came', () => stream.text().endsWith('"ty'));
    await gateway.changeAccount(user.userId, { apiKey: 'n'.repeat(32) });
    await gateway.waitForNextRead();
    lastAnswer().write('pe":"message","id":5}\n\n');
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect(stream.text()).toBe(
      `retry: 1000\n\n${event}event: error\ndata: {"result":"error","msg":"Invalid API key"}\n\n`,
    );
  });

  it('does not wait long for it', async () => {
    const stream = await openAndRead();
    lastAnswer().write('id: 5\ndata: {"ty');
    await waitUntil('half an event came', () => stream.text().endsWith('"ty'));
    await gateway.changeAccount(user.userId, { isActive: false });
    expect(await waitUntil('it is over', stream.end)).toBe('broken off');
    expect(stream.text()).not.toContain('error');
  });

  it('comes with the refusal of a fresh check when the key changed, for that user alone', async () => {
    const stream = await openAndRead();
    const other = await open(await gateway.addUser());
    await gateway.changeAccount(user.userId, { apiKey: 'n'.repeat(32) });
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect(stream.text()).toContain(
      'event: error\ndata: {"result":"error","msg":"Invalid API key"}\n\n',
    );
    expect(other.end()).toBeUndefined();
    other.close();
  });

  it('comes with that refusal where the key changed while the request was being admitted', async () => {
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

  it('comes with a hint when the gateway stops', async () => {
    const stream = await openAndRead();
    const stopping = gateway.running.stop();
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect(stream.text().slice('retry: 1000\n\n'.length)).toMatch(comeBack);
    await stopping;
  });

  it('comes before its first byte with a hint when the gateway stops', async () => {
    let isAsked = false;
    node.handler = () => {
      isAsked = true;
    };
    const opening = open();
    await waitUntil('the node is asked', () => isAsked);
    const stopping = gateway.running.stop();
    const stream = await opening;
    expect(await waitUntil('it is over', stream.end)).toBe('complete');
    expect(stream.answer.headers['content-type']).toBe('text/event-stream');
    expect(stream.text()).toMatch(comeBack);
    await stopping;
  });
});
