/** How an event stream handles answers that a real system gives only in trouble. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  ScriptedServer,
  cut,
  hold,
  json,
  limited,
  page,
  queueGone,
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
    taken.push('isFirst' in value ? stream.queueId : value.id);
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
    expect(await take(stream, 5)).toEqual(['q', 11, 12, 14, 15]);
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
    expect(await take(stream, 2)).toEqual(['q', 11]);
    expect(failures).toHaveLength(2);
    await server.endNow(stream);
    expect(askedFrom()).toEqual(['10', '10']);
  });

  test('continue with a new queue, from its beginning, when the old one is gone', async () => {
    server.script(registered('q'), polled(11), queueGone, registered('r', 50), polled(51), hold);
    const stream = open();
    expect(await take(stream, 4)).toEqual(['q', 11, 'r', 51]);
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
