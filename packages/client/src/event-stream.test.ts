/** How an event stream handles answers that a real system gives only in trouble, by polls and over one long answer. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

import {
  ScriptedServer,
  cut,
  hold,
  json,
  limited,
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

function polled(...ids: number[]): Reply {
  const events = ids.map((id) => ({ id, type: 'alert_words', alert_words: [] }));
  return json(200, { ...success, queue_id: 'q', events });
}

const heartbeat = json(200, { ...success, queue_id: 'q', events: [{ id: 13, type: 'heartbeat' }] });

function open(options: EventsOptions = {}): EventStream {
  const client = new ParleyClient({ site: server.site, email: 'a@b.c', apiKey: 'k' });
  return client.events({ event_types: ['alert_words'] }, options);
}

/** @returns the ids of events, and the state of registrations, in order */
async function take(stream: EventStream, count: number): Promise<unknown[]> {
  const taken: unknown[] = [];
  while (taken.length < count) {
    const { value } = await stream.next();
    if (value === undefined) throw new Error('the stream ended');
    if ('isFirst' in value) taken.push(`${stream.queueId}${value.isFirst ? ', the first' : ''}`);
    else taken.push(value.id);
  }
  return taken;
}

/** @returns the `last_event_id` of every poll */
function askedFrom(): (string | null)[] {
  return server.seen
    .filter(({ method }) => method === 'GET')
    .map(({ url }) => new URL(url ?? '', server.site).searchParams.get('last_event_id'));
}

