/** A queue as Server-Sent Events: the same events as by polls. */
import { readObjects, settle, waitUntil } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { PersonKey, SmallOrganization } from '../api/small-organization.ts';
import { EventStreamReader } from './event-stream-reader.ts';
import type { StreamQuery } from './event-stream-reader.ts';

/** After this time without events a stream brings a heartbeat at the latest. */
const heartbeatMaxMs = 56_000;
/** By then a change of an account has had its effect everywhere. */
const accountChangeMaxMs = 1_000;
const sweepIntervalMs = 10_000;
/** Longer than the time that passes in any other test. */
const lifetimeMs = 90_000;

let organization: SmallOrganization;
beforeAll(async () => {
  // Its own: a node drains, and open streams are counted.
  organization = await startSmallOrganization({
    gateways: 2,
    events: 2,
    messages: 1,
    isOwn: true,
    environment: { PARLEY_EVENT_STREAM_LIFETIME_SECS: String(lifetimeMs / 1_000) },
  });
});
afterAll(() => organization?.stop());

const opened = new Set<EventStreamReader>();
afterEach(() => {
  for (const reader of opened) reader.close();
  opened.clear();
});

type Queue = { readonly queueId: string; readonly lastEventId: number };

async function register(who: PersonKey = 'ann', parameters: object = {}): Promise<Queue> {
  const answer = await organization
    .client(who)
    .post('register', { event_types: ['message'], fetch_event_types: [], ...parameters });
  return { queueId: answer['queue_id'] as string, lastEventId: answer['last_event_id'] as number };
}

async function open(query: StreamQuery, who: PersonKey = 'ann'): Promise<EventStreamReader> {
  const reader = await EventStreamReader.open(organization.client(who), query);
  opened.add(reader);
  return reader;
}

async function poll(
  { queueId, lastEventId }: Queue,
  dontBlock = true,
): Promise<readonly JsonObject[]> {
  const answer = await organization
    .client('ann')
    .get('events', { queue_id: queueId, last_event_id: lastEventId, dont_block: dontBlock });
  return readObjects(answer, 'events');
}

async function send(content: string): Promise<number> {
  const answer = await organization.client('bob').post('messages', {
    type: 'private',
    to: ['ann@example.com'],
    content,
  });
  return answer['id'] as number;
}

/** Sends messages of the maximum length, several at once. @returns their contents */
async function sendMany(count: number, mark: string): Promise<string[]> {
  const contents = Array.from({ length: count }, (_, n) => {
    const name = `${mark} ${n} `;
    return `${name}${'語'.repeat(10_000 - name.length)}`;
  });
  await Promise.all(contents.map(send));
  return contents;
}

function contentsOf(events: readonly JsonObject[]): unknown[] {
  return events.map(({ message }) => (message as JsonObject)['content']);
}

/** The process that sent the answer. */
function nodeOf(reader: EventStreamReader): number {
  const nodeId = reader.headers['x-parley-node'];
  return organization.cluster
    .findProcesses('events')
    .findIndex((running) => running.nodeId === nodeId);
}

