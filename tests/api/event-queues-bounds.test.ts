/** The effect of each bound on queues and event streams, and its metrics. */
import { readObjects, settle, waitUntil } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { EventStreamReader } from '../cluster/event-stream-reader.ts';
import { useFixture } from '../support/use-fixture.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';

const queuesMax = 12;
const unreadMaxBytes = 65_536;

const organization = useFixture(() =>
  startSmallOrganization({
    events: 1,
    messages: 1,
    environment: {
      PARLEY_QUEUES_PER_USER_MAX: String(queuesMax),
      PARLEY_EVENT_STREAM_UNREAD_MAX_BYTES: String(unreadMaxBytes),
    },
  }),
);

function metric(name: string, service: 'events' | 'gateway' = 'events'): Promise<number> {
  return organization.cluster.getProcess(service, 0).readMetric(name);
}

type Queue = { readonly queueId: string; readonly lastEventId: number };

async function register(who: PersonKey, parameters: object = {}): Promise<Queue> {
  const answer = await organization
    .client(who)
    .post('register', { event_types: ['message'], fetch_event_types: [], ...parameters });
  return { queueId: answer['queue_id'] as string, lastEventId: answer['last_event_id'] as number };
}

async function send(content: string): Promise<void> {
  await organization
    .client('bob')
    .post('messages', { type: 'private', to: ['ann@example.com'], content });
}

test('concurrent registers do not exceed the limit of queues, and no queue ends because of them', async () => {
  const cat = organization.client('cat');
  const answers = await Promise.all(
    Array.from({ length: queuesMax + 8 }, (_, n) =>
      n % 2 === 0
        ? cat.request('POST', 'register', { fetch_event_types: [] })
        : cat.request('GET', 'events', { dont_block: true }),
    ),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.map(({ status, body }) => ({ status, body }))).toEqual(
    Array.from({ length: 8 }, () => ({
      status: 400,
      body: {
        result: 'error',
        code: 'BAD_REQUEST',
        msg: `You already have ${queuesMax} event queues, the maximum.`,
      },
    })),
  );
  expect(await metric('parley_event_queue_registers_refused_total')).toBe(8);
  const first = answers.find(({ status }) => status === 200);
  await cat.delete('events', { queue_id: first?.body['queue_id'] as string });
  await cat.post('register', { fetch_event_types: [] });
  const { rows } = await organization.pool.query<{ count: number }>({
    text: 'SELECT count(*)::int AS count FROM event_queues WHERE user_id = $1',
    values: [organization.id('cat')],
  });
  expect(rows[0]?.count).toBe(queuesMax);
});

test('a descriptor of 64 KiB is accepted, and one byte more is refused', async () => {
  const before = await metric('parley_event_queue_registers_refused_total');
  const { queueId } = await register('gil', { event_types: [''] });
  const { rows } = await organization.pool.query<{ descriptor: object }>({
    text: 'SELECT descriptor FROM event_queues WHERE queue_id = $1',
    values: [queueId],
  });
  const smallest = JSON.stringify(rows[0]?.descriptor).length;
  const ask = (bytes: number): Promise<{ status: number; body: JsonObject }> =>
    organization.client('gil').request('POST', 'register', {
      fetch_event_types: [],
      // Two bytes each, to show that bytes are counted and not characters.
      event_types: [
        'é'.repeat(Math.floor((bytes - smallest) / 2)) + 'x'.repeat((bytes - smallest) % 2),
      ],
    });
  expect(await ask(65_536)).toMatchObject({ status: 200 });
  expect(await ask(65_537)).toMatchObject({
    status: 400,
    body: {
      result: 'error',
      code: 'BAD_REQUEST',
      msg: 'The filters of an event queue are too long (maximum 65536 bytes).',
    },
  });
  expect(await metric('parley_event_queue_registers_refused_total')).toBe(before + 1);
});

