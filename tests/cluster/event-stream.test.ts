/** A queue as Server-Sent Events: the same events as by polls, whatever happens to the processes in between. */
import { execFile } from 'node:child_process';
import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

import { processOf, readObjects, waitUntil } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { EventSource } from 'eventsource';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { PersonKey, SmallOrganization } from '../api/small-organization.ts';
import { EventStreamReader } from './event-stream-reader.ts';
import type { StreamQuery } from './event-stream-reader.ts';

let organization: SmallOrganization;
beforeAll(async () => {
  organization = await startSmallOrganization({
    ownProcesses: true,
    gateways: 2,
    events: 2,
    messages: 1,
    environment: {
      PARLEY_HEARTBEAT_MIN_SECS: '0.5',
      PARLEY_HEARTBEAT_MAX_SECS: '1',
    },
  });
});
afterAll(() => organization.stop());

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
    return `${name}${'🎉'.repeat(10_000 - name.length)}`;
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
    await organization
      .client('bob')
      .post('users/me/subscriptions', { subscriptions: [{ name: 'noise' }] });
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
    await organization
      .client('bob')
      .post('users/me/subscriptions', { subscriptions: [{ name: 'told of' }] });
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
    const sent = await sendMany(60, 'missed');
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
    const refusals: readonly [StreamQuery, PersonKey, JsonObject][] = [
      [
        { lastEventId },
        'ann',
        {
          code: 'REQUEST_VARIABLE_MISSING',
          msg: "Missing 'queue_id' argument",
          var_name: 'queue_id',
        },
      ],
      [{ queueId }, 'ann', { code: 'BAD_REQUEST', msg: "Missing 'last_event_id' argument" }],
      [
        { queueId, lastEventId: 'abc' },
        'ann',
        {
          code: 'REQUEST_VARIABLE_INVALID',
          msg: "Bad value for 'last_event_id': abc",
          var_name: 'last_event_id',
          bad_value: 'abc',
        },
      ],
      [
        { queueId, lastEventId, header: 'abc' },
        'ann',
        {
          code: 'REQUEST_VARIABLE_INVALID',
          msg: "Bad value for 'Last-Event-ID': abc",
          var_name: 'Last-Event-ID',
          bad_value: 'abc',
        },
      ],
      [
        { queueId: '1:2', lastEventId },
        'ann',
        { code: 'BAD_EVENT_QUEUE_ID', msg: 'Bad event queue id: 1:2', queue_id: '1:2' },
      ],
      [
        { queueId, lastEventId },
        'bob',
        { code: 'BAD_REQUEST', msg: 'You are not authorized to get events from this queue' },
      ],
    ];
    // A refused reader does not affect the earlier one.
    const held = await open({ queueId, lastEventId });
    for (const [query, who, body] of refusals) {
      const reader = await open(query, who);
      expect(reader).toMatchObject({
        status: 400,
        headers: { 'content-type': 'application/json' },
      });
      expect(await reader.waitForEnd()).toEqual({ isComplete: true });
      expect(JSON.parse(reader.rest)).toEqual({ result: 'error', ...body });
    }
    await send('still here');
    expect(contentsOf(await held.waitForNews(1))).toEqual(['still here']);
    held.close();
    const { status, text } = await organization
      .client()
      .withoutChecks('GET', 'events/stream', { queue_id: queueId, last_event_id: 0 });
    expect({ status, ...(JSON.parse(text) as object) }).toMatchObject({
      status: 401,
      result: 'error',
    });
  });

  test('and a poll of the same queue end each other, and so do two streams', async () => {
    const queue = await register();
    const held = poll(queue, false);
    await waitUntil('the poll is held', async () => (await heldPolls()) === 1);
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
    await waitUntil('gateways and nodes count two streams', async () => {
      const open = await sum('events', 'parley_event_streams_open');
      return open === 2 && (await sum('gateway', 'parley_gateway_open_streams')) === 2;
    });
    // Five times its lifetime, and longer than at least one interval of sweeps.
    const until = Date.now() + 12_000;
    await waitUntil('a sweep has passed', () => Date.now() > until, { deadlineMs: 20_000 });
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

  test('answers HEAD with its headers, and leaves its queue to the stream that reads it', async () => {
    const queue = await register();
    const reader = await open(queue);
    const ann = organization.client('ann');
    const response = await fetch(
      `${ann.urls[0]}/api/v1/events/stream?queue_id=${queue.queueId}&last_event_id=0`,
      {
        method: 'HEAD',
        headers: {
          authorization: `Basic ${Buffer.from(`${ann.email}:${ann.apiKey}`).toString('base64')}`,
        },
      },
    );
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream',
    ]);
    const id = await send('after HEAD');
    await waitUntil('the message came', () =>
      reader.events.some(({ message }) => (message as JsonObject | undefined)?.['id'] === id),
    );
    reader.close();
  });
});