describe('a stream', () => {
  test('delivers what polls deliver, at once, with heartbeats in between', async () => {
    const queue = await register('ann', { apply_markdown: true });
    await send('said **before**');
    const reader = await open(queue);
    expect(reader).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'max-age=0, no-cache, no-store, must-revalidate, no-transform',
        'x-accel-buffering': 'no',
        'access-control-allow-origin': '*',
      },
    });
    await reader.waitForNews(1);
    for (const content of ['one', 'two\nlines', 'three']) await send(content);
    const news = await reader.waitForNews(4);
    // Other changes move the log on, so that a heartbeat has an id.
    await organization.client('bob').subscribe('noise');
    await organization.cluster.advance(heartbeatMaxMs);
    await waitUntil('a heartbeat came', () =>
      reader.events.some(({ type }) => type === 'heartbeat'),
    );
    expect(contentsOf(news)[0]).toBe('<p>said <strong>before</strong></p>');
    for (const { id, data } of reader.messages.filter((message) => message.data !== undefined))
      expect((JSON.parse(data ?? '') as JsonObject)['id']).toBe(Number(id));
    const ids = reader.events.map(({ id }) => id as number);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    expect(reader.messages[0]).toEqual({ retry: '1000' });
    expect(await poll(queue)).toEqual(news);
    reader.close();
  });

  test('and a poll deliver the same bytes of each event', async () => {
    const queue = await register('ann', { event_types: null, all_public_streams: true });
    const reader = await open(queue);
    await send('ünïcode 🎉 "quoted" \\ and \u2028 lines');
    await organization.client('bob').subscribe('told of');
    for (const content of ['one', 'two']) await send(content);
    await waitUntil('all came', () =>
      contentsOf(reader.news.filter(({ type }) => type === 'message')).includes('two'),
    );
    reader.close();
    const { text } = await organization.client('ann').withoutChecks('GET', 'events', {
      queue_id: queue.queueId,
      last_event_id: queue.lastEventId,
      dont_block: true,
    });
    const datas = reader.messages.flatMap(({ data }) =>
      data === undefined || data.startsWith('{"type":"heartbeat"') ? [] : [data],
    );
    expect(datas.length).toBeGreaterThan(3);
    expect(text).toContain(`"events":[${datas.join(',')}]`);
  });

  test("delivers however much its reader missed, at the reader's speed", async () => {
    const queue = await register();
    const sent = await sendMany(80, 'missed');
    const reader = await open(queue);
    const missed = contentsOf(await reader.waitForNews(sent.length)).map(String);
    expect(missed.toSorted()).toEqual(sent.toSorted());
    await send('live');
    expect(contentsOf(await reader.waitForNews(sent.length + 1)).at(-1)).toBe('live');
    reader.close();
  });

  test('delivers events in the form of its own queue, also next to other streams of its node', async () => {
    const written = await open(await register('bob', { apply_markdown: false }), 'bob');
    let rendered = await open(await register('ann', { apply_markdown: true }));
    // The queue's id determines the node.
    while (nodeOf(rendered) !== nodeOf(written)) {
      rendered.close();
      rendered = await open(await register('ann', { apply_markdown: true }));
    }
    const names = ['one', 'two', 'three'];
    await Promise.all(names.map((name) => send(`**${name}**`)));
    const [html, markdown] = [rendered, written].map((reader) => reader.waitForNews(names.length));
    const seen = contentsOf((await markdown) ?? []).map(String);
    expect(seen.toSorted()).toEqual(names.map((name) => `**${name}**`).toSorted());
    expect(contentsOf((await html) ?? [])).toEqual(
      seen.map((text) => `<p>${text.replace('**', '<strong>').replace('**', '</strong>')}</p>`),
    );
    rendered.close();
    written.close();
  });

  test('continues after the larger of header and query', async () => {
    const queue = await register();
    for (const content of ['a', 'b', 'c']) await send(content);
    const [first, second] = (await poll(queue)).map(({ id }) => id as number);
    const { queueId } = queue;
    const cases: readonly [StreamQuery, unknown[]][] = [
      [{ queueId, lastEventId: 0 }, ['a', 'b', 'c']],
      [{ queueId, lastEventId: -1 }, ['a', 'b', 'c']],
      [{ queueId, header: String(first) }, ['b', 'c']],
      [{ queueId, lastEventId: queue.lastEventId, header: String(second) }, ['c']],
      [{ queueId, lastEventId: second ?? 0, header: String(first) }, ['c']],
      [{ queueId, lastEventId: queue.lastEventId, header: '' }, ['a', 'b', 'c']],
    ];
    for (const [query, contents] of cases) {
      const reader = await open(query);
      expect(contentsOf(await reader.waitForNews(contents.length))).toEqual(contents);
      reader.close();
    }
  });

  test('is refused before its first byte like GET events', async () => {
    const { queueId, lastEventId } = await register();
    const refusals: readonly [StreamQuery, PersonKey][] = [
      [{ queueId }, 'ann'],
      [{ queueId, lastEventId: 'abc' }, 'ann'],
      [{ queueId: '1:2', lastEventId }, 'ann'],
      [{ queueId, lastEventId }, 'bob'],
    ];
    // A refused reader does not affect the earlier one.
    const held = await open({ queueId, lastEventId });
    for (const [query, who] of refusals) {
      const reader = await open(query, who);
      expect(await reader.waitForEnd()).toEqual({ isComplete: true });
      const { status, body } = await organization
        .client(who)
        .request('GET', 'events', { queue_id: query.queueId, last_event_id: query.lastEventId });
      expect([reader.status, JSON.parse(reader.rest)]).toEqual([status, body]);
    }
    for (const [query, body] of [
      [{ lastEventId }, { code: 'REQUEST_VARIABLE_MISSING', var_name: 'queue_id' }],
      [
        { queueId, lastEventId, header: 'abc' },
        { code: 'REQUEST_VARIABLE_INVALID', var_name: 'Last-Event-ID', bad_value: 'abc' },
      ],
    ] satisfies [StreamQuery, JsonObject][]) {
      const reader = await open(query);
      await reader.waitForEnd();
      expect([reader.status, JSON.parse(reader.rest)]).toMatchObject([400, body]);
    }
    await send('still here');
    expect(contentsOf(await held.waitForNews(1))).toEqual(['still here']);
    held.close();
  });

  test('and a poll of the same queue end each other, and so do two streams', async () => {
    const queue = await register();
    const held = poll(queue, false);
    await settle();
    expect(await sum('events', 'parley_event_polls_held')).toBe(1);
    const first = await open(queue);
    expect(await held).toEqual([]);
    const second = await open(queue);
    expect(await first.waitForEnd()).toEqual({ isComplete: true });
    expect(first.errors).toEqual([]);
    expect(await poll(queue)).toEqual([]);
    expect(await second.waitForEnd()).toEqual({ isComplete: true });
    expect(second.errors).toEqual([]);
    expect(Number(second.messages.at(-1)?.retry)).toBeGreaterThan(0);
  });

  test('reports with an event that its queue was deleted', async () => {
    const queue = await register();
    const reader = await open(queue);
    await organization.client('ann').delete('events', { queue_id: queue.queueId });
    expect(await reader.waitForEnd()).toEqual({ isComplete: true });
    expect(reader.errors).toEqual([
      {
        result: 'error',
        code: 'BAD_EVENT_QUEUE_ID',
        msg: `Bad event queue id: ${queue.queueId}`,
        queue_id: queue.queueId,
      },
    ]);
    const again = await open(queue);
    expect(again.status).toBe(400);
  });

  test('keeps its queue alive, and has metrics', async () => {
    const queue = await register('ann', { queue_lifespan_secs: 1 });
    const reader = await open(queue);
    const readerOfOther = await open(await register());
    await settle();
    expect([
      await sum('events', 'parley_event_streams_open'),
      await sum('gateway', 'parley_gateway_open_streams'),
    ]).toEqual([2, 2]);
    // Twenty times its lifetime.
    await organization.cluster.advance(2 * sweepIntervalMs);
    await send('alive');
    expect(contentsOf(await reader.waitForNews(1))).toEqual(['alive']);
    expect(await sum('gateway', 'parley_gateway_stream_bytes_total')).toBeGreaterThan(100);
    reader.close();
    readerOfOther.close();
    await waitUntil(
      'nobody counts a stream',
      async () => (await sum('events', 'parley_event_streams_open')) === 0,
    );
  });
});

