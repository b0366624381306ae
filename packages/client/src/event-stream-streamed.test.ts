/** Events over one long answer, and what happens where it does not get through. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';

import {
  ScriptedServer,
  cut,
  hold,
  json,
  page,
  queueGone,
  queueGoneBody,
  registered,
  success,
  unavailable,
} from '../tests/scripted-server.ts';
import type { Reply } from '../tests/scripted-server.ts';
import type { EventStream, EventsOptions } from './event-stream.ts';
import { ParleyClient } from './parley-client.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await ScriptedServer.start();
});
afterAll(() => server.stop());
afterEach(() => {
  vi.useRealTimers();
});

function textOf(id: number): string {
  return `id: ${id}\ndata: {"id":${id},"type":"alert_words","alert_words":[]}\n\n`;
}

/** @param ends how the answer ends; without it, it stays open */
function streamed(text: string, ends?: 'end' | 'cut'): Reply {
  return (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(`retry: 1\n\n${text}`, () => {
      if (ends === 'end') response.end();
      if (ends === 'cut') response.destroy();
    });
  };
}

function open(options: EventsOptions = {}): EventStream {
  const client = new ParleyClient({ site: server.site, email: 'a@b.c', apiKey: 'k' });
  return client.events({ event_types: ['alert_words'] }, { transport: 'stream', ...options });
}

async function take(stream: EventStream, count: number): Promise<unknown[]> {
  const taken: unknown[] = [];
  while (taken.length < count) {
    const { value } = await stream.next();
    if (value === undefined) throw new Error('the stream ended');
    taken.push('isFirst' in value ? `${stream.queueId} ${value.isFirst}` : value.id);
  }
  return taken;
}

/** @returns path and `last_event_id` of every read */
function reads(): string[] {
  return server.seen
    .filter(({ method }) => method === 'GET')
    .map(({ url }) => new URL(url ?? '', server.site))
    .map(
      ({ pathname, searchParams }) => `${pathname.slice(8)} ${searchParams.get('last_event_id')}`,
    );
}

test.each([
  ['an end by the server', streamed(textOf(11), 'end')],
  ['a broken connection', streamed(`${textOf(11)}id: 12\ndata: {"id`, 'cut')],
])('events are taken once, also after %s', async (_, first) => {
  server.script(registered('q'), first, streamed(textOf(11) + textOf(12)));
  const stream = open();
  expect(await take(stream, 3)).toEqual(['q true', 11, 12]);
  await server.endNow(stream);
  expect(reads()).toEqual(['events/stream 10', 'events/stream 11']);
});

test.each([
  ['as a refusal', queueGone],
  ['within the stream', streamed(`event: error\ndata: ${JSON.stringify(queueGoneBody)}\n\n`)],
])('a lost queue, said %s, is replaced', async (_, lost) => {
  server.script(registered('q'), lost, registered('r', 50), streamed(textOf(51)));
  const stream = open();
  expect(await take(stream, 3)).toEqual(['q true', 'r false', 51]);
  await server.endNow(stream);
});

test.each([
  ['a lost connection', cut],
  ['an unavailable store', unavailable],
  ['a page', page(200)],
])('streams are tried again after %s', async (_, failure) => {
  server.script(registered('q'), failure, streamed(textOf(11)));
  const stream = open();
  expect(await take(stream, 2)).toEqual(['q true', 11]);
  await server.endNow(stream);
  expect(reads()).toEqual(['events/stream 10', 'events/stream 10']);
});

test('a server without streams is polled', async () => {
  const missing = json(404, { result: 'error', msg: 'Not found' });
  const polled = json(200, { ...success, events: [{ id: 11, type: 'alert_words' }] });
  server.script(registered('q'), missing, polled, hold);
  const stream = open();
  expect(await take(stream, 2)).toEqual(['q true', 11]);
  await server.endNow(stream);
  expect(reads()).toEqual(['events/stream 10', 'events 10']);
});

test.each([
  ['is held back', 10_000, hold],
  ['begins and brings nothing', 80_000, streamed('')],
])('events are polled where a stream %s', async (_, waitMs, held) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const polled = json(200, { ...success, events: [{ id: 11, type: 'alert_words' }] });
  server.script(registered('q'), held, polled, hold);
  const stream = open();
  const taking = take(stream, 2);
  await server.hasSeen(2);
  // The answer's first bytes may come after the request was seen: time passes until the client gives up.
  while (server.seen.length < 3) await vi.advanceTimersByTimeAsync(waitMs / 10);
  expect(await taking).toEqual(['q true', 11]);
  await server.endNow(stream);
  expect(reads()).toEqual(['events/stream 10', 'events 10']);
});

test('where streams fail and a poll gets through, events are polled', async () => {
  const polled = json(200, { ...success, events: [{ id: 11, type: 'alert_words' }] });
  server.script(registered('q'), page(502), cut, polled, hold);
  const stream = open();
  expect(await take(stream, 2)).toEqual(['q true', 11]);
  const next = stream.next();
  await server.hasSeen(5);
  await server.endNow(stream);
  await next;
  expect(reads()).toEqual(['events/stream 10', 'events/stream 10', 'events 10', 'events 11']);
});

test('while nothing gets through, streams are tried again', async () => {
  server.script(registered('q'), cut, cut, cut, streamed(textOf(11)));
  const stream = open();
  expect(await take(stream, 2)).toEqual(['q true', 11]);
  await server.endNow(stream);
  expect(reads()).toEqual([
    'events/stream 10',
    'events/stream 10',
    'events 10',
    'events/stream 10',
  ]);
});

test('a queue is resumed without a registration, and stays when the stream ends', async () => {
  server.script(streamed(textOf(31)));
  const stream = open({ resume: { queueId: 'q', lastEventId: 30 }, keepsQueue: true });
  expect(await take(stream, 1)).toEqual([31]);
  await stream.return();
  expect(server.seen.map(({ method }) => method)).toEqual(['GET']);
});

test('a resumed queue whose events another reader has acknowledged is replaced', async () => {
  const pruned = json(400, { result: 'error', msg: 'Already pruned!', code: 'BAD_REQUEST' });
  server.script(pruned, registered('r', 50), streamed(textOf(51)));
  const stream = open({ resume: { queueId: 'q', lastEventId: 30 } });
  expect(await take(stream, 2)).toEqual(['r false', 51]);
  await server.endNow(stream);
});

test('waking reads anew, without a pause', async () => {
  server.script(registered('q'), streamed(textOf(11)), streamed(textOf(12)));
  const stream = open();
  await take(stream, 2);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const taking = take(stream, 1);
  stream.wake();
  expect(await taking).toEqual([12]);
  vi.useRealTimers();
  await server.endNow(stream);
});

test('a failure after waking is followed by a pause again', async () => {
  const events = [{ id: 12, type: 'alert_words', alert_words: [] }];
  const polled = json(200, { ...success, queue_id: 'q', events });
  server.script(registered('q'), streamed(textOf(11)), cut, polled);
  const stream = open();
  await take(stream, 2);
  const setTimeoutSpy = vi.spyOn(globalThis, 'setTimeout');
  const taking = take(stream, 1);
  stream.wake();
  expect(await taking).toEqual([12]);
  const pausesMs = setTimeoutSpy.mock.calls.map(([, forMs = 0]) => forMs);
  setTimeoutSpy.mockRestore();
  await server.endNow(stream);
  expect(pausesMs.filter((ms) => ms >= 250 && ms <= 1_000)).toHaveLength(1);
});