async function sum(service: 'events' | 'gateway', metric: string): Promise<number> {
  const values = await Promise.all(
    organization.cluster.findProcesses(service).map((running) => running.readMetric(metric)),
  );
  return values.reduce((total, value) => total + value, 0);
}

function heldPolls(): Promise<number> {
  return sum('events', 'parley_event_polls_held');
}

test('curl -N shows events as they come', async () => {
  const queue = await register();
  const { url } = organization.cluster;
  const { email, apiKey } = organization.client('ann');
  const running = promisify(execFile)('curl', [
    '-sN',
    '-u',
    `${email}:${apiKey}`,
    `${url}/api/v1/events/stream?queue_id=${queue.queueId}&last_event_id=${queue.lastEventId}`,
  ]);
  let shown = '';
  running.child.stdout?.on('data', (text: string) => {
    shown += text;
  });
  await waitUntil('curl shows the first line', () => shown.includes('retry: '));
  await send('for curl');
  await waitUntil('curl shows the event', () => shown.includes('"content":"for curl"'));
  await organization.client('ann').delete('events', { queue_id: queue.queueId });
  await running;
  expect(shown).toContain('event: error\ndata: {"result":"error"');
});

/** Like a site's own proxy: it adds the person's credentials, and uses any gateway. */
async function startProxy(): Promise<{ url: string; stop: () => Promise<void> }> {
  const { email, apiKey } = organization.client('ann');
  const authorization = `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`;
  let turn = 0;
  const server = createServer((request, response) => {
    const urls = organization.cluster.gatewayUrls;
    const url = new URL(request.url ?? '/', urls[turn++ % urls.length]);
    const upstream = sendRequest(
      url,
      { headers: { ...request.headers, host: url.host, authorization } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.on('error', () => response.destroy());
        answer.pipe(response);
      },
    );
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    upstream.end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a client that reconnects', () => {
  test(
    'an EventSource behind a proxy misses nothing when nodes and gateways are killed and drained',
    { timeout: 120_000 },
    async () => {
      const { cluster } = organization;
      const proxy = await startProxy();
      const queue = await register();
      const source = new EventSource(
        `${proxy.url}/api/v1/events/stream?queue_id=${queue.queueId}&last_event_id=${queue.lastEventId}`,
      );
      const got: JsonObject[] = [];
      let timesOpened = 0;
      source.addEventListener('open', () => {
        timesOpened += 1;
      });
      source.addEventListener('message', ({ data, lastEventId }) => {
        const event = JSON.parse(String(data)) as JsonObject;
        expect(Number(lastEventId)).toBe(event['id']);
        got.push(event);
      });
      const messages = (): JsonObject[] => got.filter(({ type }) => type === 'message');
      const sent: string[] = [];
      const sendSome = async (): Promise<void> => {
        for (let count = 0; count < 5; count += 1) {
          sent.push(`message ${sent.length}`);
          await send(sent.at(-1) ?? '');
        }
      };
      const catchUp = (): Promise<boolean> =>
        waitUntil(
          'all messages came',
          () => messages().length >= sent.length && source.readyState === source.OPEN,
          { deadlineMs: 40_000, describe: () => `${messages().length} of ${sent.length}` },
        );
      try {
        await waitUntil('it is open', () => timesOpened === 1);
        await sendSome();
        await catchUp();
        for (const [service, signal] of [
          ['events', 'SIGKILL'],
          ['events', 'SIGTERM'],
          ['gateway', 'SIGTERM'],
          ['gateway', 'SIGKILL'],
        ] as const) {
          // Whichever process serves the stream now, there is a second one to take over.
          const metric =
            service === 'events' ? 'parley_event_streams_open' : 'parley_gateway_open_streams';
          const index = await waitUntil('one process has the stream', async () => {
            const counts = await Promise.all(
              cluster.findProcesses(service).map((running) => running.readMetric(metric)),
            );
            return counts.includes(1) && [counts.indexOf(1)];
          });
          const ending = cluster.kill(service, index[0] ?? 0, signal);
          // A killed gateway would lose requests that are being sent.
          if (service === 'events') await sendSome();
          await ending;
          await sendSome();
          await cluster.startAnother(service);
          await catchUp();
        }
      } finally {
        source.close();
        await proxy.stop();
      }
      expect(contentsOf(messages())).toEqual(sent);
      const ids = got.map(({ id }) => id as number);
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
      expect(timesOpened).toBeGreaterThanOrEqual(5);
    },
  );

  test('a node that drains ends its streams with a reconnect time', async () => {
    const queue = await register();
    const reader = await open(queue);
    const draining = organization.cluster.kill('events', nodeOf(reader), 'SIGTERM');
    expect(await reader.waitForEnd()).toEqual({ isComplete: true });
    expect(reader.errors).toEqual([]);
    expect(reader.messages.at(-1)).toEqual({ retry: reader.messages.at(-1)?.retry });
    await draining;
    await organization.cluster.startAnother('events');
  });

  test('a node that is paused loses its lease, and its streams end', async () => {
    const queue = await register();
    const reader = await open(queue);
    const paused = processOf(organization.cluster.getProcess('events', nodeOf(reader)));
    paused.signal('SIGSTOP');
    try {
      expect(await reader.waitForEnd()).toEqual({ isComplete: true });
      await send('elsewhere');
      const { lastEventId } = queue;
      const next = await open({ ...queue, lastEventId: reader.lastId ?? lastEventId });
      expect(next.headers['x-parley-node']).not.toBe(reader.headers['x-parley-node']);
      expect(contentsOf(await next.waitForNews(1))).toEqual(['elsewhere']);
      next.close();
    } finally {
      paused.signal('SIGCONT');
    }
  });

  test('a changed key ends the streams of its user, and no other', async () => {
    const { person } = await organization.makePersonWithBot('kim');
    const client = organization.clientOf(person);
    const registered = await client.post('register', { fetch_event_types: [] });
    const query = {
      queueId: registered['queue_id'] as string,
      lastEventId: registered['last_event_id'] as number,
    };
    const reader = await EventStreamReader.open(client, query);
    const other = await open(await register());
    await client.post('users/me/api_key/regenerate');
    expect(await reader.waitForEnd()).toEqual({ isComplete: true });
    const again = await EventStreamReader.open(client, query);
    if (again.status === 200) {
      // If a gateway has not heard of it yet, it ends the stream as soon as it does.
      await again.waitForEnd();
      expect(again.errors).toMatchObject([{ msg: 'Invalid API key' }]);
    } else expect(again.status).toBe(401);
    expect(other.end).toBeUndefined();
    other.close();
  });

  test('deactivation ends the streams of the person', async () => {
    const { person } = await organization.makePersonWithBot('lea');
    const client = organization.clientOf(person);
    const registered = await client.post('register', { fetch_event_types: [] });
    const reader = await EventStreamReader.open(client, {
      queueId: registered['queue_id'] as string,
      lastEventId: registered['last_event_id'] as number,
    });
    await organization.client('ann').delete(`users/${person.user.id}`);
    await reader.waitForEnd();
    expect(reader.errors).toHaveLength(1);
    expect(['BAD_EVENT_QUEUE_ID', undefined]).toContain(reader.errors[0]?.['code']);
  });
});