test('an answer has a limit, and the next poll continues', async () => {
  const queue = await register('ann', { apply_markdown: true });
  const ann = organization.client('ann');
  // Each becomes about 90 KiB of HTML.
  for (let count = 0; count < 15; count += 1) await send(`${':octopus: '.repeat(950)}${count}`);
  const answers: JsonObject[][] = [];
  for (let last = queue.lastEventId; ;) {
    const { text } = await ann.withoutChecks('GET', 'events', {
      queue_id: queue.queueId,
      last_event_id: last,
      dont_block: true,
    });
    const events = [...readObjects(JSON.parse(text) as JsonObject, 'events')];
    if (events.length === 0) break;
    answers.push(events);
    // The event that reaches the bound is the last one.
    expect(text.length - JSON.stringify(events.at(-1)).length).toBeLessThan(1_048_576);
    last = events.at(-1)?.['id'] as number;
  }
  expect(answers.length).toBeGreaterThan(1);
  expect(answers.flat()).toHaveLength(15);
});

test('a queue is refused if the log no longer has its events, for polls and streams', async () => {
  const ann = organization.client('ann');
  const behind = await register('ann');
  await send('lost');
  const { lastEventId: begin } = await register('ann');
  // Like trimming, which moves the log's beginning before it removes entries.
  await organization.pool.query({
    text: 'UPDATE log_head SET begin_position = $1',
    values: [begin],
  });
  const poll = (lastEventId: number): Promise<{ status: number; body: JsonObject }> =>
    ann.request('GET', 'events', {
      queue_id: behind.queueId,
      last_event_id: lastEventId,
      dont_block: true,
    });
  await settle();
  const before = await metric('parley_event_queue_refusals_total');
  const refusal = {
    result: 'error',
    code: 'BAD_EVENT_QUEUE_ID',
    msg: `Bad event queue id: ${behind.queueId}`,
    queue_id: behind.queueId,
  };
  expect(await poll(begin - 1)).toMatchObject({ status: 400, body: refusal });
  const stream = await EventStreamReader.open(ann, behind);
  await stream.waitForEnd();
  expect([stream.status, JSON.parse(stream.rest)]).toEqual([400, refusal]);
  expect(await metric('parley_event_queue_refusals_total')).toBe(before + 2);
  // The client that has seen everything before the log's beginning continues.
  await send('after');
  const events = readObjects((await poll(begin)).body, 'events');
  expect(events.map(({ message }) => (message as JsonObject)['content'])).toEqual(['after']);
});

test('a reader with too much unread data is disconnected, and resumes without a gap', async () => {
  const queue = await register('ann', { apply_markdown: true });
  const ann = organization.client('ann');
  const reader = await EventStreamReader.open(ann, queue);
  await send('0');
  await reader.waitForNews(1);
  reader.pause();
  let sent = 1;
  // The sockets in between hold some megabytes before data accumulates in a process.
  while ((await metric('parley_gateway_stream_cut_offs_total', 'gateway')) === 0) {
    if (sent > 1_500) throw new Error('nobody was cut off');
    // One part of the stream: a longer one would wait until the client has taken it.
    await send(`${':octopus: '.repeat(500)}${sent}`);
    await settle();
    sent += 1;
    // The data in memory is bounded by the setting plus one part and one event.
    expect(await metric('parley_gateway_stream_unread_bytes', 'gateway')).toBeLessThan(
      unreadMaxBytes + 65_536 + 200_000,
    );
  }
  await waitUntil(
    'nothing is kept for it',
    async () => (await metric('parley_event_streams_open')) === 0,
  );
  reader.resume();
  expect(await reader.waitForEnd()).toEqual({ isComplete: false });
  const ids = reader.news.map(({ id }) => id as number);
  const rest = await EventStreamReader.open(ann, { ...queue, lastEventId: ids.at(-1) ?? 0 });
  ids.push(...(await rest.waitForNews(sent - ids.length)).map(({ id }) => id as number));
  rest.close();
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
  expect(ids).toHaveLength(sent);
  expect(await metric('parley_gateway_stream_cut_offs_total', 'gateway')).toBe(1);
});