describe('events', () => {
  test('that are repeated or late are not returned again, and heartbeats are not returned', async () => {
    server.script(
      registered('q'),
      polled(11, 12),
      heartbeat,
      polled(11, 12, 14),
      polled(12, 15),
      hold,
    );
    const stream = open();
    expect(await take(stream, 5)).toEqual(['q, the first', 11, 12, 14, 15]);
    await server.endNow(stream);
    expect(askedFrom()).toEqual(['10', '12', '13', '14']);
  });

  test('are acknowledged when all events of an answer were taken', async () => {
    server.script(registered('q'), polled(11, 12), hold);
    const stream = open();
    await take(stream, 2);
    expect(askedFrom()).toEqual(['10']);
    await take(stream, 1);
    const waiting = stream.next();
    await server.hasSeen(3);
    expect(askedFrom()).toEqual(['10', '12']);
    await server.endNow(stream);
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test.each([
    ['a lost connection', cut],
    ['a page about an unavailable gateway', page(502)],
    ['a page about a slow gateway', page(504)],
    ['a refusal because of another poll', json(409, { result: 'error', msg: 'Conflict' })],
    ['a page instead of an answer', page(409)],
    ['too many requests', limited],
    ['an unavailable store', unavailable],
    ['a failure of the server', json(500, { result: 'error', msg: 'Internal server error' })],
    ['an answer of another form', json(200, { hello: 'world' })],
  ])('continue after %s, in register and in a poll', async (_, failure) => {
    server.script(failure, registered('q'), failure, polled(11), hold);
    const failures: unknown[] = [];
    const stream = open({ onFailure: (one) => failures.push(one) });
    expect(await take(stream, 2)).toEqual(['q, the first', 11]);
    expect(failures).toHaveLength(2);
    await server.endNow(stream);
    expect(askedFrom()).toEqual(['10', '10']);
  });

  test('continue with a new queue, from its beginning, when the old one is gone', async () => {
    server.script(registered('q'), polled(11), queueGone, registered('r', 50), polled(51), hold);
    const stream = open();
    expect(await take(stream, 4)).toEqual(['q, the first', 11, 'r', 51]);
    await server.endNow(stream);
    expect(askedFrom()).toEqual(['10', '11', '50']);
  });
});

describe('the end', () => {
  test('is the error of a permanent refusal', async () => {
    server.script(registered('q'), json(403, { result: 'error', msg: 'No' }), json(200, success));
    const stream = open();
    await take(stream, 1);
    await expect(stream.next()).rejects.toMatchObject({ status: 403 });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'GET', 'DELETE']);
  });

  test('by return before any request sends none', async () => {
    server.script(registered('q'));
    const stream = open();
    await stream.return();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(server.seen).toEqual([]);
  });

  test('by return ends a pause after a failure', async () => {
    const asked = json(429, { result: 'error', msg: 'x', 'retry-after': 250 });
    server.script(registered('q'), asked, json(200, success));
    const stream = open();
    await take(stream, 1);
    const waiting = stream.next();
    await server.hasSeen(2);
    await stream.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test('succeeds even if the queue cannot be deleted', async () => {
    server.script(registered('q'), cut);
    const stream = open();
    await take(stream, 1);
    expect(await stream.return()).toEqual({ done: true, value: undefined });
  });

  test('by dispose is the same as by return', async () => {
    server.script(registered('q'), json(200, success));
    {
      await using stream = open();
      await take(stream, 1);
    }
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
  });
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

const openStream = (options: EventsOptions = {}): EventStream =>
  open({ transport: 'stream', ...options });

/** @returns path and `last_event_id` of every read */
function reads(): string[] {
  return server.seen
    .filter(({ method }) => method === 'GET')
    .map(({ url }) => new URL(url ?? '', server.site))
    .map(
      ({ pathname, searchParams }) => `${pathname.slice(8)} ${searchParams.get('last_event_id')}`,
    );
}

describe('over one long answer', () => {
  test.each([
    ['an end by the server', streamed(textOf(11), 'end')],
    ['a broken connection', streamed(`${textOf(11)}id: 12\ndata: {"id`, 'cut')],
  ])('events are taken once, also after %s', async (_, first) => {
    server.script(registered('q'), first, streamed(textOf(11) + textOf(12)));
    const stream = openStream();
    expect(await take(stream, 3)).toEqual(['q, the first', 11, 12]);
    await server.endNow(stream);
    expect(reads()).toEqual(['events/stream 10', 'events/stream 11']);
  });

  test.each([
    ['as a refusal', queueGone],
    ['within the stream', streamed(`event: error\ndata: ${JSON.stringify(queueGoneBody)}\n\n`)],
  ])('a lost queue, said %s, is replaced', async (_, lost) => {
    server.script(registered('q'), lost, registered('r', 50), streamed(textOf(51)));
    const stream = openStream();
    expect(await take(stream, 3)).toEqual(['q, the first', 'r', 51]);
    await server.endNow(stream);
  });

  test.each([
    ['a lost connection', cut],
    ['an unavailable store', unavailable],
    ['a page', page(200)],
  ])('streams are tried again after %s', async (_, failure) => {
    server.script(registered('q'), failure, streamed(textOf(11)));
    const stream = openStream();
    expect(await take(stream, 2)).toEqual(['q, the first', 11]);
    await server.endNow(stream);
    expect(reads()).toEqual(['events/stream 10', 'events/stream 10']);
  });

  test('a server without streams is polled', async () => {
    const missing = json(404, { result: 'error', msg: 'Not found' });
    const polled = json(200, { ...success, events: [{ id: 11, type: 'alert_words' }] });
    server.script(registered('q'), missing, polled, hold);
    const stream = openStream();
    expect(await take(stream, 2)).toEqual(['q, the first', 11]);
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
    const stream = openStream();
    const taking = take(stream, 2);
    await server.hasSeen(2);
    // The answer's first bytes may come after the request was seen: time passes until the client gives up.
    while (server.seen.length < 3) await vi.advanceTimersByTimeAsync(waitMs / 10);
    expect(await taking).toEqual(['q, the first', 11]);
    await server.endNow(stream);
    expect(reads()).toEqual(['events/stream 10', 'events 10']);
  });

  test('where streams fail and a poll gets through, events are polled', async () => {
    const polled = json(200, { ...success, events: [{ id: 11, type: 'alert_words' }] });
    server.script(registered('q'), page(502), cut, polled, hold);
    const stream = openStream();
    expect(await take(stream, 2)).toEqual(['q, the first', 11]);
    const next = stream.next();
    await server.hasSeen(5);
    await server.endNow(stream);
    await next;
    expect(reads()).toEqual(['events/stream 10', 'events/stream 10', 'events 10', 'events 11']);
  });

  test('while nothing gets through, streams are tried again', async () => {
    server.script(registered('q'), cut, cut, cut, streamed(textOf(11)));
    const stream = openStream();
    expect(await take(stream, 2)).toEqual(['q, the first', 11]);
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
    const stream = openStream({ resume: { queueId: 'q', lastEventId: 30 }, keepsQueue: true });
    expect(await take(stream, 1)).toEqual([31]);
    await stream.return();
    expect(server.seen.map(({ method }) => method)).toEqual(['GET']);
  });

  test('a resumed queue whose events another reader has acknowledged is replaced', async () => {
    const pruned = json(400, { result: 'error', msg: 'Already pruned!', code: 'BAD_REQUEST' });
    server.script(pruned, registered('r', 50), streamed(textOf(51)));
    const stream = openStream({ resume: { queueId: 'q', lastEventId: 30 } });
    expect(await take(stream, 2)).toEqual(['r', 51]);
    await server.endNow(stream);
  });

  test('waking reads anew, without a pause', async () => {
    server.script(registered('q'), streamed(textOf(11)), streamed(textOf(12)));
    const stream = openStream();
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
    const stream = openStream();
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
});