async function sum(service: 'events' | 'gateway', metric: string): Promise<number> {
  const values = await Promise.all(
    organization.cluster.findProcesses(service).map((running) => running.readMetric(metric)),
  );
  return values.reduce((total, value) => total + value, 0);
}

describe('a stream ends', () => {
  test('with a reconnect time when its node drains', async () => {
    const queue = await register();
    const reader = await open(queue);
    const draining = organization.cluster.kill('events', nodeOf(reader), 'SIGTERM');
    expect(await reader.waitForEnd()).toEqual({ isComplete: true });
    expect(reader.errors).toEqual([]);
    expect(reader.messages.at(-1)).toEqual({ retry: reader.messages.at(-1)?.retry });
    await draining;
    await organization.cluster.startAnother('events');
  });

  test('when its person is deactivated', async () => {
    const { person } = await organization.makePersonWithBot('lea');
    const client = organization.clientOf(person);
    const registered = await client.post('register', { fetch_event_types: [] });
    const reader = await EventStreamReader.open(client, {
      queueId: registered['queue_id'] as string,
      lastEventId: registered['last_event_id'] as number,
    });
    await organization.client('ann').delete(`users/${person.user.id}`);
    await organization.cluster.advance(accountChangeMaxMs);
    await reader.waitForEnd();
    expect(reader.errors).toHaveLength(1);
    expect(['BAD_EVENT_QUEUE_ID', undefined]).toContain(reader.errors[0]?.['code']);
  });
});
